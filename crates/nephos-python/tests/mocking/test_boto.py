"""boto3 clients, resources and sessions of a cloud: they reach it without a socket, and know nothing of the environment."""

import concurrent.futures
import io
import json

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from nephos.boto import UnsupportedService

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::123456789012:root"}, "Action": "sts:AssumeRole"}],
}

#: A service of each protocol, with an operation that needs no parameters and the member that it returns.
PROTOCOLS = [
    ("logs", "describe_log_groups", "logGroups"),  # JSON 1.1
    ("schemas", "list_registries", "Registries"),  # REST and JSON
    ("iam", "list_users", "Users"),  # forms and XML
    ("ec2", "describe_vpcs", "Vpcs"),  # forms and XML of EC2
]


@pytest.mark.parametrize(("service", "operation", "member"), PROTOCOLS, ids=[p[0] for p in PROTOCOLS])
def test_a_client_of_each_protocol_is_answered(memory, service, operation, member):
    answer = getattr(memory.client(service), operation)()
    assert isinstance(answer[member], list)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert answer["ResponseMetadata"]["RequestId"]


def test_clients_of_a_cloud_share_its_state_and_no_other(memory, names):
    memory.client("logs").create_log_group(logGroupName="/a")
    fork = memory.fork()
    fork.client("logs").create_log_group(logGroupName="/b")
    assert names(memory.client("logs")) == ["/a"]
    assert names(fork.client("logs")) == ["/a", "/b"]


def test_a_session_makes_clients_and_resources(memory):
    session = memory.boto3_session(region_name="eu-west-1")
    vpc = session.resource("ec2").create_vpc(CidrBlock="10.0.0.0/16")
    assert vpc.create_subnet(CidrBlock="10.0.1.0/24").vpc_id == vpc.id
    ids = [found["VpcId"] for found in memory.client("ec2", region_name="eu-west-1").describe_vpcs()["Vpcs"]]
    assert vpc.id in ids
    assert vpc.id not in [found.id for found in memory.resource("ec2").vpcs.all()]


def test_credentials_of_the_user_are_never_used(memory, monkeypatch):
    with monkeypatch.context() as change:
        change.setenv("AWS_PROFILE", "absent")
        assert memory.boto3_session().client("sts").get_caller_identity()["Account"] == "123456789012"
    client = memory.client("sts")
    assert client.get_caller_identity()["Account"] == "123456789012"
    keys = memory.boto3_session().get_credentials()
    assert (keys.access_key, keys.token) == ("123456789012", None)
    assert client.meta.endpoint_url.endswith("amazonaws.com")


def test_an_account_calls_by_its_number_and_by_its_key(memory):
    assert memory.client("sts", account="210987654321").get_caller_identity()["Account"] == "210987654321"
    by_key = memory.client("sts", aws_access_key_id="210987654321", aws_secret_access_key="x")
    assert by_key.get_caller_identity()["Account"] == "210987654321"
    with pytest.raises(ValueError, match="twelve digits"):
        memory.client("sts", account="12")
    with pytest.raises(ValueError, match="leave out account"):
        memory.client("sts", account="210987654321", aws_access_key_id="1", aws_secret_access_key="x")


def test_a_role_calls(memory):
    role = memory.client("iam").create_role(RoleName="reader", AssumeRolePolicyDocument=json.dumps(TRUST))["Role"]["Arn"]
    expected = "arn:aws:sts::123456789012:assumed-role/reader/nephos"
    assert memory.client("sts", role_arn=role).get_caller_identity()["Arn"] == expected
    assert memory.boto3_session(role_arn=role).client("sts").get_caller_identity()["Arn"] == expected


def test_errors_are_those_of_the_service(memory):
    logs = memory.client("logs")
    with pytest.raises(logs.exceptions.ResourceNotFoundException):
        logs.delete_log_group(logGroupName="/absent")
    with pytest.raises(ClientError) as refused:
        memory.client("iam").get_user(UserName="absent")
    assert refused.value.response["Error"]["Code"] == "NoSuchEntity"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 404


def test_paginators_and_waiters_end(memory):
    logs = memory.client("logs")
    for number in range(7):
        logs.create_log_group(logGroupName=f"/{number}")
    pages = logs.get_paginator("describe_log_groups").paginate(PaginationConfig={"PageSize": 3})
    assert [len(page["logGroups"]) for page in pages] == [3, 3, 1]
    rds = memory.client("rds")
    rds.create_db_instance(
        DBInstanceIdentifier="db",
        DBInstanceClass="db.t3.micro",
        Engine="postgres",
        MasterUsername="root",
        MasterUserPassword="hunter22",
        AllocatedStorage=20,
    )
    rds.get_waiter("db_instance_available").wait(DBInstanceIdentifier="db", WaiterConfig={"Delay": 0, "MaxAttempts": 3})


def test_bodies_are_bytes_texts_and_files(memory):
    ecr = memory.client("ecr")
    ecr.create_repository(repositoryName="web")
    upload = ecr.initiate_layer_upload(repositoryName="web")["uploadId"]
    part = {"repositoryName": "web", "uploadId": upload, "partFirstByte": 0, "partLastByte": 4}
    assert ecr.upload_layer_part(**part, layerPartBlob=b"layer")["lastByteReceived"] == 4

    def send_as_file(request, **named):
        request.data = io.BytesIO(request.data)

    logs = memory.client("logs")
    logs.meta.events.register("request-created.cloudwatch-logs", send_as_file)
    logs.create_log_group(logGroupName="/file")
    assert logs.describe_log_groups()["logGroups"][0]["logGroupName"] == "/file"


def test_a_streamed_answer_is_read_in_parts(memory):
    from botocore.awsrequest import AWSPreparedRequest, HeadersDict
    from botocore.response import StreamingBody

    from nephos import boto_session

    request = AWSPreparedRequest("GET", "https://example.com/", HeadersDict(), None, stream_output=True)
    response = boto_session.to_response(request, 200, [("content-length", "5")], b"layer")
    body = StreamingBody(response.raw, response.headers["Content-Length"])
    assert body.read(2) == b"la"
    assert b"".join(body.iter_chunks(2)) == b"yer"
    assert list(boto_session.RawBody(b"layer").stream(2)) == [b"la", b"ye", b"r"]


def test_requests_are_repeated_as_configured(memory):
    """A handler of the user answers the first attempt; botocore asks the cloud for the second."""
    from nephos import boto_session

    attempts = []

    def fail_once(request, **named):
        attempts.append(request)
        if len(attempts) == 1:
            return boto_session.to_response(request, 500, {}, b'{"__type": "InternalFailure"}')

    logs = memory.client("logs", config=Config(retries={"total_max_attempts": 2, "mode": "standard"}))
    logs.meta.events.register("before-send.cloudwatch-logs.DescribeLogGroups", fail_once)
    logs.meta.events.register_first("needs-retry.cloudwatch-logs.DescribeLogGroups", lambda **named: 0 if len(attempts) == 1 else None)
    answer = logs.describe_log_groups()
    assert (len(attempts), answer["ResponseMetadata"]["RetryAttempts"]) == (2, 1)


def test_threads_share_a_client(memory, names):
    logs = memory.client("logs")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: logs.create_log_group(logGroupName=f"/{number:03}"), range(100)))
    pages = logs.get_paginator("describe_log_groups").paginate()
    assert sum(len(page["logGroups"]) for page in pages) == 100


def test_threads_make_clients(memory):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        clients = list(pool.map(memory.client, ["logs", "iam", "kms", "sts", "ecr", "ecs", "rds", "events"] * 2))
    assert len({client.meta.service_model.service_name for client in clients}) == 8


def test_services_that_are_not_here_are_refused_by_name(memory):
    with pytest.raises(UnsupportedService, match=r"the service 's3' is not in this cloud \(GET https://s3.amazonaws.com/\)") as refused:
        memory.client("s3").list_buckets()
    assert refused.value.service == "s3"
    with pytest.raises(UnsupportedService, match="dynamodb"):
        memory.client("dynamodb").list_tables()


def test_clients_of_others_are_as_before(memory):
    """Only the clients of the cloud have its HTTP session."""
    memory.client("logs")
    other = boto3.Session(aws_access_key_id="a", aws_secret_access_key="b", region_name="us-east-1").client(
        "logs", endpoint_url="http://127.0.0.1:1"
    )
    assert type(other._endpoint.http_session).__name__ == "URLLib3Session"
