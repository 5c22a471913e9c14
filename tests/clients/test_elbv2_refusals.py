"""Error messages of load balancers, word for word, through boto3."""

import pytest
from asserting import refused
from test_elbv2 import CERTIFICATE, create_balancer, create_group, create_http_listener, elb, fixed_response, forward_to, net

__all__ = ["elb", "net"]


@pytest.fixture
def world(elb, net, client):
    """Returns the names of resources that the refused calls and their messages refer to."""
    ec2 = client("ec2")
    other = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    filters = [{"Name": "vpc-id", "Values": [other]}]
    [group] = ec2.describe_security_groups(Filters=filters)["SecurityGroups"]
    balancer = create_balancer(elb, net)
    target_group = create_group(elb, net)
    gateway = elb.create_load_balancer(Name="gw", Type="gateway", Subnets=net[1])["LoadBalancers"][0]["LoadBalancerArn"]
    geneve = create_group(elb, net, "gw", Protocol="GENEVE", Port=6081)
    elb.create_listener(LoadBalancerArn=gateway, DefaultActions=forward_to(geneve))
    return {
        "vpc": net[0],
        "subnets": net[1],
        "other_group": group["GroupId"],
        "balancer": balancer,
        "network": elb.create_load_balancer(Name="net", Type="network", Subnets=net[1])["LoadBalancers"][0]["LoadBalancerArn"],
        "gateway": gateway,
        "geneve": geneve,
        "group": target_group,
        "tcp": create_group(elb, net, "tcp", Protocol="TCP", Port=25),
        "listener": create_http_listener(elb, balancer, forward_to(target_group)),
    }


def listen(balancer, protocol=None, port=None, actions=None, **more):
    given = {"Protocol": protocol, "Port": port}
    given = {name: value for name, value in given.items() if value is not None}
    return "create_listener", {"LoadBalancerArn": balancer, "DefaultActions": actions or fixed_response("404")} | given | more


def group(world, **more):
    return "create_target_group", {"Name": "x", "Protocol": "HTTP", "Port": 80, "VpcId": world["vpc"]} | more


def sticky(arn, kind):
    return "modify_target_group_attributes", {"TargetGroupArn": arn, "Attributes": [{"Key": "stickiness.type", "Value": kind}]}


def rule(world, **condition):
    return "create_rule", {
        "ListenerArn": world["listener"],
        "Priority": 1,
        "Conditions": [condition],
        "Actions": fixed_response("200"),
    }


HOSTS = {"Field": "host-header", "Values": ["a"], "HostHeaderConfig": {"Values": ["a"]}}

# Error code, function from the world to operation and parameters, and message; in it, names of the world in braces.
MESSAGES = [
    ("ValidationError", lambda world: listen(world["balancer"], "TCP", 81), "Listener protocol 'TCP' must be one of 'HTTPS, HTTP'"),
    (
        "ValidationError",
        lambda world: listen(world["network"], "HTTP", 81),
        "Listener protocol 'HTTP' must be one of 'TLS, TCP, TCP_UDP, UDP, QUIC, TCP_QUIC'",
    ),
    ("ValidationError", lambda world: listen(world["balancer"], "HTTP"), "A listener port must be specified"),
    ("ValidationError", lambda world: listen(world["balancer"], "HTTPS", 443), "A certificate must be specified for HTTPS listeners"),
    (
        "ValidationError",
        lambda world: listen(world["gateway"], port=80, actions=forward_to(world["geneve"])),
        "A port cannot be specified for gateway listeners",
    ),
    (
        "DuplicateListener",
        lambda world: listen(world["gateway"], actions=forward_to(world["geneve"]), Tags=[{"Key": "a", "Value": "b"}]),
        "A listener already exists on this port for this load balancer '{gateway}'",
    ),
    (
        "DuplicateListener",
        lambda world: listen(world["balancer"], "HTTP", 80),
        "A listener already exists on this port for this load balancer '{balancer}'",
    ),
    (
        "CertificateNotFound",
        lambda world: listen(world["balancer"], "HTTPS", 443, Certificates=[{"CertificateArn": CERTIFICATE.replace("us-east-1", "eu-west-1")}]),
        "Certificate 'arn:aws:acm:eu-west-1:123456789012:certificate/one' not found",
    ),
    (
        "InvalidConfigurationRequest",
        lambda world: ("create_load_balancer", {"Name": "x", "Subnets": world["subnets"], "SecurityGroups": [world["other_group"]]}),
        "Security group '{other_group}' does not belong to VPC '{vpc}'",
    ),
    (
        "InvalidConfigurationRequest",
        lambda world: ("set_security_groups", {"LoadBalancerArn": world["balancer"], "SecurityGroups": [world["other_group"]]}),
        "Security group '{other_group}' does not belong to VPC '{vpc}'",
    ),
    (
        "InvalidConfigurationRequest",
        lambda world: sticky(world["tcp"], "lb_cookie"),
        "Stickiness type 'lb_cookie' is not supported for target groups with the TCP protocol",
    ),
    (
        "InvalidConfigurationRequest",
        lambda world: sticky(world["group"], "source_ip"),
        "Stickiness type 'source_ip' is not supported for target groups with the HTTP protocol",
    ),
    (
        "ValidationError",
        lambda world: group(world, HealthCheckIntervalSeconds=10, HealthCheckTimeoutSeconds=10),
        "Health check interval must be greater than the timeout.",
    ),
    ("ValidationError", lambda world: group(world, Name="-x"), "Target group name '-x' cannot begin or end with '-'"),
    ("ValidationError", lambda world: group(world, VpcId="vpc-0123456789abcdef0"), "The VPC ID 'vpc-0123456789abcdef0' is not found"),
    (
        "ValidationError",
        lambda world: ("create_load_balancer", {"Name": "x-", "Subnets": world["subnets"]}),
        "The load balancer name 'x-' cannot begin or end with '-'",
    ),
    (
        "ValidationError",
        lambda world: ("create_load_balancer", {"Name": "x", "Subnets": world["subnets"][:1]}),
        "At least two subnets in two different Availability Zones must be specified",
    ),
    (
        "ValidationError",
        lambda world: rule(world, **HOSTS),
        "You cannot provide both Values and 'HostHeaderConfig' for a condition of type 'host-header'",
    ),
    (
        "InvalidLoadBalancerAction",
        lambda world: listen(world["balancer"], "HTTP", 81, actions=[{"Type": "redirect"}]),
        "For actions of type 'redirect', you must specify the following fields: 'RedirectConfig'",
    ),
    (
        "InvalidLoadBalancerAction",
        lambda world: listen(world["network"], "TCP", 81),
        "The action type 'fixed-response' is not valid with network load balancer",
    ),
    (
        "InvalidLoadBalancerAction",
        lambda world: listen(world["balancer"], "HTTP", 81, actions=[{"Type": "authenticate-cognito"}]),
        "The actions must include exactly one action of type 'forward', 'redirect' or 'fixed-response'.",
    ),
    (
        "IncompatibleProtocols",
        lambda world: listen(world["network"], "TCP", 81, actions=forward_to(world["group"])),
        "The listener and the following target groups have incompatible protocols: '{group}'",
    ),
    (
        "ResourceInUse",
        lambda world: ("delete_target_group", {"TargetGroupArn": world["group"]}),
        "Target group '{group}' is currently in use by a listener or a rule",
    ),
]


@pytest.mark.parametrize("number", range(len(MESSAGES)))
def test_message_is_the_providers(elb, world, number):
    code, make, message = MESSAGES[number]
    operation, parameters = make(world)
    with refused(elb, code, modeled=code != "ValidationError" and f"{code}Exception") as caught:
        getattr(elb, operation)(**parameters)
    assert caught.value.response["Error"]["Message"] == message.format(**world)


def test_empty_lists_select_nothing(elb, net):
    balancer = create_balancer(elb, net)
    create_group(elb, net)
    assert len(elb.describe_load_balancers(LoadBalancerArns=[], Names=[])["LoadBalancers"]) == 1
    assert len(elb.describe_target_groups(TargetGroupArns=[], Names=["web"])["TargetGroups"]) == 1
    assert elb.describe_listeners(LoadBalancerArn=balancer, ListenerArns=[])["Listeners"] == []
    with refused(elb, "ValidationError", modeled=False):
        elb.describe_rules(RuleArns=[])
