"""Replays the examples of requests and answers that botocore ships with its models.

The examples name resources that exist in nobody's account. Before each request, resources like them are created, and the
IDs in the example are translated to theirs. An answer must have all that the example's answer has; it may have more.
"""

import gzip
import http.server
import json
import pathlib
import re
import threading

import botocore
import pytest
from botocore import xform_name

REGION = "us-west-2"
VERSIONS = {"ec2": "2016-11-15", "elbv2": "2015-12-01", "secretsmanager": "2017-10-17", "sts": "2011-06-15"}

# Examples that are not replayed.
SKIPPED = {
    "ec2-create-tags-1": "images do not exist here",
    "ec2-delete-tags-1": "images do not exist here",
    "to-get-details-about-a-calling-iam-user-1480540050376": "the caller is the root of its account",
    "to-get-details-about-a-calling-user-federated-with-assumerole-1480540158545": "the caller is the root of its account",
    "to-get-details-about-a-calling-user-federated-with-getfederationtoken-1480540231316": "the caller is the root of its account",
    "to-assume-a-role-as-an-openid-connect-federated-user-1480533445696": "the token is not one that can be verified",
    "to-assume-role-with-saml-14882749597814": "the assertion is a placeholder",
    "to-decode-information-about-an-authorization-status-of-a-request-1480533854499": "the message is a placeholder",
    "to-get-temporary-credentials-for-an-iam-user-or-an-aws-account-1480540814038": "the device is a placeholder",
}

OLD_TIMEOUT = "the default is 6 or 10 seconds by the documentation of the operation"

NEW_CREDENTIALS = {
    f"Credentials.{member}": "new ones each time"
    for member in ("AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration")
}

# Members of answers in the examples that are not what the service returns.
WRONG = {
    "to-cancel-scheduled-rotation-for-a-secret-1523996016032": {"Name": "a placeholder"},
    "to-delete-the-resource-based-policy-attached-to-a-secret-1530209419204": {"ARN": "of another secret"},
    "to-delete-a-secret-1523996905092": {"ARN": "of another secret", "Name": "of another secret"},
    "to-retrieve-the-encrypted-secret-value-of-a-secret-1524000702484": {"VersionStages": "of another version"},
    "to-list-all-of-the-secret-versions-associated-with-a-secret-1524000999164": {
        "Versions[].VersionId": "one has a semicolon at its end"
    },
    "to-retrieve-the-details-of-a-secret-1524000138629": {
        "RotationRules.AutomaticallyAfterDays": "given beside a schedule, which excludes it",
        "VersionIdsToStages": "a rotation makes a version of its own",
        "LastRotatedDate": "the rotation is not over",
    },
    "to-create-a-new-version-of-the-encrypted-secret-value-1524004651836": {"ARN": "begins with aws:arn"},
    "elbv2-modify-load-balancer-attributes-2": {"Attributes": "has the deletion protection of the example before it"},
    "elbv2-modify-load-balancer-attributes-3": {"Attributes": "has another bucket than the request"},
    "elbv2-create-target-group-1": {"TargetGroups[].HealthCheckTimeoutSeconds": OLD_TIMEOUT},
    "elbv2-describe-target-groups-1": {"TargetGroups[].HealthCheckTimeoutSeconds": OLD_TIMEOUT},
    "elbv2-modify-target-group-1": {"TargetGroups[].HealthCheckTimeoutSeconds": OLD_TIMEOUT},
    "elbv2-describe-ssl-policies-1": {"SslPolicies[].Ciphers": "has a cipher that the policy no longer has"},
    "elbv2-describe-target-health-1": {"TargetHealthDescriptions": "has one target twice, in two states"},
    "to-describe-the-disableapitermination-attribute-1472712533466": {
        "DisableApiTermination.Value": "a text, which is a boolean in the model"
    },
    "to-assume-a-role-1480532402212": {
        "AssumedRoleUser.Arn": "of another session than the request",
        "AssumedRoleUser.AssumedRoleId": "of another session than the request",
        "PackedPolicySize": "the provider packs by rules that are not public",
    }
    | NEW_CREDENTIALS,
    "to-get-temporary-credentials-for-a-role-by-using-getfederationtoken-1480540749900": {
        "FederatedUser.Arn": "of another user than the request",
        "FederatedUser.FederatedUserId": "of another user than the request",
        "PackedPolicySize": "the provider packs by rules that are not public",
    }
    | NEW_CREDENTIALS,
    "ec2-create-vpc-1": {"Vpc.State": "ends at once here, unless transitions are realistic"},
    "ec2-create-subnet-1": {
        "Subnet.State": "ends at once here, unless transitions are realistic",
        "Subnet.AvailabilityZone": "chosen by the service",
    },
    "ec2-describe-subnets-1": {"Subnets[].AvailabilityZone": "of another Region than the other examples"},
    "ec2-describe-availability-zones-1": {"AvailabilityZones[]": "of another Region than the other examples"},
}

# Members that differ from run to run, or between accounts.
VOLATILE = re.compile(r"(Date|Time|DNSName|CanonicalHostedZoneId|RandomPassword|DhcpOptionsId|Endpoint|ZoneName)$")

# States of resources, which change at once here.
STATES = {"provisioning": "active", "pending": "running", "stopping": "stopped", "shutting-down": "terminated", "initial": "healthy"}


def examples():
    """Yields the examples of the operations that the program has."""
    conformance = json.loads((pathlib.Path(__file__).parent / "conformance.json").read_text())
    data = pathlib.Path(botocore.__file__).parent / "data"
    for service, version in VERSIONS.items():
        path = data / service / version / "examples-1.json"
        content = gzip.decompress(path.with_suffix(".json.gz").read_bytes()) if not path.exists() else path.read_bytes()
        listed = json.loads(content)["examples"]
        for operation in conformance[service]["operations"]:
            for example in listed.get(operation, []):
                yield service, operation, example


class Stage:
    """The resources that an example needs, and the translation of its IDs to theirs."""

    def __init__(self, server, client, function):
        self.server, self.client, self.function = server, client, function
        self.ec2, self.elbv2 = client("ec2", region=REGION), client("elbv2", region=REGION)
        self.secrets = client("secretsmanager", region=REGION)
        self.clients = {name: client(name, region=REGION) for name in VERSIONS}
        self.ids = {}

    def translate(self, value):
        if isinstance(value, dict):
            return {key: self.translate(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.translate(item) for item in value]
        if not isinstance(value, str):
            return value
        for theirs, ours in sorted(self.ids.items(), key=lambda pair: -len(pair[0])):
            value = value.replace(theirs, ours)
        return value

    def prepare(self, service, operation, example):
        getattr(self, f"prepare_{service}")(operation, example)

    # Secrets.

    def prepare_sts(self, operation, example):
        if operation != "AssumeRole":
            return
        actions = ["sts:AssumeRole", "sts:TagSession"]
        statement = {"Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": actions}
        document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        self.client("iam", region=REGION).create_role(RoleName="demo", AssumeRolePolicyDocument=document)

    def prepare_secretsmanager(self, operation, example):
        given = example.get("input") or {}
        if operation in ("CreateSecret", "GetRandomPassword"):
            return
        if operation == "ListSecrets":
            self.secret("MyTestDatabaseSecret", ["EXAMPLE1-90ab-cdef-fedc-ba987EXAMPLE"])
            about = "Another secret created for a different database"
            self.secret("MyTestDatabaseSecret1", ["EXAMPLE2-90ab-cdef-fedc-ba987EXAMPLE"], Description=about)
            return
        name, numbered = given["SecretId"], "EXAMPLE{}-90ab-cdef-fedc-ba987EXAMPLE".format
        versions = {
            "GetSecretValue": ["EXAMPLE1-90ab-cdef-fedc-ba987SECRET1"],
            "ListSecretVersionIds": [numbered(3), numbered(1), numbered(2)],
            "DescribeSecret": [numbered(1), numbered(2)],
            "UpdateSecretVersionStage": ["EXAMPLE2-90ab-cdef-fedc-ba987SECRET2", "EXAMPLE1-90ab-cdef-fedc-ba987SECRET1"],
        }
        for key in set(re.findall(r"arn:aws:kms:us-west-2:\d+:key/[\w-]+", json.dumps(example))):
            self.ids[key] = self.client("kms", region=REGION).create_key()["KeyMetadata"]["Arn"]
        made = {"KmsKeyId": next(iter(self.ids.values()))} if operation == "DescribeSecret" else {}
        self.secret(name, versions.get(operation, ["EXAMPLE0-90ab-cdef-fedc-ba987EXAMPLE"]), **made)
        policy = example.get("output", {}).get("ResourcePolicy")
        if policy:
            self.secrets.put_resource_policy(SecretId=name, ResourcePolicy=policy)
        if operation in ("DescribeSecret", "UntagResource"):
            tags = [{"Key": "SecondTag", "Value": "AnotherValue"}, {"Key": "FirstTag", "Value": "SomeValue"}]
            self.secrets.tag_resource(SecretId=name, Tags=tags)
        if operation == "RestoreSecret":
            self.secrets.delete_secret(SecretId=name)
        if given.get("RemoveFromVersionId") and given["VersionStage"] == "STAGINGLABEL1":
            self.secrets.update_secret_version_stage(
                SecretId=name, VersionStage="STAGINGLABEL1", MoveToVersionId=given["RemoveFromVersionId"]
            )
        if operation in ("RotateSecret", "CancelRotateSecret", "DescribeSecret"):
            for function in ("MyTestDatabaseRotationLambda", "MyTestRotationLambda"):
                self.server.control("functions", {"name": function, "url": self.function})
        if operation != "RotateSecret" or "RotationLambdaARN" not in given:
            if operation in ("RotateSecret", "CancelRotateSecret", "DescribeSecret"):
                arn = "arn:aws:lambda:us-west-2:123456789012:function:MyTestRotationLambda"
                rules = {"ScheduleExpression": "cron(0 16 1,15 * ? *)", "Duration": "2h"}
                self.secrets.rotate_secret(
                    SecretId=name, RotationLambdaARN=arn, RotationRules=rules, RotateImmediately=False
                )
                # The server calls the function between two requests; it labels a version as long as that takes.
                for _ in range(1000):
                    labels = self.secrets.describe_secret(SecretId=name)["VersionIdsToStages"].values()
                    if not any("AWSPENDING" in stages for stages in labels):
                        break
                self.secrets.get_secret_value(SecretId=name)

    def secret(self, name, versions, Description="My test database secret", **given):
        value = "{\n  \"username\":\"david\",\n  \"password\":\"EXAMPLE-PASSWORD\"\n}\n"
        first, *others = versions
        made = self.secrets.create_secret(
            Name=name, SecretString=value, ClientRequestToken=first, Description=Description, **given
        )
        for n, version in enumerate(others):
            self.secrets.put_secret_value(SecretId=name, SecretString=f"{value}{n}", ClientRequestToken=version)
        prefix = "arn:aws:secretsmanager:us-west-2:123456789012:secret:"
        suffix = {"MyTestDatabaseSecret1": "d4e5f6"}.get(name, "a1b2c3")
        self.ids[f"{prefix}{name}-{suffix}"] = made["ARN"]

    # Networks.

    def prepare_ec2(self, operation, example):
        given = json.dumps(example.get("input") or {})
        vpc = None
        for theirs in sorted(set(re.findall(r"vpc-[0-9a-f]+", given + json.dumps(example.get("output") or {})))):
            if operation != "CreateVpc":
                tags = [{"ResourceType": "vpc", "Tags": [{"Key": "Name", "Value": "MyVPC"}]}]
                vpc = self.ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=tags)["Vpc"]["VpcId"]
                self.ids[theirs] = vpc
        if operation == "DescribeVpcAttribute":
            self.ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
        vpc = vpc or self.default_network()[0]
        for theirs in sorted(set(re.findall(r"sg-[0-9a-f]+", given))):
            made = self.ec2.create_security_group(GroupName=theirs.replace("sg-", "group-"), Description="d", VpcId=vpc)
            # One of the examples has a space after the ID.
            self.ids[theirs + " "] = self.ids[theirs] = made["GroupId"]
        if operation in ("DeleteSubnet", "DescribeSubnets"):
            made = self.ec2.create_subnet(VpcId=self.own_vpc(vpc), CidrBlock="10.0.1.0/24")["Subnet"]
            self.ids["subnet-9d4a7b6c"] = made["SubnetId"]
        self.ids["subnet-6e7f829e"] = self.default_network()[1][0]
        for theirs in sorted(set(re.findall(r"i-[0-9a-f]{17}", given))):
            tags = [{"Key": "Stack", "Value": "test"}, {"Key": "Name", "Value": "Beta Server"}]
            launch = {"InstanceType": "t1.micro"} if operation == "DescribeInstanceAttribute" else {}
            if "blockDeviceMapping" in given:
                data = {"VolumeSize": 8, "DeleteOnTermination": False}
                launch["BlockDeviceMappings"] = [{"DeviceName": "/dev/sda1", "Ebs": {}}, {"DeviceName": "/dev/sdf", "Ebs": data}]
            self.ids[theirs] = self.instance(tags, **launch)
            if operation in ("StartInstances", "ModifyInstanceAttribute"):
                self.ec2.stop_instances(InstanceIds=[self.ids[theirs]])

    def own_vpc(self, vpc):
        """Returns `vpc`, unless it is the default VPC."""
        if vpc != self.default_network()[0]:
            return vpc
        return self.ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]

    def instance(self, tags=(), **launch):
        if tags:
            launch["TagSpecifications"] = [{"ResourceType": "instance", "Tags": list(tags)}]
        made = self.ec2.run_instances(ImageId="ami-abc12345", MinCount=1, MaxCount=1, **launch)
        return made["Instances"][0]["InstanceId"]

    def default_network(self):
        """Returns the default VPC and two of its subnets, in the order of their zones."""
        vpc = self.ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"][0]["VpcId"]
        subnets = self.ec2.describe_subnets(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["Subnets"]
        return vpc, [subnet["SubnetId"] for subnet in sorted(subnets, key=lambda subnet: subnet["AvailabilityZone"])]

    # Load balancers.

    PREFIX = "arn:aws:elasticloadbalancing:us-west-2:123456789012:"

    def prepare_elbv2(self, operation, example):
        vpc, subnets = self.default_network()
        groups = self.ec2.describe_security_groups(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["SecurityGroups"]
        self.ids |= {"vpc-3ac0fb5f": vpc, "subnet-8360a9e7": subnets[0], "subnet-b7d581c0": subnets[1]}
        self.ids["sg-5943793c"] = groups[0]["GroupId"]
        for theirs in ("i-0f76fade", "i-80c8dd94", "i-ceddcd4d"):
            self.ids[theirs] = self.instance()
        given = example.get("input") or {}
        if operation != "CreateTargetGroup":
            new = given.get("TargetGroupArn", "").rpartition("/")[2] or "2453ed029918f21f"
            groups = [("my-targets", "73e2d6bc24d8a067", 80, "HTTP"), ("my-new-targets", "2453ed029918f21f", 80, "HTTP")]
            if "my-https-targets" in json.dumps(given):
                groups[1] = ("my-https-targets", new, 443, "HTTPS")
            elif "3bb63f11dfb0faf9" in json.dumps(given):
                groups[1] = ("my-new-targets", new, 80, "HTTP")
            for name, theirs, port, protocol in groups:
                made = self.elbv2.create_target_group(Name=name, Port=port, Protocol=protocol, VpcId=vpc)["TargetGroups"][0]
                self.ids[f"{self.PREFIX}targetgroup/{name}/{theirs}"] = made["TargetGroupArn"]
        if operation in ("CreateLoadBalancer", "DeleteTargetGroup"):
            return
        balancer = self.elbv2.create_load_balancer(Name="my-load-balancer", Subnets=subnets[:2])["LoadBalancers"][0]
        self.ids[f"{self.PREFIX}loadbalancer/app/my-load-balancer/50dc6c495c0c9188"] = balancer["LoadBalancerArn"]
        if operation == "DescribeTags":
            tags = [{"Key": "project", "Value": "lima"}, {"Key": "department", "Value": "digital-media"}]
            self.elbv2.add_tags(ResourceArns=[balancer["LoadBalancerArn"]], Tags=tags)
        if operation in ("CreateTargetGroup", "CreateListener"):
            return
        self.listeners(balancer["LoadBalancerArn"], with_rules=operation != "CreateRule")
        if operation in ("DeregisterTargets", "DescribeTargetHealth"):
            target = {"Id": self.ids["i-0f76fade"], "Port": 80}
            self.elbv2.register_targets(TargetGroupArn=self.group("my-targets"), Targets=[target])
            self.server.advance("1h")

    def group(self, name):
        return next(ours for theirs, ours in self.ids.items() if f"targetgroup/{name}/" in theirs)

    def listeners(self, balancer, with_rules):
        base = f"{self.PREFIX}listener/app/my-load-balancer/50dc6c495c0c9188"
        actions = [{"Type": "forward", "TargetGroupArn": self.group("my-targets")}]
        http = self.elbv2.create_listener(LoadBalancerArn=balancer, Port=80, Protocol="HTTP", DefaultActions=actions)
        http = http["Listeners"][0]["ListenerArn"]
        secure = self.elbv2.create_listener(
            LoadBalancerArn=balancer, Port=443, Protocol="HTTPS", SslPolicy="ELBSecurityPolicy-2015-05",
            Certificates=[{"CertificateArn": "arn:aws:iam::123456789012:server-certificate/my-server-cert"}],
            DefaultActions=actions,
        )
        self.ids |= {f"{base}/f2f7dc8efc522ab2": http, f"{base}/0467ef3c8400ae65": secure["Listeners"][0]["ListenerArn"]}
        # One of the examples misspells the Region.
        self.ids[f"{base}/f2f7dc8efc522ab2".replace("us-west-2", "ua-west-2")] = http
        https_targets = [ours for theirs, ours in self.ids.items() if "my-https-targets" in theirs]
        for n, theirs in enumerate(["9683b2d02a6cabee", "1291d13826f405c3"] if with_rules else []):
            rule = self.elbv2.create_rule(
                ListenerArn=http, Priority=10 + n, Conditions=[{"Field": "path-pattern", "Values": ["/img/*"]}],
                Actions=[{"Type": "forward", "TargetGroupArn": (https_targets or [self.group("my-targets")])[0]}],
            )
            self.ids[f"{base}/f2f7dc8efc522ab2/{theirs}".replace("listener/", "listener-rule/")] = rule["Rules"][0]["RuleArn"]


def blurred(text):
    """Returns a text without the parts that the service makes up."""
    return re.sub(r"(?<=-)[A-Za-z0-9]{6}$|EXAMPLE\d-[-\w]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8,17}", "?", text)


def differences(expected, found, path, wrong):
    """Returns what `found` lacks of the answer of an example."""
    if path in wrong or VOLATILE.search(path):
        return
    if isinstance(expected, dict):
        for name, value in expected.items():
            inner = f"{path}.{name}" if path else name
            if inner not in wrong and value not in ([], "") and name not in found:
                yield f"{inner} is missing"
            else:
                yield from differences(value, found.get(name), inner, wrong)
    elif isinstance(expected, list):
        for item in expected:
            tried = [list(differences(item, other, f"{path}[]", wrong)) for other in found or []]
            if [] not in tried:
                yield f"{path}[] has no {item}: {min(tried, key=len, default='it is empty')}"
    elif isinstance(expected, str) and isinstance(found, str):
        if found not in (expected, STATES.get(expected)) and blurred(found) != blurred(expected):
            yield f"{path} is {found!r}, not {expected!r}"
    elif expected != found and not path.endswith("Code"):
        yield f"{path} is {found!r}, not {expected!r}"


class Accepting(http.server.BaseHTTPRequestHandler):
    """A rotation function that succeeds and does nothing."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def function():
    """Starts a function; returns its address."""
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Accepting)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_address[1]}/"
    listening.shutdown()


@pytest.mark.parametrize("service, operation, example", [pytest.param(*each, id=each[2]["id"]) for each in examples()])
def test_example_is_answered_as_botocore_shows(server, client, function, service, operation, example):
    if example["id"] in SKIPPED:
        pytest.skip(SKIPPED[example["id"]])
    stage = Stage(server, client, function)
    stage.prepare(service, operation, example)
    call = getattr(stage.clients[service], xform_name(operation))
    answer = call(**stage.translate(example.get("input") or {}))
    expected = stage.translate(example.get("output") or {})
    assert list(differences(expected, answer, "", WRONG.get(example["id"], {}))) == []
