"""Classic load balancers through boto3 and the AWS CLI: listeners, policies, instances, waiters, errors."""

import pathlib

import pytest
from asserting import refused

CERTIFICATES = pathlib.Path(__file__).parents[2] / "crates/services/iam/tests/pem"

NO_DELAY = {"Delay": 0, "MaxAttempts": 3}
HTTP = {"Protocol": "http", "LoadBalancerPort": 80, "InstancePort": 8080}
ARN = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/web"


@pytest.fixture
def elb(client):
    return client("elb")


@pytest.fixture
def web(elb):
    elb.create_load_balancer(LoadBalancerName="web", Listeners=[HTTP], AvailabilityZones=["us-east-1a"])
    yield "web"
    elb.delete_load_balancer(LoadBalancerName="web")


def describe(elb, name="web"):
    [found] = elb.describe_load_balancers(LoadBalancerNames=[name])["LoadBalancerDescriptions"]
    return found


def test_description_is_the_providers(elb, web):
    found = describe(elb)
    assert found["DNSName"] == found["CanonicalHostedZoneName"]
    assert found["CanonicalHostedZoneNameID"] == "Z35SXDOTRQ7X7K"
    listener = {
        "Protocol": "HTTP",
        "LoadBalancerPort": 80,
        "InstanceProtocol": "HTTP",
        "InstancePort": 8080,
    }
    assert found["ListenerDescriptions"] == [{"Listener": listener, "PolicyNames": []}]
    assert found["Policies"] == {
        "AppCookieStickinessPolicies": [],
        "LBCookieStickinessPolicies": [],
        "OtherPolicies": [],
    }
    assert (found["BackendServerDescriptions"], found["Instances"]) == ([], [])
    assert found["HealthCheck"] == {
        "Target": "TCP:8080",
        "Interval": 30,
        "Timeout": 5,
        "UnhealthyThreshold": 2,
        "HealthyThreshold": 10,
    }
    assert found["Scheme"] == "internet-facing"
    assert found["SourceSecurityGroup"]["OwnerAlias"] == "123456789012"
    assert not {"Tags", "CrossZoneLoadBalancing", "AccessLog"} & set(found)
    attributes = elb.describe_load_balancer_attributes(LoadBalancerName="web")["LoadBalancerAttributes"]
    assert attributes == {
        "CrossZoneLoadBalancing": {"Enabled": False},
        "AccessLog": {"Enabled": False},
        "ConnectionDraining": {"Enabled": False, "Timeout": 300},
        "ConnectionSettings": {"IdleTimeout": 60},
        "AdditionalAttributes": [{"Key": "elb.http.desyncmitigationmode", "Value": "defensive"}],
    }


def test_waiters_end(elb, web, client, server):
    ec2 = client("ec2")
    zone = {"Name": "availability-zone", "Values": ["us-east-1a"]}
    [subnet] = ec2.describe_subnets(Filters=[zone])["Subnets"]
    made = ec2.run_instances(ImageId="ami-abc12345", MinCount=1, MaxCount=1, SubnetId=subnet["SubnetId"])
    instance = made["Instances"][0]["InstanceId"]
    target = {"LoadBalancerName": "web", "Instances": [{"InstanceId": instance}]}
    assert elb.register_instances_with_load_balancer(**target)["Instances"] == target["Instances"]
    elb.get_waiter("instance_in_service").wait(**target, WaiterConfig=NO_DELAY)
    elb.get_waiter("any_instance_in_service").wait(LoadBalancerName="web", WaiterConfig=NO_DELAY)
    server.control("instance-health", {"loadBalancerArn": ARN, "instanceId": instance, "health": "failing"})
    [state] = elb.describe_instance_health(LoadBalancerName="web")["InstanceStates"]
    assert (state["State"], state["ReasonCode"]) == ("OutOfService", "Instance")
    elb.deregister_instances_from_load_balancer(**target)
    elb.get_waiter("instance_deregistered").wait(**target, WaiterConfig=NO_DELAY)
    unknown = {"LoadBalancerName": "web", "Instances": [{"InstanceId": "i-0123456789abcdef0"}]}
    elb.get_waiter("instance_deregistered").wait(**unknown, WaiterConfig=NO_DELAY)
    with refused(elb, "InvalidInstance", modeled="InvalidEndPointException"):
        elb.register_instances_with_load_balancer(**unknown)


def test_both_generations_share_an_endpoint(elb, web, client):
    newer = client("elbv2")
    assert newer.describe_load_balancers()["LoadBalancers"] == []
    assert len(elb.describe_load_balancers()["LoadBalancerDescriptions"]) == 1
    with refused(newer, "LoadBalancerNotFound", modeled="LoadBalancerNotFoundException"):
        newer.describe_load_balancers(Names=["web"])
    tags = [{"Key": "team", "Value": "web"}]
    elb.add_tags(LoadBalancerNames=["web"], Tags=tags)
    found = client("resourcegroupstaggingapi").get_resources(TagFilters=[{"Key": "team", "Values": ["web"]}])
    assert [one["ResourceARN"] for one in found["ResourceTagMappingList"]] == [ARN]


def test_iam_certificate_in_use_cannot_be_deleted(elb, web, client):
    iam = client("iam")
    made = iam.upload_server_certificate(
        ServerCertificateName="web",
        CertificateBody=(CERTIFICATES / "web.pem").read_text(),
        PrivateKey=(CERTIFICATES / "web.key.pem").read_text(),
    )
    arn = made["ServerCertificateMetadata"]["Arn"]
    https = {"Protocol": "HTTPS", "LoadBalancerPort": 443, "InstancePort": 8443}
    with refused(elb, "CertificateNotFound", modeled="CertificateNotFoundException") as caught:
        elb.create_load_balancer_listeners(LoadBalancerName="web", Listeners=[https | {"SSLCertificateId": arn + "-2"}])
    assert caught.value.response["Error"]["Message"] == f"Server Certificate not found for the key: {arn}-2"
    elb.create_load_balancer_listeners(LoadBalancerName="web", Listeners=[https | {"SSLCertificateId": arn}])
    with refused(iam, "DeleteConflict", 409, modeled="DeleteConflictException") as caught:
        iam.delete_server_certificate(ServerCertificateName="web")
    assert f"is currently in use by {ARN}. Please remove it first" in caught.value.response["Error"]["Message"]
    elb.delete_load_balancer_listeners(LoadBalancerName="web", LoadBalancerPorts=[443])
    iam.delete_server_certificate(ServerCertificateName="web")


def test_refusals_have_the_codes_of_the_model(elb, web):
    for code, name, call, parameters in [
        ("LoadBalancerNotFound", "AccessPointNotFoundException", "describe_load_balancers", {"LoadBalancerNames": ["no"]}),
        (
            "DuplicateListener",
            "DuplicateListenerException",
            "create_load_balancer_listeners",
            {"LoadBalancerName": "web", "Listeners": [HTTP | {"InstancePort": 81}]},
        ),
        (
            "PolicyNotFound",
            "PolicyNotFoundException",
            "set_load_balancer_policies_of_listener",
            {"LoadBalancerName": "web", "LoadBalancerPort": 80, "PolicyNames": ["no"]},
        ),
        (
            "SubnetNotFound",
            "SubnetNotFoundException",
            "attach_load_balancer_to_subnets",
            {"LoadBalancerName": "web", "Subnets": ["subnet-0123456789abcdef0"]},
        ),
    ]:
        with refused(elb, code, modeled=name):
            getattr(elb, call)(**parameters)
    with refused(elb, "InvalidConfigurationRequest", 409, modeled="InvalidConfigurationRequestException"):
        elb.disable_availability_zones_for_load_balancer(LoadBalancerName="web", AvailabilityZones=["us-east-1a"])
    with refused(elb, "ValidationError", modeled=False) as caught:
        elb.create_load_balancer(LoadBalancerName="a" * 33, Listeners=[HTTP], AvailabilityZones=["us-east-1a"])
    assert caught.value.response["Error"]["Message"] == "LoadBalancer name cannot be longer than 32 characters"
    elb.delete_load_balancer(LoadBalancerName="no")


def test_aws_cli(elb, web, aws):
    name = ["--load-balancer-name", "web"]
    attributes = "AttributeName=ProxyProtocol,AttributeValue=true"
    policy = ["--policy-name", "proxy", "--policy-type-name", "ProxyProtocolPolicyType"]
    aws("elb", "create-load-balancer-policy", *name, *policy, "--policy-attributes", attributes)
    port = ["--instance-port", "8080", "--policy-names", "proxy"]
    aws("elb", "set-load-balancer-policies-for-backend-server", *name, *port)
    found = aws("elb", "describe-load-balancers", "--load-balancer-names", "web")["LoadBalancerDescriptions"][0]
    assert found["BackendServerDescriptions"] == [{"InstancePort": 8080, "PolicyNames": ["proxy"]}]
    types = aws("elb", "describe-load-balancer-policy-types")["PolicyTypeDescriptions"]
    assert len(types) == 6
    limits = aws("elb", "describe-account-limits")["Limits"]
    assert limits[0] == {"Name": "classic-load-balancers", "Max": "20"}
