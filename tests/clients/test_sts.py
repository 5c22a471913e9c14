"""Temporary credentials through boto3."""

import base64
import datetime
import json

import boto3
import pytest
from asserting import refused
from botocore.config import Config
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

ACCOUNT = "123456789012"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/web"
ISSUER = "https://token.example.com"


def trust(principal, actions=("sts:AssumeRole", "sts:TagSession"), **condition):
    statement = {"Effect": "Allow", "Principal": principal, "Action": list(actions), "Condition": condition}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def with_credentials(server, given):
    """Returns a client with temporary credentials."""
    return boto3.client(
        "sts",
        endpoint_url=server.url,
        region_name="us-east-1",
        aws_access_key_id=given["AccessKeyId"],
        aws_secret_access_key=given["SecretAccessKey"],
        aws_session_token=given.get("SessionToken"),
        config=Config(retries={"total_max_attempts": 1}),
    )


@pytest.fixture
def sts(client):
    return client("sts")


@pytest.fixture
def iam(client):
    return client("iam")


@pytest.fixture
def role(iam):
    document = trust({"AWS": f"arn:aws:iam::{ACCOUNT}:root"})
    return iam.create_role(RoleName="web", AssumeRolePolicyDocument=document)["Role"]


def test_assume_role(server, sts, role):
    tags = [{"Key": "team", "Value": "web"}]
    answer = sts.assume_role(RoleArn=ROLE, RoleSessionName="deploy", DurationSeconds=900, Tags=tags, TransitiveTagKeys=["team"])
    arn = f"arn:aws:sts::{ACCOUNT}:assumed-role/web/deploy"
    assert answer["AssumedRoleUser"] == {"AssumedRoleId": f"{role['RoleId']}:deploy", "Arn": arn}
    assert answer["PackedPolicySize"] == 1
    given = answer["Credentials"]
    assert given["AccessKeyId"].startswith("ASIA") and isinstance(given["Expiration"], datetime.datetime)
    caller = with_credentials(server, given).get_caller_identity()
    assert (caller["Arn"], caller["Account"], caller["UserId"]) == (arn, ACCOUNT, f"{role['RoleId']}:deploy")
    assert sts.get_access_key_info(AccessKeyId=given["AccessKeyId"])["Account"] == ACCOUNT


def test_trust_policy_decides(sts, iam):
    document = trust({"AWS": ACCOUNT}, StringEquals={"sts:ExternalId": "partner"})
    iam.create_role(RoleName="web", AssumeRolePolicyDocument=document)
    sts.assume_role(RoleArn=ROLE, RoleSessionName="deploy", ExternalId="partner")
    for given in [{}, {"ExternalId": "other"}]:
        with refused(sts, "AccessDenied", 403, modeled=False) as caught:
            sts.assume_role(RoleArn=ROLE, RoleSessionName="deploy", **given)
        text = f"User: arn:aws:iam::{ACCOUNT}:root is not authorized to perform: sts:AssumeRole on resource: {ROLE}"
        assert caught.value.response["Error"]["Message"] == text


def test_refusals(sts, role):
    given = {"RoleArn": ROLE, "RoleSessionName": "deploy"}
    with refused(sts, "MalformedPolicyDocument", modeled="MalformedPolicyDocumentException"):
        sts.assume_role(**given, Policy="{}")
    with refused(sts, "PackedPolicyTooLarge", modeled="PackedPolicyTooLargeException"):
        sts.assume_role(**given, Tags=[{"Key": f"key-{n}", "Value": "v" * 250} for n in range(10)])
    with refused(sts, "ValidationError", modeled=False):
        sts.assume_role(**given, DurationSeconds=7200)
    with refused(sts, "InvalidAuthorizationMessageException"):
        sts.decode_authorization_message(EncodedMessage="AAAA")


def test_expired_credentials(server, sts, role):
    given = sts.assume_role(RoleArn=ROLE, RoleSessionName="deploy", DurationSeconds=900)["Credentials"]
    caller = with_credentials(server, given)
    caller.get_caller_identity()
    server.advance("15m")
    with refused(caller, "ExpiredToken", 403, modeled=False):
        caller.get_caller_identity()


def test_federation_and_session_tokens(server, sts, iam):
    iam.create_user(UserName="ann")
    user = with_credentials(server, iam.create_access_key(UserName="ann")["AccessKey"])
    answer = user.get_federation_token(Name="bea", DurationSeconds=900)
    arn = f"arn:aws:sts::{ACCOUNT}:federated-user/bea"
    assert answer["FederatedUser"] == {"FederatedUserId": f"{ACCOUNT}:bea", "Arn": arn}
    federated = with_credentials(server, answer["Credentials"])
    assert federated.get_caller_identity()["Arn"] == arn
    session = with_credentials(server, user.get_session_token()["Credentials"])
    assert session.get_caller_identity()["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/ann"
    for temporary in [federated, session]:
        for call, given in [("get_session_token", {}), ("get_federation_token", {"Name": "cid"})]:
            with refused(temporary, "AccessDenied", 403, modeled=False) as caught:
                getattr(temporary, call)(**given)
            assert caught.value.response["Error"]["Message"].endswith("with session credentials")


class Issuer:
    """An OpenID Connect issuer with an RSA key."""

    def __init__(self):
        self.key = rsa.generate_private_key(65537, 2048)

    @staticmethod
    def encode(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    @property
    def keys(self):
        numbers = self.key.public_key().public_numbers()
        n, e = (self.encode(number.to_bytes(-(-number.bit_length() // 8))) for number in (numbers.n, numbers.e))
        return {"keys": [{"kty": "RSA", "kid": "one", "use": "sig", "alg": "RS256", "n": n, "e": e}]}

    def token(self, **claims):
        parts = [{"alg": "RS256", "kid": "one"}, {"iss": ISSUER, "sub": "repo:web", "aud": "web"} | claims]
        signed = ".".join(self.encode(json.dumps(part).encode()) for part in parts)
        return f"{signed}.{self.encode(self.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


def test_web_identity(server, sts, iam):
    provider = iam.create_open_id_connect_provider(Url=ISSUER, ClientIDList=["web"])["OpenIDConnectProviderArn"]
    document = trust(
        {"Federated": provider},
        ["sts:AssumeRoleWithWebIdentity"],
        StringLike={"token.example.com:sub": "repo:*"},
        StringEquals={"token.example.com:aud": "web"},
    )
    iam.create_role(RoleName="web", AssumeRolePolicyDocument=document)
    issuer, now = Issuer(), server.now() // 1000
    valid = {"iat": now, "exp": now + 600}
    given = {"RoleArn": ROLE, "RoleSessionName": "ci"}
    with refused(sts, "InvalidIdentityToken", modeled="InvalidIdentityTokenException"):
        sts.assume_role_with_web_identity(**given, WebIdentityToken=issuer.token(**valid))
    server.control("open-id-keys", {"url": ISSUER, "keys": issuer.keys})
    answer = sts.assume_role_with_web_identity(**given, WebIdentityToken=issuer.token(**valid))
    assert (answer["Provider"], answer["Audience"]) == (provider, "web")
    assert answer["SubjectFromWebIdentityToken"] == "repo:web"
    caller = with_credentials(server, answer["Credentials"]).get_caller_identity()
    assert caller["Arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/web/ci"
    for claims, code, status, modeled in [
        ({"aud": "api"}, "InvalidIdentityToken", 400, "InvalidIdentityTokenException"),
        ({"iss": "https://other.example.com"}, "InvalidIdentityToken", 400, "InvalidIdentityTokenException"),
        ({"exp": now - 1}, "ExpiredTokenException", 400, True),
        ({"iat": now + 3600}, "IDPRejectedClaim", 403, "IDPRejectedClaimException"),
        ({"sub": "user:ann"}, "AccessDenied", 403, False),
    ]:
        with refused(sts, code, status, modeled):
            sts.assume_role_with_web_identity(**given, WebIdentityToken=issuer.token(**(valid | claims)))
    with refused(sts, "InvalidIdentityToken", modeled="InvalidIdentityTokenException"):
        sts.assume_role_with_web_identity(**given, WebIdentityToken=Issuer().token(**valid))
