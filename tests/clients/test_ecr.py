"""Container repositories through boto3 and the AWS CLI: settings, policies, lifecycle policies, the registry, refusals."""

import json

import pytest
from asserting import refused

ACCOUNT, REGION = "123456789012", "us-east-1"

POLICY = {
    "Version": "2012-10-17",
    "Statement": [{"Sid": "new statement", "Effect": "Allow", "Principal": "*", "Action": ["ecr:DescribeImages"]}],
}
LIFECYCLE = {
    "rules": [
        {
            "rulePriority": 1,
            "selection": {"tagStatus": "untagged", "countType": "sinceImagePushed", "countUnit": "days", "countNumber": 14},
            "action": {"type": "expire"},
        }
    ]
}


@pytest.fixture
def ecr(client):
    return client("ecr")


def message(caught):
    return caught.value.response["Error"]["Message"]


def test_repository_is_created_described_changed_and_deleted(ecr):
    made = ecr.create_repository(repositoryName="web/api", tags=[{"Key": "team", "Value": "web"}])["repository"]
    made.pop("createdAt")
    assert made == {
        "repositoryArn": f"arn:aws:ecr:{REGION}:{ACCOUNT}:repository/web/api",
        "registryId": ACCOUNT,
        "repositoryName": "web/api",
        "repositoryUri": f"{ACCOUNT}.dkr.ecr.{REGION}.amazonaws.com/web/api",
        "imageTagMutability": "MUTABLE",
        "imageScanningConfiguration": {"scanOnPush": False},
        "encryptionConfiguration": {"encryptionType": "AES256"},
    }
    arn = {"resourceArn": made["repositoryArn"]}
    assert ecr.list_tags_for_resource(**arn)["tags"] == [{"Key": "team", "Value": "web"}]
    name = {"repositoryName": "web/api"}
    filters = [{"filterType": "WILDCARD", "filter": "dev-*"}]
    changed = ecr.put_image_tag_mutability(
        **name, imageTagMutability="IMMUTABLE_WITH_EXCLUSION", imageTagMutabilityExclusionFilters=filters
    )
    assert changed["imageTagMutabilityExclusionFilters"] == filters
    scanning = ecr.put_image_scanning_configuration(**name, imageScanningConfiguration={"scanOnPush": True})
    assert scanning["imageScanningConfiguration"] == {"scanOnPush": True}
    [found] = ecr.describe_repositories(repositoryNames=["web/api"])["repositories"]
    assert (found["imageTagMutability"], "tags" in found) == ("IMMUTABLE_WITH_EXCLUSION", False)
    assert ecr.delete_repository(**name)["repository"] == found
    with refused(ecr, "RepositoryNotFoundException") as caught:
        ecr.delete_repository(**name)
    text = f"The repository with name 'web/api' does not exist in the registry with id '{ACCOUNT}'"
    assert message(caught) == text


def test_encryption_under_a_key(ecr, client):
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]
    kms.create_alias(AliasName="alias/images", TargetKeyId=key["KeyId"])
    encryption = {"encryptionType": "KMS", "kmsKey": "alias/images"}
    made = ecr.create_repository(repositoryName="web", encryptionConfiguration=encryption)["repository"]
    assert made["encryptionConfiguration"] == {"encryptionType": "KMS", "kmsKey": key["Arn"]}
    made = ecr.create_repository(repositoryName="api", encryptionConfiguration={"encryptionType": "KMS"})["repository"]
    [managed] = [alias for alias in kms.list_aliases()["Aliases"] if alias["AliasName"] == "alias/aws/ecr"]
    assert made["encryptionConfiguration"]["kmsKey"].endswith(managed["TargetKeyId"])
    kms.disable_key(KeyId=key["KeyId"])
    with refused(ecr, "KmsException"):
        ecr.create_repository(repositoryName="new", encryptionConfiguration=encryption)


def test_refusals_have_the_words_of_the_service(ecr):
    ecr.create_repository(repositoryName="web")
    with refused(ecr, "InvalidParameterException") as caught:
        ecr.create_repository(repositoryName="Web")
    pattern = "(?:[a-z0-9]+(?:[._-][a-z0-9]+)*/)*[a-z0-9]+(?:[._-][a-z0-9]+)*"
    start = "Invalid parameter at 'repositoryName' failed to satisfy constraint:"
    assert message(caught) == f"{start} 'must satisfy regular expression '{pattern}''"
    with refused(ecr, "RepositoryAlreadyExistsException"):
        ecr.create_repository(repositoryName="web")
    with refused(ecr, "InvalidParameterException"):
        ecr.describe_repositories(repositoryNames=["web"], maxResults=1)
    with refused(ecr, "InvalidTagParameterException"):
        ecr.create_repository(repositoryName="new", tags=[{"Key": "aws:a", "Value": "b"}])


def test_policies(ecr):
    ecr.create_repository(repositoryName="web")
    name = {"repositoryName": "web"}
    with refused(ecr, "RepositoryPolicyNotFoundException"):
        ecr.get_repository_policy(**name)
    text = ecr.set_repository_policy(**name, policyText=json.dumps(POLICY))["policyText"]
    assert text.startswith('{\n  "Version" : "2012-10-17",\n  "Statement" : [ {') and json.loads(text) == POLICY
    assert ecr.get_repository_policy(**name)["policyText"] == text
    with refused(ecr, "InvalidParameterException") as caught:
        ecr.set_repository_policy(**name, policyText="{}")
    assert message(caught).endswith("failed to satisfy constraint: 'Invalid repository policy provided'")
    unknown = POLICY["Statement"][0] | {"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:role/none"}}
    with refused(ecr, "InvalidParameterException") as caught:
        ecr.set_repository_policy(**name, policyText=json.dumps(POLICY | {"Statement": [unknown]}))
    assert message(caught).endswith("failed to satisfy constraint: 'Principal not found'")
    put = ecr.put_lifecycle_policy(**name, lifecyclePolicyText=json.dumps(LIFECYCLE, indent=1))
    assert put["lifecyclePolicyText"] == json.dumps(LIFECYCLE, separators=(",", ":"))
    assert ecr.get_lifecycle_policy(**name)["lastEvaluatedAt"].timestamp() == 0
    with refused(ecr, "InvalidParameterException") as caught:
        ecr.put_lifecycle_policy(**name, lifecyclePolicyText=json.dumps(LIFECYCLE).replace("untagged", "tagged"))
    assert "instance failed to match exactly one schema (matched 0 out of 2)" in message(caught)
    ecr.delete_lifecycle_policy(**name)
    with refused(ecr, "LifecyclePolicyNotFoundException"):
        ecr.get_lifecycle_policy(**name)


def test_registry(ecr):
    assert ecr.describe_registry() | {"ResponseMetadata": None} == {
        "registryId": ACCOUNT,
        "replicationConfiguration": {"rules": []},
        "ResponseMetadata": None,
    }
    with refused(ecr, "RegistryPolicyNotFoundException"):
        ecr.get_registry_policy()
    statement = POLICY["Statement"][0] | {"Action": "ecr:ReplicateImage", "Resource": "*"}
    ecr.put_registry_policy(policyText=json.dumps(POLICY | {"Statement": [statement]}))
    destination = {"region": "eu-west-1", "registryId": ACCOUNT}
    replication = {"rules": [{"destinations": [destination]}]}
    assert ecr.put_replication_configuration(replicationConfiguration=replication)["replicationConfiguration"] == replication
    rule = {"ecrRepositoryPrefix": "quay", "upstreamRegistryUrl": "quay.io"}
    assert ecr.create_pull_through_cache_rule(**rule)["upstreamRegistry"] == "quay"
    with refused(ecr, "UnsupportedUpstreamRegistryException"):
        ecr.create_pull_through_cache_rule(ecrRepositoryPrefix="other", upstreamRegistryUrl="example.com")
    secret = f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:ecr-pullthroughcache/hub-AbCdEf"
    with refused(ecr, "SecretNotFoundException"):
        ecr.update_pull_through_cache_rule(ecrRepositoryPrefix="quay", credentialArn=secret)
    template = ecr.create_repository_creation_template(prefix="ROOT", appliedFor=["PULL_THROUGH_CACHE"])
    assert template["repositoryCreationTemplate"]["imageTagMutability"] == "MUTABLE"
    assert ecr.get_account_setting(name="REGISTRY_POLICY_SCOPE")["value"] == "V2"


def test_repository_with_the_cli(aws, server):
    name = ["--repository-name", "web"]
    made = aws("ecr", "create-repository", *name, "--image-scanning-configuration", "scanOnPush=true")["repository"]
    assert made["repositoryUri"] == f"{ACCOUNT}.dkr.ecr.{REGION}.amazonaws.com/web"
    aws("ecr", "put-image-tag-mutability", *name, "--image-tag-mutability", "IMMUTABLE")
    [found] = aws("ecr", "describe-repositories")["repositories"]
    assert found["imageTagMutability"] == "IMMUTABLE"
    aws("ecr", "put-lifecycle-policy", *name, "--lifecycle-policy-text", json.dumps(LIFECYCLE))
    aws("ecr", "delete-repository", *name, "--force")
    gone = aws.refused("ecr", "describe-repositories", "--repository-names", "web")
    assert (gone.code, gone.operation) == ("RepositoryNotFoundException", "DescribeRepositories")
