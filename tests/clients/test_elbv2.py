"""Load balancers through boto3 and the AWS CLI: routing, waiters, errors."""

import urllib.error

import pytest
from asserting import refused

NO_DELAY = {"Delay": 0, "MaxAttempts": 3}
CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/one"


@pytest.fixture
def elb(client):
    return client("elbv2")


@pytest.fixture
def net(client):
    """Returns the ID and the subnets of the default VPC."""
    ec2 = client("ec2")
    [vpc] = ec2.describe_vpcs()["Vpcs"]
    return vpc["VpcId"], [subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]]


def create_group(elb, net, name="web", **more):
    made = elb.create_target_group(
        Name=name, **({"Protocol": "HTTP", "Port": 80, "VpcId": net[0], "TargetType": "ip"} | more)
    )
    return made["TargetGroups"][0]["TargetGroupArn"]


def create_balancer(elb, net, name="web"):
    return elb.create_load_balancer(Name=name, Subnets=net[1][:2])["LoadBalancers"][0]["LoadBalancerArn"]


def forward_to(arn):
    return [{"Type": "forward", "TargetGroupArn": arn}]


def fixed_response(code):
    return [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": code}}]


def create_http_listener(elb, balancer, actions, port=80):
    made = elb.create_listener(LoadBalancerArn=balancer, Protocol="HTTP", Port=port, DefaultActions=actions)
    return made["Listeners"][0]["ListenerArn"]


def refused_as(elb, code, status=400):
    return refused(elb, code, status, modeled=f"{code}Exception")


def test_load_balancer_lifecycle(elb, net):
    made = elb.create_load_balancer(Name="web", Subnets=net[1][:2], Tags=[{"Key": "team", "Value": "web + co"}])
    [made] = made["LoadBalancers"]
    assert (made["State"], made["Type"], made["Scheme"]) == ({"Code": "provisioning"}, "application", "internet-facing")
    assert made["CreatedTime"].tzinfo is not None
    elb.get_waiter("load_balancer_exists").wait(Names=["web"], WaiterConfig=NO_DELAY)
    elb.get_waiter("load_balancer_available").wait(Names=["web"], WaiterConfig=NO_DELAY)
    arn = made["LoadBalancerArn"]
    [tags] = elb.describe_tags(ResourceArns=[arn])["TagDescriptions"]
    assert tags == {"ResourceArn": arn, "Tags": [{"Key": "team", "Value": "web + co"}]}
    again = elb.create_load_balancer(Name="web", Subnets=net[1][:2], Tags=[{"Key": "team", "Value": "web + co"}])
    assert again["LoadBalancers"][0]["LoadBalancerArn"] == arn
    with refused(elb, "DuplicateLoadBalancerName", modeled="DuplicateLoadBalancerNameException"):
        elb.create_load_balancer(Name="web", Subnets=net[1])
    protect = [{"Key": "deletion_protection.enabled", "Value": "true"}]
    elb.modify_load_balancer_attributes(LoadBalancerArn=arn, Attributes=protect)
    with refused_as(elb, "OperationNotPermitted"):
        elb.delete_load_balancer(LoadBalancerArn=arn)
    protect[0]["Value"] = "false"
    elb.modify_load_balancer_attributes(LoadBalancerArn=arn, Attributes=protect)
    zones = elb.set_subnets(LoadBalancerArn=arn, Subnets=net[1])["AvailabilityZones"]
    assert [zone["ZoneName"] for zone in zones] == ["us-east-1a", "us-east-1b", "us-east-1c"]
    elb.delete_load_balancer(LoadBalancerArn=arn)
    elb.get_waiter("load_balancers_deleted").wait(LoadBalancerArns=[arn], WaiterConfig=NO_DELAY)
    elb.delete_load_balancer(LoadBalancerArn=arn)


def test_listener_rules(elb, net):
    balancer, web, old = create_balancer(elb, net), create_group(elb, net), create_group(elb, net, "old")
    port = create_http_listener(elb, balancer, fixed_response("404"))
    shared = {"TargetGroups": [{"TargetGroupArn": web, "Weight": 9}, {"TargetGroupArn": old, "Weight": 1}]}
    wanted = [
        {"Field": "host-header", "HostHeaderConfig": {"Values": ["*.example.com"]}},
        {"Field": "query-string", "QueryStringConfig": {"Values": [{"Key": "a", "Value": "b"}, {"Value": "c"}]}},
    ]
    rewrite = {"Type": "url-rewrite", "UrlRewriteConfig": {"Rewrites": [{"Regex": "^/a", "Replace": "/b"}]}}
    [first] = elb.create_rule(
        ListenerArn=port,
        Priority=20,
        Conditions=wanted,
        Actions=[{"Type": "forward", "ForwardConfig": shared}],
        Transforms=[rewrite],
    )["Rules"]
    assert first["Priority"] == "20" and first["Conditions"][0]["Values"] == ["*.example.com"]
    assert [group["Weight"] for group in first["Actions"][0]["ForwardConfig"]["TargetGroups"]] == [9, 1]
    to = {"Protocol": "HTTPS", "Port": "443", "StatusCode": "HTTP_301"}
    [second] = elb.create_rule(
        ListenerArn=port,
        Priority=30,
        Conditions=[{"Field": "path-pattern", "Values": ["/a"]}],
        Actions=[{"Type": "redirect", "RedirectConfig": to}],
    )["Rules"]
    assert second["Actions"][0]["RedirectConfig"]["Path"] == "/#{path}"
    moved = [{"RuleArn": first["RuleArn"], "Priority": 30}, {"RuleArn": second["RuleArn"], "Priority": 20}]
    elb.set_rule_priorities(RulePriorities=moved)
    pages = elb.get_paginator("describe_rules").paginate(ListenerArn=port, PaginationConfig={"PageSize": 1})
    assert [rule["Priority"] for rule in pages.search("Rules[]")] == ["20", "30", "default"]
    [changed] = elb.modify_rule(RuleArn=first["RuleArn"], ResetTransforms=True)["Rules"]
    assert not changed.get("Transforms") and changed["Conditions"] == first["Conditions"]
    groups = elb.describe_target_groups(LoadBalancerArn=balancer)["TargetGroups"]
    assert [(group["TargetGroupName"], group["LoadBalancerArns"]) for group in groups] == [("old", [balancer]), ("web", [balancer])]
    with refused_as(elb, "ResourceInUse"):
        elb.delete_target_group(TargetGroupArn=old)


def test_target_health(elb, net, server):
    balancer, web = create_balancer(elb, net), create_group(elb, net)
    create_http_listener(elb, balancer, forward_to(web))
    targets = [{"Id": "172.31.0.10"}, {"Id": "172.31.0.11", "Port": 81}]
    elb.register_targets(TargetGroupArn=web, Targets=targets)
    elb.get_waiter("target_in_service").wait(TargetGroupArn=web, WaiterConfig=NO_DELAY)
    server.control(
        "target-health",
        {"targetGroupArn": web, "target": "172.31.0.11", "health": "failing", "reason": "Target.Timeout"},
    )
    described = elb.describe_target_health(TargetGroupArn=web)["TargetHealthDescriptions"]
    health = [(one["Target"]["Port"], one["TargetHealth"]["State"], one["TargetHealth"].get("Reason")) for one in described]
    assert health == [(80, "healthy", None), (81, "unhealthy", "Target.Timeout")]
    with pytest.raises(urllib.error.HTTPError):
        server.control("target-health", {"targetGroupArn": web, "target": "172.31.0.11", "health": "poor"})
    server.control("target-health", {"targetGroupArn": web, "target": "172.31.0.11", "health": "unavailable"})
    with refused_as(elb, "HealthUnavailable", status=500):
        elb.describe_target_health(TargetGroupArn=web)
    assert elb.describe_target_health(TargetGroupArn=web, Targets=targets[:1])["TargetHealthDescriptions"] == described[:1]
    server.control("target-health", {"targetGroupArn": web, "target": "172.31.0.11", "health": "passing"})
    elb.deregister_targets(TargetGroupArn=web, Targets=targets[1:])
    elb.get_waiter("target_deregistered").wait(TargetGroupArn=web, Targets=targets[1:], WaiterConfig=NO_DELAY)
    with refused_as(elb, "InvalidTarget"):
        elb.register_targets(TargetGroupArn=web, Targets=[{"Id": "8.8.8.8"}])


def test_https_listener_certificates_and_authentication(elb, net):
    balancer = create_balancer(elb, net)
    pool = {
        "UserPoolArn": "arn:aws:cognito-idp:us-east-1:123456789012:userpool/us-east-1_one",
        "UserPoolClientId": "web",
        "UserPoolDomain": "id",
        "AuthenticationRequestExtraParams": {"prompt": "login"},
    }
    authenticate = {"Type": "authenticate-cognito", "Order": 1, "AuthenticateCognitoConfig": pool}
    [made] = elb.create_listener(
        LoadBalancerArn=balancer,
        Protocol="HTTPS",
        Port=443,
        Certificates=[{"CertificateArn": CERTIFICATE}],
        DefaultActions=[authenticate, fixed_response("200")[0] | {"Order": 2}],
    )["Listeners"]
    assert (made["SslPolicy"], made["MutualAuthentication"]) == ("ELBSecurityPolicy-2016-08", {"Mode": "off"})
    described = made["DefaultActions"][0]["AuthenticateCognitoConfig"]
    assert (described["Scope"], described["AuthenticationRequestExtraParams"]) == ("openid", {"prompt": "login"})
    other = {"CertificateArn": CERTIFICATE.replace("one", "two")}
    elb.add_listener_certificates(ListenerArn=made["ListenerArn"], Certificates=[other])
    described = elb.describe_listener_certificates(ListenerArn=made["ListenerArn"])["Certificates"]
    assert [one["IsDefault"] for one in described] == [True, False]
    [policy] = elb.describe_ssl_policies(Names=["ELBSecurityPolicy-TLS13-1-3-2021-06"])["SslPolicies"]
    assert policy["SslProtocols"] == ["TLSv1.3"] and policy["Ciphers"][0]["Priority"] == 1
    [newest] = elb.describe_ssl_policies(Names=["ELBSecurityPolicy-TLS13-1-3-PQ-2025-09"])["SslPolicies"]
    assert newest["Ciphers"] == policy["Ciphers"]
    assert {limit["Name"] for limit in elb.describe_account_limits()["Limits"]} >= {"target-groups"}


def test_trust_stores_and_mutual_authentication(elb, net):
    bundle = {"CaCertificatesBundleS3Bucket": "trust", "CaCertificatesBundleS3Key": "ca.pem"}
    [made] = elb.create_trust_store(Name="web", **bundle, Tags=[{"Key": "team", "Value": "web"}])["TrustStores"]
    arn = made["TrustStoreArn"]
    assert made == {"Name": "web", "TrustStoreArn": arn, "Status": "CREATING", "TotalRevokedEntries": 0}
    [found] = elb.describe_trust_stores(TrustStoreArns=[arn])["TrustStores"]
    assert found == made | {"Status": "ACTIVE"}
    [changed] = elb.modify_trust_store(TrustStoreArn=arn, **bundle, CaCertificatesBundleS3ObjectVersion="2")["TrustStores"]
    assert changed == found
    elb.add_tags(ResourceArns=[arn], Tags=[{"Key": "a", "Value": "b"}])
    [described] = elb.describe_tags(ResourceArns=[arn])["TagDescriptions"]
    assert {tag["Key"] for tag in described["Tags"]} == {"team", "a"}
    verify = {"Mode": "verify", "TrustStoreArn": arn}
    secure = {"Protocol": "HTTPS", "Certificates": [{"CertificateArn": CERTIFICATE}], "DefaultActions": fixed_response("200")}
    balancer = create_balancer(elb, net)
    ports = [
        elb.create_listener(LoadBalancerArn=balancer, Port=port, MutualAuthentication=verify, **secure)["Listeners"][0]
        for port in (443, 444)
    ]
    assert ports[0]["MutualAuthentication"] == verify | {
        "IgnoreClientCertificateExpiry": False,
        "TrustStoreAssociationStatus": "active",
        "AdvertiseTrustStoreCaNames": "off",
    }
    pages = elb.get_paginator("describe_trust_store_associations").paginate(
        TrustStoreArn=arn, PaginationConfig={"PageSize": 1}
    )
    assert {one["ResourceArn"] for one in pages.search("TrustStoreAssociations[]")} == {
        port["ListenerArn"] for port in ports
    }
    elb.create_trust_store(Name="other", **bundle)
    pages = elb.get_paginator("describe_trust_stores").paginate(PaginationConfig={"PageSize": 1})
    assert [store["Name"] for store in pages.search("TrustStores[]")] == ["other", "web"]
    missing = verify | {"TrustStoreArn": arn.replace("/web/", "/gone/")}
    for code, call in [
        ("DuplicateTrustStoreName", lambda: elb.create_trust_store(Name="web", **bundle)),
        ("TrustStoreInUse", lambda: elb.delete_trust_store(TrustStoreArn=arn)),
        ("TrustStoreNotFound", lambda: elb.describe_trust_stores(Names=["gone"])),
        (
            "TrustStoreNotFound",
            lambda: elb.modify_listener(ListenerArn=ports[0]["ListenerArn"], MutualAuthentication=missing),
        ),
    ]:
        with refused_as(elb, code):
            call()
    for port in ports:
        elb.delete_listener(ListenerArn=port["ListenerArn"])
    elb.delete_trust_store(TrustStoreArn=arn)
    with refused_as(elb, "TrustStoreNotFound"):
        elb.delete_trust_store(TrustStoreArn=arn)


def test_local_zones_support_only_application_load_balancers(elb, net, client):
    ec2 = client("ec2")
    [zone] = ec2.describe_availability_zones(ZoneNames=["us-east-1-bos-1a"])["AvailabilityZones"]
    assert (zone["ZoneType"], zone["ZoneId"]) == ("local-zone", "use1-bos1-az1")
    place = {"VpcId": net[0], "CidrBlock": "172.31.48.0/20", "AvailabilityZone": zone["ZoneName"]}
    subnet = ec2.create_subnet(**place)["Subnet"]["SubnetId"]
    with refused_as(elb, "AvailabilityZoneNotSupported"):
        elb.create_load_balancer(Name="net", Type="network", Subnets=[subnet])
    [made] = elb.create_load_balancer(Name="web", Subnets=[subnet])["LoadBalancers"]
    assert [zone["ZoneName"] for zone in made["AvailabilityZones"]] == ["us-east-1-bos-1a"]
    with refused(ec2, "DependencyViolation", modeled=False):
        ec2.delete_subnet(SubnetId=subnet)


def test_error_codes(elb, net):
    balancer, web = create_balancer(elb, net), create_group(elb, net)
    port = create_http_listener(elb, balancer, forward_to(web))
    tcp = create_group(elb, net, "tcp", Protocol="TCP", Port=25)
    rule = {"ListenerArn": port, "Priority": 1, "Conditions": [{"Field": "path-pattern", "Values": ["/a"]}]}
    elb.create_rule(**rule, Actions=fixed_response("200"))
    for code, call in [
        ("LoadBalancerNotFound", lambda: elb.describe_load_balancers(Names=["none"])),
        ("TargetGroupNotFound", lambda: elb.describe_target_groups(Names=["none"])),
        ("DuplicateTargetGroupName", lambda: create_group(elb, net, Port=81)),
        ("DuplicateListener", lambda: create_http_listener(elb, balancer, fixed_response("404"))),
        ("PriorityInUse", lambda: elb.create_rule(**rule, Actions=fixed_response("200"))),
        ("IncompatibleProtocols", lambda: create_http_listener(elb, balancer, forward_to(tcp), port=81)),
        ("TargetGroupAssociationLimit", lambda: create_http_listener(elb, create_balancer(elb, net, "other"), forward_to(web))),
        ("InvalidConfigurationRequest", lambda: elb.create_load_balancer(Name="x", Subnets=[net[1][0], net[1][0]])),
        ("SubnetNotFound", lambda: elb.create_load_balancer(Name="x", Subnets=["subnet-0123456789abcdef0"])),
        (
            "InvalidLoadBalancerAction",
            lambda: create_http_listener(elb, balancer, [{"Type": "redirect", "RedirectConfig": {"StatusCode": "HTTP_301"}}], port=81),
        ),
    ]:
        with refused_as(elb, code):
            call()
    with refused(elb, "ValidationError", modeled=False):
        elb.describe_listeners()


def test_aws_cli(aws):
    subnets = aws("ec2", "describe-subnets", "--query", "Subnets[].SubnetId")
    arn = "LoadBalancers[0].LoadBalancerArn"
    made = aws("elbv2", "create-load-balancer", "--name", "web", "--subnets", *subnets[:2], "--query", arn)
    aws("elbv2", "wait", "load-balancer-available", "--load-balancer-arns", made)
    actions = "Type=fixed-response,FixedResponseConfig={StatusCode=404,ContentType=text/plain,MessageBody=no}"
    port = ["--protocol", "HTTP", "--port", "80", "--default-actions", actions]
    [described] = aws("elbv2", "create-listener", "--load-balancer-arn", made, *port)["Listeners"]
    assert described["DefaultActions"][0]["FixedResponseConfig"]["MessageBody"] == "no"
    wanted = aws("elbv2", "describe-rules", "--listener-arn", described["ListenerArn"], "--query", "Rules[].IsDefault")
    assert wanted == [True]
    assert aws.refused("elbv2", "delete-rule", "--rule-arn", made).code == "ValidationError"
    assert aws("elbv2", "delete-load-balancer", "--load-balancer-arn", made) is None
    aws("elbv2", "wait", "load-balancers-deleted", "--load-balancer-arns", made)
