"""EC2 through boto3 and the AWS CLI: VPCs and instances, with its dialect of forms and XML."""

import base64

import pytest
from asserting import refused


@pytest.fixture
def ec2(client):
    return client("ec2")


def name_tag(name, kind):
    return [{"ResourceType": kind, "Tags": [{"Key": "Name", "Value": name}]}]


def test_default_vpc_and_subnets(ec2):
    [vpc] = ec2.describe_vpcs()["Vpcs"]
    assert vpc["IsDefault"] is True and vpc["State"] == "available"
    subnets = ec2.describe_subnets(Filters=[{"Name": "vpc-id", "Values": [vpc["VpcId"]]}])["Subnets"]
    assert len({subnet["AvailabilityZone"] for subnet in subnets}) == 3
    pages = ec2.get_paginator("describe_subnets").paginate(PaginationConfig={"PageSize": 5})
    assert [subnet["SubnetId"] for subnet in pages.search("Subnets[]")] == [subnet["SubnetId"] for subnet in subnets]


def test_vpc_with_security_group_and_instance(ec2):
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16", TagSpecifications=name_tag("web +é", "vpc"))["Vpc"]["VpcId"]
    ec2.get_waiter("vpc_available").wait(VpcIds=[vpc], WaiterConfig={"Delay": 0, "MaxAttempts": 3})
    [described] = ec2.describe_vpcs(Filters=[{"Name": "tag:Name", "Values": ["web *"]}])["Vpcs"]
    assert (described["VpcId"], described["Tags"]) == (vpc, [{"Key": "Name", "Value": "web +é"}])
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.1.0/24")["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="web", Description="web & co", VpcId=vpc)["GroupId"]
    anywhere = [{"CidrIp": "0.0.0.0/0", "Description": "all"}]
    permission = {"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80, "IpRanges": anywhere}
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission])
    [described] = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"]
    assert described["Description"] == "web & co"
    [rule] = described["IpPermissions"]
    assert (rule["FromPort"], rule["IpRanges"]) == (80, anywhere)
    [instance] = ec2.run_instances(
        ImageId="ami-12345678", MinCount=1, MaxCount=1, SubnetId=subnet, SecurityGroupIds=[group]
    )["Instances"]
    assert instance["SubnetId"] == subnet and instance["LaunchTime"].tzinfo is not None
    with refused(ec2, "DependencyViolation", modeled=False):
        ec2.delete_vpc(VpcId=vpc)


def test_instance_with_options(ec2):
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16", AmazonProvidedIpv6CidrBlock=True)["Vpc"]
    [block] = vpc["Ipv6CidrBlockAssociationSet"]
    within = block["Ipv6CidrBlock"].replace("/56", "/64")
    subnet = ec2.create_subnet(VpcId=vpc["VpcId"], CidrBlock="10.1.1.0/24", Ipv6CidrBlock=within)["Subnet"]["SubnetId"]
    [instance] = ec2.run_instances(
        ImageId="ami-12345678",
        MinCount=1,
        MaxCount=1,
        InstanceType="t4g.micro",
        UserData="#!/bin/sh",
        DisableApiTermination=True,
        Monitoring={"Enabled": True},
        IamInstanceProfile={"Name": "web"},
        MetadataOptions={"HttpTokens": "required", "HttpPutResponseHopLimit": 2},
        CreditSpecification={"CpuCredits": "unlimited"},
        BlockDeviceMappings=[{"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 20, "VolumeType": "gp3", "Encrypted": True}}],
        NetworkInterfaces=[
            {
                "DeviceIndex": 0,
                "SubnetId": subnet,
                "AssociatePublicIpAddress": True,
                "PrivateIpAddresses": [{"PrivateIpAddress": "10.1.1.9", "Primary": True}, {"PrivateIpAddress": "10.1.1.10"}],
                "Ipv6AddressCount": 1,
            }
        ],
    )["Instances"]
    [[instance]] = [found["Instances"] for found in ec2.describe_instances(InstanceIds=[instance["InstanceId"]])["Reservations"]]
    assert (instance["Architecture"], instance["Monitoring"]) == ("arm64", {"State": "enabled"})
    assert instance["MetadataOptions"]["HttpTokens"] == "required" and instance["MetadataOptions"]["State"] == "applied"
    assert instance["IamInstanceProfile"]["Arn"] == "arn:aws:iam::123456789012:instance-profile/web"
    assert [device["DeviceName"] for device in instance["BlockDeviceMappings"]] == ["/dev/sda1"]
    [interface] = instance["NetworkInterfaces"]
    assert [own["PrivateIpAddress"] for own in interface["PrivateIpAddresses"]] == ["10.1.1.9", "10.1.1.10"]
    assert interface["Ipv6Addresses"][0]["Ipv6Address"] == instance["Ipv6Address"]
    assert interface["Association"]["PublicIp"] == instance["PublicIpAddress"]
    assert interface["Attachment"]["Status"] == "attached" and interface["Attachment"]["DeviceIndex"] == 0
    with refused(ec2, "OperationNotPermitted", modeled=False) as error:
        ec2.terminate_instances(InstanceIds=[instance["InstanceId"]])
    assert error.value.response["Error"]["Message"].endswith("Modify its 'disableApiTermination' instance attribute and try again.")


def test_attributes_of_a_protected_instance(ec2):
    launched = ec2.run_instances(
        ImageId="ami-12345678", MinCount=1, MaxCount=1, InstanceType="t3.micro", UserData="#!/bin/sh", DisableApiTermination=True
    )
    instance = launched["Instances"][0]["InstanceId"]

    def attribute(name):
        found = ec2.describe_instance_attribute(InstanceId=instance, Attribute=name)
        assert found.pop("InstanceId") == instance
        del found["ResponseMetadata"]
        return found

    assert attribute("disableApiTermination") == {"DisableApiTermination": {"Value": True}}
    assert base64.b64decode(attribute("userData")["UserData"]["Value"]) == b"#!/bin/sh"
    assert attribute("kernel") == {"KernelId": {}} and attribute("productCodes") == {"ProductCodes": []}
    assert [group["GroupName"] for group in attribute("groupSet")["Groups"]] == ["default"]
    with refused(ec2, "OperationNotPermitted", modeled=False):
        ec2.terminate_instances(InstanceIds=[instance])
    with refused(ec2, "IncorrectInstanceState", modeled=False) as error:
        ec2.modify_instance_attribute(InstanceId=instance, UserData={"Value": b"new"})
    assert error.value.response["Error"]["Message"] == f"The instance '{instance}' is not in the 'stopped' state."
    with refused(ec2, "InvalidParameterCombination", modeled=False) as error:
        ec2.modify_instance_attribute(InstanceId=instance, Groups=[])
    assert error.value.response["Error"]["Message"] == "No attributes specified."

    ec2.stop_instances(InstanceIds=[instance])
    ec2.get_waiter("instance_stopped").wait(InstanceIds=[instance], WaiterConfig={"Delay": 0, "MaxAttempts": 3})
    ec2.modify_instance_attribute(InstanceId=instance, UserData={"Value": b"new"})
    assert base64.b64decode(attribute("userData")["UserData"]["Value"]) == b"new"
    ec2.modify_instance_attribute(InstanceId=instance, Attribute="instanceType", Value="t3.large")
    ec2.modify_instance_attribute(
        InstanceId=instance, BlockDeviceMappings=[{"DeviceName": "/dev/xvda", "Ebs": {"DeleteOnTermination": False}}]
    )
    [device] = attribute("blockDeviceMapping")["BlockDeviceMappings"]
    assert device["Ebs"]["DeleteOnTermination"] is False
    [[found]] = [found["Instances"] for found in ec2.describe_instances(InstanceIds=[instance])["Reservations"]]
    assert found["InstanceType"] == "t3.large"

    ec2.modify_instance_attribute(InstanceId=instance, DisableApiTermination={"Value": False})
    [change] = ec2.terminate_instances(InstanceIds=[instance])["TerminatingInstances"]
    assert change["CurrentState"]["Name"] == "shutting-down"


def test_error_codes(ec2):
    for code, call in [
        ("InvalidVpcID.NotFound", lambda: ec2.describe_vpcs(VpcIds=["vpc-0123456789abcdef0"])),
        ("InvalidSubnetID.NotFound", lambda: ec2.delete_subnet(SubnetId="subnet-0123456789abcdef0")),
        ("InvalidAction", lambda: ec2.describe_volumes()),
    ]:
        with refused(ec2, code, modeled=False):
            call()


def test_aws_cli(aws):
    vpc = aws("ec2", "create-vpc", "--cidr-block", "10.2.0.0/16")["Vpc"]["VpcId"]
    aws("ec2", "create-tags", "--resources", vpc, "--tags", "Key=Name,Value=cli")
    assert aws("ec2", "describe-vpcs", "--vpc-ids", vpc, "--query", "Vpcs[0].Tags") == [{"Key": "Name", "Value": "cli"}]
    assert aws("ec2", "delete-vpc", "--vpc-id", vpc) is None
    assert aws.refused("ec2", "delete-vpc", "--vpc-id", vpc).code == "InvalidVpcID.NotFound"
