"""Secrets through boto3."""

import datetime
import http.server
import json
import threading
import time

import pytest
from asserting import HANG, refused

ARN = "arn:aws:secretsmanager:us-east-1:123456789012:secret:"
TOKENS = [f"00000000-0000-4000-8000-{n:012}" for n in range(200)]
NARROW = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
                "Action": "secretsmanager:GetSecretValue",
                "Resource": "*",
            }
        ],
    }
)
PUBLIC = NARROW.replace('{"AWS": "arn:aws:iam::123456789012:root"}', '"*"')


@pytest.fixture
def secrets(client):
    return client("secretsmanager")


@pytest.fixture
def web(secrets):
    """Creates a secret; returns its ARN."""
    return secrets.create_secret(Name="web", SecretString="one", ClientRequestToken=TOKENS[1])["ARN"]


def create_alias(client, alias):
    """Creates a key with this alias, and returns the alias."""
    kms = client("kms")
    kms.create_alias(AliasName=alias, TargetKeyId=kms.create_key()["KeyMetadata"]["KeyId"])
    return alias


def value(secrets, name="web", **which):
    return secrets.get_secret_value(SecretId=name, **which)["SecretString"]


def test_secret_round_trip(secrets, client):
    tags = [{"Key": "team", "Value": "web"}]
    key = create_alias(client, "alias/k")
    made = secrets.create_secret(Name="web/db", SecretString="hunter2", Description="d", KmsKeyId=key, Tags=tags)
    assert made["ARN"].startswith(ARN + "web/db-") and len(made["ARN"]) == len(ARN + "web/db-") + 6
    described = secrets.describe_secret(SecretId="web/db")
    assert (described["ARN"], described["Name"], described["Description"]) == (made["ARN"], "web/db", "d")
    assert (described["KmsKeyId"], described["Tags"]) == ("alias/k", tags)
    assert described["VersionIdsToStages"] == {made["VersionId"]: ["AWSCURRENT"]}
    assert isinstance(described["CreatedDate"], datetime.datetime)
    assert "DeletedDate" not in described and "LastAccessedDate" not in described
    got = secrets.get_secret_value(SecretId=made["ARN"])
    assert (got["SecretString"], got["VersionStages"], got["VersionId"]) == ("hunter2", ["AWSCURRENT"], made["VersionId"])
    accessed = secrets.describe_secret(SecretId="web/db")["LastAccessedDate"]
    assert accessed.astimezone(datetime.timezone.utc).time() == datetime.time(0)
    [listed] = secrets.list_secrets()["SecretList"]
    assert listed["SecretVersionsToStages"] == described["VersionIdsToStages"]


def test_binary_secret(secrets):
    secrets.create_secret(Name="bytes", SecretBinary=bytes(range(256)))
    got = secrets.get_secret_value(SecretId="bytes")
    assert got["SecretBinary"] == bytes(range(256)) and "SecretString" not in got


def test_version_stages_move(secrets, web):
    secrets.put_secret_value(SecretId="web", SecretString="two", ClientRequestToken=TOKENS[2])
    put = secrets.put_secret_value(SecretId="web", SecretString="three", ClientRequestToken=TOKENS[3], VersionStages=["x"])
    assert put["VersionStages"] == ["x"]
    assert [value(secrets), value(secrets, VersionStage="AWSPREVIOUS"), value(secrets, VersionStage="x")] == [
        "two",
        "one",
        "three",
    ]
    moved = {"RemoveFromVersionId": TOKENS[2], "MoveToVersionId": TOKENS[3]}
    secrets.update_secret_version_stage(SecretId="web", VersionStage="AWSCURRENT", **moved)
    assert (value(secrets), value(secrets, VersionStage="AWSPREVIOUS")) == ("three", "two")
    with refused(secrets, "InvalidRequestException"):
        secrets.get_secret_value(SecretId="web", VersionId=TOKENS[2], VersionStage="AWSCURRENT")
    versions = secrets.list_secret_version_ids(SecretId="web", IncludeDeprecated=True)["Versions"]
    assert [version["VersionId"] for version in versions] == TOKENS[1:4]


def test_client_request_token_is_idempotent(secrets, web):
    put = {"SecretId": "web", "ClientRequestToken": TOKENS[2]}
    assert secrets.put_secret_value(SecretString="two", **put)["VersionId"] == TOKENS[2]
    assert secrets.put_secret_value(SecretString="two", **put)["VersionId"] == TOKENS[2]
    with refused(secrets, "ResourceExistsException"):
        secrets.put_secret_value(SecretString="three", **put)
    update = put | {"ClientRequestToken": TOKENS[3]}
    assert secrets.update_secret(SecretString="four", **update)["VersionId"] == TOKENS[3]
    assert secrets.update_secret(SecretString="four", **update)["VersionId"] == TOKENS[3]
    with refused(secrets, "ResourceExistsException") as caught:
        secrets.update_secret(SecretString="five", **update)
    assert caught.value.response["Message"] == (
        f"You can't use ClientRequestToken {TOKENS[3]} because that value is already in use for a version of secret {web}."
    )
    again = secrets.create_secret(Name="new", SecretString="x", ClientRequestToken=TOKENS[4])
    assert secrets.create_secret(Name="new", SecretString="x", ClientRequestToken=TOKENS[4])["ARN"] == again["ARN"]


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        ("create_secret", "InvalidRequestException"),
        ("put_secret_value", "InvalidRequestException"),
        ("update_secret", "InvalidRequestException"),
        ("rotate_secret", "InvalidParameterException"),
    ],
)
def test_raw_request_without_client_request_token_is_refused(client, server, web, operation, code):
    server.control("functions", {"name": "renew", "url": "http://127.0.0.1:9/"})
    secrets = client("secretsmanager")
    # boto3 generates a missing token; a raw request has none.
    secrets.meta.events.register(
        "before-call.secretsmanager.*",
        lambda params, **_: params.update(
            body=json.dumps({k: v for k, v in json.loads(params["body"]).items() if k != "ClientRequestToken"}).encode()
        ),
    )
    parameters = {
        "create_secret": {"Name": "new", "SecretString": "x"},
        "rotate_secret": {"SecretId": "web", "RotationLambdaARN": FUNCTION},
    }
    with refused(secrets, code) as caught:
        getattr(secrets, operation)(**parameters.get(operation, {"SecretId": "web", "SecretString": "x"}))
    text = "You must provide a ClientRequestToken value. We recommend a UUID-type value."
    assert caught.value.response["Error"]["Message"] == text
    secrets.create_secret(Name="empty")
    secrets.update_secret(SecretId="web", Description="only a value needs a token")


def test_deleted_secret_can_be_restored_in_recovery_window(secrets, server, web):
    deleted = secrets.delete_secret(SecretId="web", RecoveryWindowInDays=7)
    assert deleted["ARN"] == web
    with refused(secrets, "InvalidRequestException"):
        value(secrets)
    assert "DeletedDate" in secrets.describe_secret(SecretId="web")
    assert secrets.list_secrets()["SecretList"] == []
    assert len(secrets.list_secrets(IncludePlannedDeletion=True)["SecretList"]) == 1
    server.advance("144h")
    assert secrets.restore_secret(SecretId="web")["ARN"] == web
    assert value(secrets) == "one"
    secrets.delete_secret(SecretId="web", RecoveryWindowInDays=7)
    server.advance("169h")
    with refused(secrets, "ResourceNotFoundException"):
        secrets.describe_secret(SecretId="web")
    assert secrets.create_secret(Name="web")["ARN"] != web
    secrets.delete_secret(SecretId="web", ForceDeleteWithoutRecovery=True)
    assert secrets.delete_secret(SecretId="web", ForceDeleteWithoutRecovery=True)["Name"] == "web"


def test_list_secrets_filters_and_pagination(secrets):
    for n in range(7):
        secrets.create_secret(Name=f"web/{n}", Description="of the shop", Tags=[{"Key": "n", "Value": str(n)}])
    secrets.create_secret(Name="ops")
    pages = list(secrets.get_paginator("list_secrets").paginate(PaginationConfig={"PageSize": 3}))
    assert [len(page["SecretList"]) for page in pages] == [3, 3, 2]
    names = lambda **how: [secret["Name"] for secret in secrets.list_secrets(**how)["SecretList"]]
    assert names(Filters=[{"Key": "name", "Values": ["ops", "web/1"]}]) == ["web/1", "ops"]
    assert names(Filters=[{"Key": "description", "Values": ["SHOP"]}, {"Key": "tag-value", "Values": ["5"]}]) == ["web/5"]
    assert names(SortBy="name", SortOrder="desc")[:2] == ["web/6", "web/5"]
    with refused(secrets, "InvalidNextTokenException"):
        secrets.list_secrets(NextToken="made up")


def test_batch_get_secret_value_reports_errors(secrets, web):
    secrets.create_secret(Name="empty")
    read = secrets.batch_get_secret_value(SecretIdList=["web", "none", "empty"])
    assert [entry["SecretString"] for entry in read["SecretValues"]] == ["one"]
    codes = {error["SecretId"]: error["ErrorCode"] for error in read["Errors"]}
    assert codes == {"none": "ResourceNotFoundException", "empty": "ResourceNotFoundException"}
    found = secrets.batch_get_secret_value(Filters=[{"Key": "name", "Values": ["web"]}])
    assert [entry["Name"] for entry in found["SecretValues"]] == ["web"]


def test_resource_policies(secrets, web):
    assert "ResourcePolicy" not in secrets.get_resource_policy(SecretId="web")
    secrets.put_resource_policy(SecretId="web", ResourcePolicy=NARROW, BlockPublicPolicy=True)
    assert secrets.get_resource_policy(SecretId="web")["ResourcePolicy"] == NARROW
    with refused(secrets, "PublicPolicyException"):
        secrets.put_resource_policy(SecretId="web", ResourcePolicy=PUBLIC, BlockPublicPolicy=True)
    with refused(secrets, "MalformedPolicyDocumentException"):
        secrets.put_resource_policy(SecretId="web", ResourcePolicy="{}")
    assert secrets.validate_resource_policy(ResourcePolicy=NARROW)["PolicyValidationPassed"] is True
    assert secrets.validate_resource_policy(ResourcePolicy=PUBLIC)["PolicyValidationPassed"] is False
    secrets.delete_resource_policy(SecretId="web")
    assert "ResourcePolicy" not in secrets.get_resource_policy(SecretId="web")


def test_resource_policy_allows_another_account(secrets, client):
    other = client("secretsmanager", account="210987654321")
    key = create_alias(client, "alias/shared")
    arn = secrets.create_secret(Name="shared", SecretString="one", KmsKeyId=key)["ARN"]
    user = "User: arn:aws:iam::210987654321:root is not authorized to perform: secretsmanager:GetSecretValue"
    with refused(other, "AccessDeniedException", modeled=False) as caught:
        value(other, arn)
    assert caught.value.response["Error"]["Message"] == (
        f"{user} on resource: {arn} because no resource-based policy allows the secretsmanager:GetSecretValue action"
    )
    secrets.put_resource_policy(SecretId="shared", ResourcePolicy=NARROW.replace("123456789012", "210987654321"))
    assert value(other, arn) == "one"
    with refused(other, "AccessDeniedException", modeled=False):
        other.put_secret_value(SecretId=arn, SecretString="two")


def test_random_password(secrets):
    made = secrets.get_random_password(PasswordLength=20, ExcludePunctuation=True)["RandomPassword"]
    assert len(made) == 20 and made.isalnum()
    with refused(secrets, "InvalidParameterException"):
        secrets.get_random_password(PasswordLength=3)


def test_tag_and_untag_resource(secrets, web):
    secrets.tag_resource(SecretId="web", Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    secrets.untag_resource(SecretId="web", TagKeys=["a"])
    assert secrets.describe_secret(SecretId="web")["Tags"] == [{"Key": "b", "Value": "2"}]
    secrets.untag_resource(SecretId="web", TagKeys=["b"])
    assert secrets.describe_secret(SecretId="web")["Tags"] == []
    secrets.create_secret(Name="untagged")
    assert "Tags" not in secrets.describe_secret(SecretId="untagged")
    with refused(secrets, "InvalidParameterException"):
        secrets.tag_resource(SecretId="web", Tags=[{"Key": "aws:x", "Value": "1"}])


def test_replication_until_promotion(secrets, client, web):
    there = client("secretsmanager", region="eu-west-1")
    begun = secrets.replicate_secret_to_regions(SecretId="web", AddReplicaRegions=[{"Region": "eu-west-1"}])
    assert begun["ReplicationStatus"][0]["Status"] == "InProgress"
    [status] = secrets.describe_secret(SecretId="web")["ReplicationStatus"]
    assert (status["Status"], status["Region"]) == ("InSync", "eu-west-1")
    assert status["KmsKeyId"] == "alias/aws/secretsmanager"
    secrets.put_secret_value(SecretId="web", SecretString="two")
    assert value(there) == "two"
    assert there.describe_secret(SecretId="web")["PrimaryRegion"] == "us-east-1"
    with refused(there, "InvalidParameterException"):
        there.put_secret_value(SecretId="web", SecretString="x")
    with refused(secrets, "InvalidParameterException"):
        secrets.delete_secret(SecretId="web")
    there.stop_replication_to_replica(SecretId="web")
    there.put_secret_value(SecretId="web", SecretString="own")
    assert (value(secrets), value(there)) == ("two", "own")
    secrets.delete_secret(SecretId="web", ForceDeleteWithoutRecovery=True)


class RotationFunction(http.server.BaseHTTPRequestHandler):
    """A rotation function like the provider's templates."""

    client, steps, fail = None, [], 0

    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind = type(self)
        kind.steps.append(event["Step"])
        try:
            if kind.fail > 0:
                kind.fail -= 1
                raise RuntimeError("not now")
            self.execute_step(event["SecretId"], event["ClientRequestToken"], event["Step"])
            status = 200
        except Exception:
            status = 500
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def execute_step(self, arn, token, step):
        client = type(self).client
        described = client.describe_secret(SecretId=arn)
        assert described["RotationEnabled"]
        stages = described["VersionIdsToStages"][token]
        if "AWSCURRENT" in stages:
            return
        assert "AWSPENDING" in stages
        if step == "createSecret":
            client.get_secret_value(SecretId=arn, VersionStage="AWSCURRENT")
            try:
                client.get_secret_value(SecretId=arn, VersionId=token, VersionStage="AWSPENDING")
            except client.exceptions.ResourceNotFoundException:
                put = {"ClientRequestToken": token, "VersionStages": ["AWSPENDING"]}
                client.put_secret_value(SecretId=arn, SecretString="rotated", **put)
        elif step == "finishSecret":
            [current] = [key for key, labels in described["VersionIdsToStages"].items() if "AWSCURRENT" in labels]
            moved = {"MoveToVersionId": token, "RemoveFromVersionId": current}
            client.update_secret_version_stage(SecretId=arn, VersionStage="AWSCURRENT", **moved)

    def log_message(self, *_):
        pass


@pytest.fixture
def function(server, secrets):
    """Starts a rotation function and registers it with the server."""
    kind = type("Function", (RotationFunction,), {"client": secrets, "steps": []})
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{listening.server_address[1]}/"
    server.control("functions", {"name": "renew", "url": url})
    yield kind
    listening.shutdown()


FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function:renew"
STEPS = ["createSecret", "setSecret", "testSecret", "finishSecret"]


def eventually(check):
    """Repeats a check until it holds: the server calls functions beside its calls."""
    end = time.monotonic() + HANG
    while True:
        try:
            return check()
        except (AssertionError, KeyError):
            if time.monotonic() > end:
                raise


def test_rotation_function_is_called_in_four_steps(secrets, web, function):
    made = secrets.rotate_secret(SecretId="web", RotationLambdaARN=FUNCTION, RotationRules={"AutomaticallyAfterDays": 30})

    def describe_rotated():
        described = secrets.describe_secret(SecretId="web")
        assert described["LastRotatedDate"]
        return described

    described = eventually(describe_rotated)
    assert value(secrets) == "rotated"
    assert function.steps == STEPS
    assert (described["RotationEnabled"], described["RotationLambdaARN"]) == (True, FUNCTION)
    assert described["VersionIdsToStages"][made["VersionId"]] == ["AWSCURRENT", "AWSPENDING"]
    assert described["NextRotationDate"] > described["LastRotatedDate"]
    assert secrets.cancel_rotate_secret(SecretId="web")["ARN"] == web
    assert "NextRotationDate" not in secrets.describe_secret(SecretId="web")


def test_failed_rotation_step_is_retried(secrets, server, web, function):
    function.fail = 2
    secrets.rotate_secret(SecretId="web", RotationLambdaARN=FUNCTION)
    assert value(secrets) == "one"
    with refused(secrets, "InvalidRequestException"):
        secrets.rotate_secret(SecretId="web")

    def is_rotated():
        server.advance("1h")
        assert value(secrets) == "rotated"

    eventually(is_rotated)
    assert function.steps == ["createSecret"] * 2 + STEPS


REFUSED = [
    ("create_secret", {"Name": "web"}, "ResourceExistsException"),
    ("create_secret", {"Name": "new", "SecretString": "a", "SecretBinary": b"b"}, "InvalidParameterException"),
    ("create_secret", {"Name": "new", "SecretString": "ä" * 32769}, "InvalidParameterException"),
    ("describe_secret", {"SecretId": "none"}, "ResourceNotFoundException"),
    ("get_secret_value", {"SecretId": "none"}, "ResourceNotFoundException"),
    ("get_secret_value", {"SecretId": "web", "VersionStage": "none"}, "ResourceNotFoundException"),
    ("put_secret_value", {"SecretId": "web"}, "InvalidRequestException"),
    ("delete_secret", {"SecretId": "web", "RecoveryWindowInDays": 6}, "InvalidParameterException"),
    (
        "delete_secret",
        {"SecretId": "web", "RecoveryWindowInDays": 7, "ForceDeleteWithoutRecovery": True},
        "InvalidParameterException",
    ),
    ("delete_secret", {"SecretId": "none"}, "ResourceNotFoundException"),
    ("rotate_secret", {"SecretId": "web"}, "InvalidRequestException"),
    ("cancel_rotate_secret", {"SecretId": "web"}, "InvalidRequestException"),
    ("stop_replication_to_replica", {"SecretId": "web"}, "InvalidRequestException"),
    ("batch_get_secret_value", {}, "InvalidParameterException"),
]


@pytest.mark.parametrize(("operation", "parameters", "code"), REFUSED)
def test_error_codes(client, web, server, operation, parameters, code):
    secrets = client("secretsmanager", checked=False)
    before = server.control("state")
    with refused(secrets, code):
        getattr(secrets, operation)(**parameters)
    assert server.control("state") == before, "a refused request must change nothing"


INVALID_NAME = (
    "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!"
)
VIOLATION = "1 validation error detected: Value {} failed to satisfy constraint: Member must have {}"

VALIDATION = [
    ("create_secret", {"Name": "a b"}, INVALID_NAME),
    ("get_secret_value", {"SecretId": "a b"}, INVALID_NAME),
    ("rotate_secret", {"SecretId": "{{resolve}}"}, INVALID_NAME),
    (
        "create_secret",
        {"Name": "new", "SecretString": "x" * 65537},
        VIOLATION.format("at 'secretString'", "length less than or equal to 65536"),
    ),
    (
        "get_secret_value",
        {"SecretId": "web", "VersionId": "short"},
        VIOLATION.format("'short' at 'versionId'", "length greater than or equal to 32"),
    ),
    ("list_secrets", {"MaxResults": 0}, VIOLATION.format("'0' at 'maxResults'", "value greater than or equal to 1")),
]


@pytest.mark.parametrize(("operation", "parameters", "message"), VALIDATION)
def test_validation_errors(client, web, operation, parameters, message):
    secrets = client("secretsmanager", checked=False)
    with refused(secrets, "ValidationException", modeled=False) as caught:
        getattr(secrets, operation)(**parameters)
    assert caught.value.response["Error"]["Message"] == message


def test_error_codes_missing_in_the_model(secrets, web):
    with refused(secrets, "AccessDeniedException", modeled=False):
        secrets.rotate_secret(SecretId="web", RotationLambdaARN=FUNCTION.replace("renew", "unknown"))
