"""Secrets through boto3."""

import datetime
import http.server
import json
import threading

import pytest
from asserting import refused

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


def value(secrets, name="web", **which):
    return secrets.get_secret_value(SecretId=name, **which)["SecretString"]


def test_a_secret_is_as_it_was_created(secrets):
    tags = [{"Key": "team", "Value": "web"}]
    made = secrets.create_secret(Name="web/db", SecretString="hunter2", Description="d", KmsKeyId="alias/k", Tags=tags)
    assert made["ARN"].startswith(ARN + "web/db-") and len(made["ARN"]) == len(ARN + "web/db-") + 6
    told = secrets.describe_secret(SecretId="web/db")
    assert (told["ARN"], told["Name"], told["Description"]) == (made["ARN"], "web/db", "d")
    assert (told["KmsKeyId"], told["Tags"]) == ("alias/k", tags)
    assert told["VersionIdsToStages"] == {made["VersionId"]: ["AWSCURRENT"]}
    assert isinstance(told["CreatedDate"], datetime.datetime)
    assert "DeletedDate" not in told and "LastAccessedDate" not in told
    got = secrets.get_secret_value(SecretId=made["ARN"])
    assert (got["SecretString"], got["VersionStages"], got["VersionId"]) == ("hunter2", ["AWSCURRENT"], made["VersionId"])
    accessed = secrets.describe_secret(SecretId="web/db")["LastAccessedDate"]
    assert accessed.astimezone(datetime.timezone.utc).time() == datetime.time(0)
    [listed] = secrets.list_secrets()["SecretList"]
    assert listed["SecretVersionsToStages"] == told["VersionIdsToStages"]


def test_bytes_come_back_as_bytes(secrets):
    secrets.create_secret(Name="bytes", SecretBinary=bytes(range(256)))
    got = secrets.get_secret_value(SecretId="bytes")
    assert got["SecretBinary"] == bytes(range(256)) and "SecretString" not in got


def test_labels_move(secrets, web):
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


def test_the_same_token_is_one_version(secrets, web):
    put = {"SecretId": "web", "ClientRequestToken": TOKENS[2]}
    assert secrets.put_secret_value(SecretString="two", **put)["VersionId"] == TOKENS[2]
    assert secrets.put_secret_value(SecretString="two", **put)["VersionId"] == TOKENS[2]
    with refused(secrets, "ResourceExistsException"):
        secrets.put_secret_value(SecretString="three", **put)
    again = secrets.create_secret(Name="new", SecretString="x", ClientRequestToken=TOKENS[4])
    assert secrets.create_secret(Name="new", SecretString="x", ClientRequestToken=TOKENS[4])["ARN"] == again["ARN"]


def test_a_deleted_secret_can_be_restored_for_a_while(secrets, server, web):
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


def test_secrets_are_listed_filtered_and_paged(secrets):
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


def test_a_batch_tells_what_it_could_not_read(secrets, web):
    secrets.create_secret(Name="empty")
    read = secrets.batch_get_secret_value(SecretIdList=["web", "none", "empty"])
    assert [entry["SecretString"] for entry in read["SecretValues"]] == ["one"]
    codes = {error["SecretId"]: error["ErrorCode"] for error in read["Errors"]}
    assert codes == {"none": "ResourceNotFoundException", "empty": "ResourceNotFoundException"}
    found = secrets.batch_get_secret_value(Filters=[{"Key": "name", "Values": ["web"]}])
    assert [entry["Name"] for entry in found["SecretValues"]] == ["web"]


def test_policies_are_put_and_checked(secrets, web):
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


def test_passwords_are_made_up(secrets):
    made = secrets.get_random_password(PasswordLength=20, ExcludePunctuation=True)["RandomPassword"]
    assert len(made) == 20 and made.isalnum()
    with refused(secrets, "InvalidParameterException"):
        secrets.get_random_password(PasswordLength=3)


def test_tags_are_put_and_taken_off(secrets, web):
    secrets.tag_resource(SecretId="web", Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    secrets.untag_resource(SecretId="web", TagKeys=["a"])
    assert secrets.describe_secret(SecretId="web")["Tags"] == [{"Key": "b", "Value": "2"}]
    with refused(secrets, "InvalidParameterException"):
        secrets.tag_resource(SecretId="web", Tags=[{"Key": "aws:x", "Value": "1"}])


def test_a_replica_follows_its_primary_until_it_is_promoted(secrets, client, web):
    there = client("secretsmanager", region="eu-west-1")
    begun = secrets.replicate_secret_to_regions(SecretId="web", AddReplicaRegions=[{"Region": "eu-west-1"}])
    assert begun["ReplicationStatus"][0]["Status"] == "InProgress"
    [status] = secrets.describe_secret(SecretId="web")["ReplicationStatus"]
    assert (status["Status"], status["Region"]) == ("InSync", "eu-west-1")
    secrets.put_secret_value(SecretId="web", SecretString="two")
    assert value(there) == "two"
    assert there.describe_secret(SecretId="web")["PrimaryRegion"] == "us-east-1"
    with refused(there, "InvalidRequestException"):
        there.put_secret_value(SecretId="web", SecretString="x")
    with refused(secrets, "InvalidRequestException"):
        secrets.delete_secret(SecretId="web")
    there.stop_replication_to_replica(SecretId="web")
    there.put_secret_value(SecretId="web", SecretString="own")
    assert (value(secrets), value(there)) == ("two", "own")
    secrets.delete_secret(SecretId="web", ForceDeleteWithoutRecovery=True)


class RotationFunction(http.server.BaseHTTPRequestHandler):
    """A rotation function like the provider's templates."""

    client, told, fail = None, [], 0

    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind = type(self)
        kind.told.append(event["Step"])
        try:
            if kind.fail > 0:
                kind.fail -= 1
                raise RuntimeError("not now")
            self.carry_out(event["SecretId"], event["ClientRequestToken"], event["Step"])
            status = 200
        except Exception:
            status = 500
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def carry_out(self, arn, token, step):
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
    kind = type("Function", (RotationFunction,), {"client": secrets, "told": []})
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{listening.server_address[1]}/"
    server.control("functions", {"name": "renew", "url": url})
    yield kind
    listening.shutdown()


FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function:renew"
STEPS = ["createSecret", "setSecret", "testSecret", "finishSecret"]


def test_a_function_rotates_a_secret_in_four_steps(secrets, web, function):
    made = secrets.rotate_secret(SecretId="web", RotationLambdaARN=FUNCTION, RotationRules={"AutomaticallyAfterDays": 30})
    assert value(secrets) == "rotated"
    assert function.told == STEPS
    told = secrets.describe_secret(SecretId="web")
    assert (told["RotationEnabled"], told["RotationLambdaARN"]) == (True, FUNCTION)
    assert told["VersionIdsToStages"][made["VersionId"]] == ["AWSCURRENT"]
    assert told["NextRotationDate"] > told["LastRotatedDate"]
    assert secrets.cancel_rotate_secret(SecretId="web")["ARN"] == web
    assert "NextRotationDate" not in secrets.describe_secret(SecretId="web")


def test_a_failed_step_is_tried_again(secrets, server, web, function):
    function.fail = 2
    secrets.rotate_secret(SecretId="web", RotationLambdaARN=FUNCTION)
    assert value(secrets) == "one"
    with refused(secrets, "InvalidRequestException"):
        secrets.rotate_secret(SecretId="web")
    server.advance("1h")
    assert value(secrets) == "rotated"
    assert function.told == ["createSecret"] * 2 + STEPS


REFUSED = [
    ("create_secret", {"Name": "web"}, "ResourceExistsException"),
    ("create_secret", {"Name": "new", "SecretString": "a", "SecretBinary": b"b"}, "InvalidParameterException"),
    ("create_secret", {"Name": "new", "SecretString": "x" * 65537}, "InvalidParameterException"),
    ("describe_secret", {"SecretId": "none"}, "ResourceNotFoundException"),
    ("get_secret_value", {"SecretId": "none"}, "ResourceNotFoundException"),
    ("get_secret_value", {"SecretId": "web", "VersionStage": "none"}, "ResourceNotFoundException"),
    ("put_secret_value", {"SecretId": "web"}, "InvalidParameterException"),
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
def test_what_cannot_be_is_refused(client, web, server, operation, parameters, code):
    secrets = client("secretsmanager", checked=False)
    before = server.control("state")
    with refused(secrets, code):
        getattr(secrets, operation)(**parameters)
    assert server.control("state") == before, "a refused request must change nothing"


def test_codes_that_the_model_does_not_have(secrets, web):
    with refused(secrets, "ValidationException", modeled=False):
        secrets.create_secret(Name="a b")
    with refused(secrets, "AccessDeniedException", modeled=False):
        secrets.rotate_secret(SecretId="web", RotationLambdaARN=FUNCTION.replace("renew", "unknown"))
