import boto3
import nephos


def test_clients_resources_and_sessions():
    cloud = nephos.Cloud()
    cloud.client("logs").create_log_group(logGroupName="/web")
    vpc = cloud.resource("ec2").create_vpc(CidrBlock="10.0.0.0/16")
    session = cloud.boto3_session(region_name="eu-west-1")  # a boto3.Session, for code that takes one
    assert vpc.id not in [found.id for found in session.resource("ec2").vpcs.all()]

    fork = cloud.fork()  # goes its own way
    fork.client("logs").delete_log_group(logGroupName="/web")
    assert len(cloud.client("logs").describe_log_groups()["logGroups"]) == 1


def test_other_accounts_and_roles():
    cloud = nephos.Cloud()
    trust = '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}}'
    ops = cloud.client("iam", account="210987654321").create_role(RoleName="ops", AssumeRolePolicyDocument=trust)
    caller = cloud.client("sts", role_arn=ops["Role"]["Arn"]).get_caller_identity()
    assert caller["Arn"] == "arn:aws:sts::210987654321:assumed-role/ops/nephos"


def test_other_clients_are_as_before():
    """Only the clients of a cloud reach it; nothing of boto3 is patched."""
    cloud = nephos.Cloud()
    other = boto3.client("logs", region_name="us-east-1", endpoint_url="http://127.0.0.1:1")
    assert type(other._endpoint.http_session) is not type(cloud.client("logs")._endpoint.http_session)
