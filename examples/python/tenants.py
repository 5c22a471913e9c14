"""Manages the tenants of an application: each has a log group, an encrypted secret with its password, and a role."""

import json
import secrets

import boto3

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}


class Tenants:
    """All tenants of an account in one Region."""

    def __init__(self, region="us-east-1"):
        self.logs = boto3.client("logs", region_name=region)
        self.secrets = boto3.client("secretsmanager", region_name=region)
        self.keys = boto3.client("kms", region_name=region)
        self.iam = boto3.client("iam", region_name=region)

    def create(self, name, retention=30):
        """Creates what a tenant needs, and returns its password. Nothing stays of a tenant that cannot be created."""
        self.logs.create_log_group(logGroupName=f"/tenants/{name}", tags={"tenant": name})
        try:
            self.logs.put_retention_policy(logGroupName=f"/tenants/{name}", retentionInDays=retention)
            key = self.keys.create_key(Description=f"Tenant {name}")["KeyMetadata"]["KeyId"]
            self.keys.create_alias(AliasName=f"alias/tenants/{name}", TargetKeyId=key)
            password = secrets.token_urlsafe()
            tags = [{"Key": "tenant", "Value": name}]
            self.secrets.create_secret(Name=f"tenants/{name}", SecretString=password, KmsKeyId=key, Tags=tags)
            self.iam.create_role(RoleName=f"tenant-{name}", AssumeRolePolicyDocument=json.dumps(TRUST), Tags=tags)
        except Exception:
            self.logs.delete_log_group(logGroupName=f"/tenants/{name}")
            raise
        return password

    def names(self):
        """Returns the names of all tenants."""
        pages = self.logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix="/tenants/")
        return [group["logGroupName"].removeprefix("/tenants/") for page in pages for group in page["logGroups"]]

    def password(self, name):
        """Returns the password of a tenant, or None if there is no such tenant."""
        try:
            return self.secrets.get_secret_value(SecretId=f"tenants/{name}")["SecretString"]
        except self.secrets.exceptions.ResourceNotFoundException:
            return None

    def change_password(self, name):
        """Sets a new password, and returns it; the previous one stays under the stage AWSPREVIOUS."""
        password = secrets.token_urlsafe()
        self.secrets.put_secret_value(SecretId=f"tenants/{name}", SecretString=password)
        return password

    def seal(self, name, text):
        """Encrypts a text with the key of a tenant."""
        return self.keys.encrypt(KeyId=f"alias/tenants/{name}", Plaintext=text.encode())["CiphertextBlob"]

    def unseal(self, sealed):
        """Decrypts a text that `seal` encrypted."""
        return self.keys.decrypt(CiphertextBlob=sealed)["Plaintext"].decode()

    def delete(self, name):
        """Deletes a tenant. Its key can be restored for seven days."""
        self.logs.delete_log_group(logGroupName=f"/tenants/{name}")
        self.secrets.delete_secret(SecretId=f"tenants/{name}", ForceDeleteWithoutRecovery=True)
        key = self.keys.describe_key(KeyId=f"alias/tenants/{name}")["KeyMetadata"]["KeyId"]
        self.keys.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
        self.iam.delete_role(RoleName=f"tenant-{name}")
