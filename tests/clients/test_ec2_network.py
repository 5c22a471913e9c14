"""EC2 networks and instances through boto3 and the AWS CLI."""

import pytest
from asserting import refused
from botocore.exceptions import WaiterError

IMAGE = {"ImageId": "ami-12345678", "MinCount": 1, "MaxCount": 1}
ANYWHERE = [{"CidrIp": "0.0.0.0/0"}]


@pytest.fixture
def ec2(client):
    return client("ec2")


def list_all(client, operation, key, **params):
    """Returns the items of all pages."""
    pages = client.get_paginator(operation).paginate(**params)
    return [item for page in pages for item in page[key]]


def instances(ec2, **params):
    found = list_all(ec2, "describe_instances", "Reservations", **params)
    return [instance for reservation in found for instance in reservation["Instances"]]


def allow_tcp(port):
    return {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, "IpRanges": ANYWHERE}


def test_every_account_and_region_has_a_default_vpc(client):
    seen = set()
    for account, region, zone in [
        ("123456789012", "us-east-1", "use1-az1"),
        ("210987654321", "us-east-1", "use1-az1"),
        ("123456789012", "eu-west-1", "euw1-az1"),
    ]:
        ec2 = client("ec2", account=account, region=region)
        [vpc] = ec2.describe_vpcs()["Vpcs"]
        assert (vpc["CidrBlock"], vpc["IsDefault"], vpc["State"], vpc["OwnerId"]) == ("172.31.0.0/16", True, "available", account)
        subnets = sorted(ec2.describe_subnets()["Subnets"], key=lambda subnet: subnet["AvailabilityZone"])
        assert [subnet["CidrBlock"] for subnet in subnets] == ["172.31.0.0/20", "172.31.16.0/20", "172.31.32.0/20"]
        assert [subnet["AvailabilityZone"] for subnet in subnets] == [region + letter for letter in "abc"]
        assert subnets[0]["AvailabilityZoneId"] == zone
        assert {(subnet["VpcId"], subnet["AvailableIpAddressCount"]) for subnet in subnets} == {(vpc["VpcId"], 4091)}
        [group] = ec2.describe_security_groups()["SecurityGroups"]
        assert (group["GroupName"], group["VpcId"]) == ("default", vpc["VpcId"])
        [allowed] = group["IpPermissions"]
        assert allowed["UserIdGroupPairs"] == [{"UserId": account, "GroupId": group["GroupId"]}]
        assert [permission["IpRanges"] for permission in group["IpPermissionsEgress"]] == [ANYWHERE]
        assert ec2.describe_instances()["Reservations"] == []
        zones = ec2.describe_availability_zones()["AvailabilityZones"]
        assert [(each["ZoneName"], each["State"]) for each in zones] == [(region + letter, "available") for letter in "abc"]
        seen |= {vpc["VpcId"], group["GroupId"], *(subnet["SubnetId"] for subnet in subnets)}
    assert len(seen) == 15
    assert "us-east-1" in [region["RegionName"] for region in ec2.describe_regions()["Regions"]]


def test_vpc_and_subnet_lifecycle(ec2):
    tags = [{"Key": "Name", "Value": "mine"}]
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=[{"ResourceType": "vpc", "Tags": tags}])["Vpc"]
    assert (vpc["State"], vpc["Tags"]) == ("pending", tags)
    vpc = vpc["VpcId"]
    ec2.get_waiter("vpc_available").wait(VpcIds=[vpc])
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.1.0/24", AvailabilityZone="us-east-1b")["Subnet"]
    assert (subnet["State"], subnet["AvailableIpAddressCount"]) == ("pending", 251)
    ec2.get_waiter("subnet_available").wait(SubnetIds=[subnet["SubnetId"]])
    [found] = ec2.describe_vpcs(Filters=[{"Name": "tag:Name", "Values": ["m*"]}])["Vpcs"]
    assert found["VpcId"] == vpc
    [found] = ec2.describe_subnets(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["Subnets"]
    assert found["SubnetId"] == subnet["SubnetId"]
    with refused(ec2, "DependencyViolation", modeled=False):
        ec2.delete_vpc(VpcId=vpc)
    ec2.delete_subnet(SubnetId=subnet["SubnetId"])
    ec2.delete_vpc(VpcId=vpc)
    assert [found["IsDefault"] for found in ec2.describe_vpcs()["Vpcs"]] == [True]


def test_security_group_rules(ec2):
    group = ec2.create_security_group(GroupName="web", Description="web servers")
    ec2.get_waiter("security_group_exists").wait(GroupIds=[group["GroupId"]])
    inside = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "UserIdGroupPairs": [{"GroupId": group["GroupId"]}]}
    made = ec2.authorize_security_group_ingress(GroupId=group["GroupId"], IpPermissions=[allow_tcp(80), inside])
    assert [rule["FromPort"] for rule in made["SecurityGroupRules"]] == [80, 22]
    ec2.authorize_security_group_ingress(GroupName="web", IpProtocol="6", FromPort=443, ToPort=443, CidrIp="10.1.2.3/8")
    with refused(ec2, "InvalidPermission.Duplicate", modeled=False):
        ec2.authorize_security_group_ingress(GroupId=group["GroupId"], IpPermissions=[allow_tcp(80)])
    [found] = ec2.describe_security_groups(GroupNames=["web"])["SecurityGroups"]
    assert [permission["FromPort"] for permission in found["IpPermissions"]] == [80, 22, 443]
    assert found["IpPermissions"][2]["IpRanges"] == [{"CidrIp": "10.0.0.0/8"}]
    # Permissions can be revoked in the form in which they are described.
    revoked = ec2.revoke_security_group_ingress(GroupId=group["GroupId"], IpPermissions=found["IpPermissions"])
    assert revoked["Return"] and len(revoked["RevokedSecurityGroupRules"]) == 3
    # The group is in the default VPC, where unknown permissions are returned.
    unknown = ec2.revoke_security_group_ingress(GroupId=group["GroupId"], IpPermissions=[allow_tcp(80)])
    assert unknown["UnknownIpPermissions"][0]["FromPort"] == 80
    out = ec2.authorize_security_group_egress(GroupId=group["GroupId"], IpPermissions=[allow_tcp(25)])["SecurityGroupRules"]
    ec2.revoke_security_group_egress(GroupId=group["GroupId"], SecurityGroupRuleIds=[out[0]["SecurityGroupRuleId"]])
    assert ec2.delete_security_group(GroupName="web")["GroupId"] == group["GroupId"]
    with refused(ec2, "CannotDelete", modeled=False):
        ec2.delete_security_group(GroupName="default")


def test_instance_lifecycle(ec2, server):
    ran = ec2.run_instances(**IMAGE | {"MaxCount": 3}, InstanceType="t3.micro", KeyName="mine")
    ids = [instance["InstanceId"] for instance in ran["Instances"]]
    assert [instance["State"] for instance in ran["Instances"]] == [{"Code": 0, "Name": "pending"}] * 3
    assert [instance["PrivateIpAddress"] for instance in ran["Instances"]] == ["172.31.0.4", "172.31.0.5", "172.31.0.6"]
    for waiter in ["instance_exists", "instance_running"]:
        ec2.get_waiter(waiter).wait(InstanceIds=ids)
    [reservation] = ec2.describe_instances()["Reservations"]
    assert reservation["ReservationId"] == ran["ReservationId"] and len(reservation["Instances"]) == 3
    first = ids[:1]
    [change] = ec2.stop_instances(InstanceIds=first)["StoppingInstances"]
    assert (change["PreviousState"]["Name"], change["CurrentState"]["Name"]) == ("running", "stopping")
    ec2.get_waiter("instance_stopped").wait(InstanceIds=first)
    [stopped] = instances(ec2, Filters=[{"Name": "instance-state-name", "Values": ["stopped"]}])
    assert stopped["StateReason"]["Code"] == "Client.UserInitiatedShutdown" and "PublicIpAddress" not in stopped
    ec2.start_instances(InstanceIds=first)
    ec2.get_waiter("instance_running").wait(InstanceIds=first)
    ec2.terminate_instances(InstanceIds=ids)
    ec2.get_waiter("instance_terminated").wait(InstanceIds=ids)
    with refused(ec2, "IncorrectInstanceState", modeled=False):
        ec2.start_instances(InstanceIds=first)
    with pytest.raises(WaiterError):
        ec2.get_waiter("instance_running").wait(InstanceIds=first)
    server.advance("61m")
    assert instances(ec2) == []
    subnets = ec2.describe_subnets()["Subnets"]
    assert {subnet["AvailableIpAddressCount"] for subnet in subnets} == {4091}


def test_client_token_makes_run_instances_idempotent(ec2):
    first, again = (ec2.run_instances(**IMAGE, ClientToken="one") for _ in range(2))
    assert first["Instances"][0]["InstanceId"] == again["Instances"][0]["InstanceId"]
    with refused(ec2, "IdempotentParameterMismatch", modeled=False):
        ec2.run_instances(**IMAGE, ClientToken="one", InstanceType="t3.large")
    # boto3 sends a new token with each call.
    ec2.run_instances(**IMAGE)
    assert len(instances(ec2)) == 2


def test_pagination_and_filters(ec2):
    made = sorted(ec2.create_security_group(GroupName=f"g{n}", Description="d")["GroupId"] for n in range(12))
    pages = ec2.get_paginator("describe_security_groups").paginate(
        Filters=[{"Name": "group-name", "Values": ["g?", "g??"]}], PaginationConfig={"PageSize": 5}
    )
    pages = [[group["GroupId"] for group in page["SecurityGroups"]] for page in pages]
    assert ([len(page) for page in pages], sum(pages, [])) == ([5, 5, 2], made)
    for name, value, count in [("group-name", "g1*", 3), ("group-id", made[0], 1), ("description", "x", 0), ("group-name", r"g\*", 0)]:
        found = list_all(ec2, "describe_security_groups", "SecurityGroups", Filters=[{"Name": name, "Values": [value]}])
        assert len(found) == count, name
    ec2.create_tags(Resources=made[:2], Tags=[{"Key": "a", "Value": "b"}, {"Key": "c", "Value": ""}])
    ec2.delete_tags(Resources=made[:1], Tags=[{"Key": "a"}, {"Key": "c", "Value": "another"}])
    tags = list_all(ec2, "describe_tags", "Tags", Filters=[{"Name": "resource-type", "Values": ["security-group"]}])
    assert [(tag["ResourceId"], tag["Key"], tag["Value"]) for tag in tags] == [
        (made[0], "c", ""),
        (made[1], "a", "b"),
        (made[1], "c", ""),
    ]


REFUSALS = [
    ("describe_vpcs", {"VpcIds": ["vpc-12345678"]}, "InvalidVpcID.NotFound"),
    ("describe_vpcs", {"VpcIds": ["vpc-x"]}, "InvalidVpcID.Malformed"),
    ("describe_vpcs", {"Filters": [{"Name": "colour", "Values": ["red"]}]}, "InvalidParameterValue"),
    ("describe_vpcs", {"Filters": [{"Name": "vpc-id", "Values": []}]}, "MissingParameter"),
    ("describe_vpcs", {"Filters": [{"Name": "vpc-id", "Values": ["x"]}] * 51}, "FilterLimitExceeded"),
    ("describe_vpcs", {"MaxResults": 4}, "InvalidParameterValue"),
    ("describe_vpcs", {"NextToken": "made up"}, "InvalidParameterValue"),
    ("describe_subnets", {"SubnetIds": ["subnet-12345678"]}, "InvalidSubnetID.NotFound"),
    ("describe_subnets", {"SubnetIds": ["x"]}, "InvalidSubnetID.Malformed"),
    ("describe_security_groups", {"GroupIds": ["sg-12345678"]}, "InvalidGroup.NotFound"),
    ("describe_security_groups", {"GroupIds": ["x"]}, "InvalidGroupId.Malformed"),
    ("describe_instances", {"InstanceIds": ["i-12345678"]}, "InvalidInstanceID.NotFound"),
    ("describe_instances", {"InstanceIds": ["x"]}, "InvalidInstanceID.Malformed"),
    ("describe_instances", {"InstanceIds": ["i-12345678"], "MaxResults": 5}, "InvalidParameterCombination"),
    ("create_vpc", {"CidrBlock": "10.0.0.0/8"}, "InvalidVpc.Range"),
    ("create_vpc", {"CidrBlock": "all"}, "InvalidParameterValue"),
    ("create_vpc", {}, "MissingParameter"),
    ("create_default_vpc", {}, "DefaultVpcAlreadyExists"),
    ("create_default_subnet", {"AvailabilityZone": "us-east-1a"}, "DefaultSubnetAlreadyExistsInAvailabilityZone"),
    ("create_subnet", {"VpcId": "{vpc}", "CidrBlock": "10.0.0.0/24"}, "InvalidSubnet.Range"),
    ("create_subnet", {"VpcId": "{vpc}", "CidrBlock": "172.31.0.0/24"}, "InvalidSubnet.Conflict"),
    ("create_security_group", {"GroupName": "used", "Description": "d"}, "InvalidGroup.Duplicate"),
    ("authorize_security_group_ingress", {"GroupName": "used", "IpPermissions": [allow_tcp(80), allow_tcp(80)]}, "InvalidParameterValue"),
    ("delete_vpc", {"VpcId": "{vpc}"}, "DependencyViolation"),
    ("delete_vpc", {}, "MissingParameter"),
    ("delete_subnet", {"SubnetId": "{subnet}"}, "DependencyViolation"),
    ("delete_security_group", {"GroupName": "used"}, "DependencyViolation"),
    ("run_instances", IMAGE | {"ImageId": "x"}, "InvalidAMIID.Malformed"),
    ("run_instances", IMAGE | {"MinCount": 2}, "InvalidParameterValue"),
    ("run_instances", IMAGE | {"SecurityGroupIds": ["sg-12345678"]}, "InvalidGroup.NotFound"),
    ("run_instances", IMAGE | {"PrivateIpAddress": "172.31.0.4"}, "InvalidIPAddress.InUse"),
    ("run_instances", IMAGE | {"UserData": "x" * 16385}, "InvalidParameterValue"),
    ("run_instances", IMAGE | {"LaunchTemplate": {"LaunchTemplateName": "web"}}, "InvalidLaunchTemplateName.NotFoundException"),
    ("authorize_security_group_egress", {"GroupId": "sg-12345678", "CidrIp": "10.0.0.0/8"}, "InvalidGroup.NotFound"),
    ("stop_instances", {"InstanceIds": []}, "MissingParameter"),
    ("create_tags", {"Resources": ["eni-12345678"], "Tags": [{"Key": "a", "Value": "b"}]}, "InvalidID"),
    ("create_tags", {"Resources": ["{vpc}"], "Tags": [{"Key": f"k{n}", "Value": ""} for n in range(51)]}, "TagLimitExceeded"),
]


@pytest.mark.parametrize("operation, params, code", REFUSALS)
def test_error_codes(client, server, operation, params, code):
    ec2 = client("ec2", checked=False)
    ec2.create_security_group(GroupName="used", Description="d")
    ran = ec2.run_instances(**IMAGE, SecurityGroups=["used"])["Instances"][0]
    names = {"{vpc}": ran["VpcId"], "{subnet}": ran["SubnetId"]}

    def filled(value):
        if isinstance(value, list):
            return [filled(item) for item in value]
        return names.get(value, value) if isinstance(value, str) else value

    # Due work is executed before the next call.
    ec2.describe_instances()
    before = server.control("state")
    with refused(ec2, code, modeled=False):
        getattr(ec2, operation)(**{name: filled(value) for name, value in params.items()})
    assert server.control("state") == before


def test_dry_run_changes_nothing(ec2):
    for operation, params in [("create_vpc", {"CidrBlock": "10.0.0.0/16"}), ("run_instances", IMAGE), ("describe_vpcs", {})]:
        with refused(ec2, "DryRunOperation", status=412, modeled=False):
            getattr(ec2, operation)(**params, DryRun=True)
    assert len(ec2.describe_vpcs()["Vpcs"]) == 1 and instances(ec2) == []


def test_aws_cli_describes_network(aws):
    [vpc] = aws("ec2", "describe-vpcs", "--filters", "Name=is-default,Values=true")["Vpcs"]
    assert vpc["CidrBlock"] == "172.31.0.0/16"
    made = aws("ec2", "run-instances", "--image-id", "ami-12345678", "--count", 2, "--instance-type", "t3.micro")
    ids = [instance["InstanceId"] for instance in made["Instances"]]
    aws("ec2", "wait", "instance-running", "--instance-ids", *ids)
    query = "Reservations[].Instances[].State.Name"
    assert aws("ec2", "describe-instances", "--query", query) == ["running", "running"]
    assert aws.refused("ec2", "describe-vpcs", "--vpc-ids", "vpc-12345678").code == "InvalidVpcID.NotFound"
