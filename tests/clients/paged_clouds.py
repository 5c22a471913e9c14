"""Clouds with several resources of each kind that is listed in pages. Each function fills one, and returns the parameters of
its listings that need some."""

import base64
import datetime
import functools
import hashlib
import hmac
import json
import struct

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from schema_documents import ORDER

ACCOUNT, REGION = "123456789012", "us-east-1"
TAGS = [{"Key": f"tag-{n}", "Value": str(n)} for n in range(4)]
# Of EC2, whose smallest page has 5 items.
MANY = 12


def document(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def allow(*actions, **more):
    return document({"Effect": "Allow", "Action": actions, "Resource": "*"} | more)


READ = allow("logs:GetLogEvents")
TRUST = document({"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}})


def fill_codepipeline(client, server):
    trust = {"Effect": "Allow", "Principal": {"Service": "codepipeline.amazonaws.com"}, "Action": "sts:AssumeRole"}
    trust = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    role = client("iam").create_role(RoleName="pipelines", AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    source = {
        "name": "Fetch",
        "actionTypeId": {"category": "Source", "owner": "AWS", "provider": "S3", "version": "1"},
        "configuration": {"S3Bucket": "sources", "S3ObjectKey": "web.zip"},
        "outputArtifacts": [{"name": "source"}],
    }
    ask = {"name": "Ask", "actionTypeId": {"category": "Approval", "owner": "AWS", "provider": "Manual", "version": "1"}}
    stages = [{"name": "Source", "actions": [source]}, {"name": "Ask", "actions": [ask]}]
    codepipeline = client("codepipeline")
    for n in range(4):
        store = {"type": "S3", "location": "artifacts"}
        pipeline = {"name": f"web-{n}", "roleArn": role, "artifactStore": store, "stages": stages}
        codepipeline.create_pipeline(pipeline=pipeline)
        webhook = {
            "name": f"push-{n}",
            "targetPipeline": "web-0",
            "targetAction": "Fetch",
            "filters": [{"jsonPath": "$.ref"}],
            "authentication": "UNAUTHENTICATED",
            "authenticationConfiguration": {},
        }
        codepipeline.put_webhook(webhook=webhook)
    arn = codepipeline.get_pipeline(name="web-0")["metadata"]["pipelineArn"]
    codepipeline.tag_resource(resourceArn=arn, tags=[{"key": f"k{n}", "value": ""} for n in range(4)])
    rule_type = {"category": "Rule", "owner": "AWS", "provider": "LambdaInvoke", "version": "1"}
    rules = [{"name": f"r{n}", "ruleTypeId": rule_type, "configuration": {"FunctionName": "f"}} for n in range(4)]
    checked = stages[1] | {"beforeEntry": {"conditions": [{"result": "FAIL", "rules": rules}]}}
    web = codepipeline.get_pipeline(name="web-0")["pipeline"]
    codepipeline.update_pipeline(pipeline=web | {"pipelineType": "V2", "stages": [stages[0], checked]})
    # The first execution waits for an approval.
    first = codepipeline.list_pipeline_executions(pipelineName="web-0")["pipelineExecutionSummaries"][0]
    codepipeline.stop_pipeline_execution(
        pipelineName="web-0", pipelineExecutionId=first["pipelineExecutionId"], abandon=True
    )
    for _ in range(4):
        codepipeline.start_pipeline_execution(name="web-0")
    listed = ["ListActionExecutions", "ListPipelineExecutions", "ListRuleExecutions"]
    return {"ListTagsForResource": {"resourceArn": arn}} | {name: {"pipelineName": "web-0"} for name in listed}


def fill_ec2(client, server):
    ec2 = client("ec2")
    for n in range(4):
        vpc = ec2.create_vpc(CidrBlock=f"10.{n}.0.0/16")["Vpc"]["VpcId"]
    for n in range(MANY):
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.3.{n}.0/24")
        ec2.create_security_group(GroupName=f"group-{n}", Description="one of many", VpcId=vpc)
        tags = [{"ResourceType": "instance", "Tags": [{"Key": "name", "Value": str(n)}]}]
        ec2.run_instances(ImageId="ami-abc12345", MinCount=1, MaxCount=1, TagSpecifications=tags)
    return {}


def fill_ecr(client, server):
    ecr = client("ecr")
    for n in range(4):
        ecr.create_repository(repositoryName=f"team/web-{n}")
        ecr.create_pull_through_cache_rule(ecrRepositoryPrefix=f"quay-{n}", upstreamRegistryUrl="quay.io")
        ecr.create_repository_creation_template(prefix=f"team-{n}", appliedFor=["REPLICATION"])
    image = {"repositoryName": "team/web-0", "imageId": {"imageTag": "v1"}}
    # The first form of manifests needs no layers.
    for n in range(4):
        manifest = json.dumps({"schemaVersion": 1, "fsLayers": [], "name": f"image {n}"})
        ecr.put_image(repositoryName="team/web-0", imageManifest=manifest, imageTag=f"v{n}")
    find_vulnerabilities(ecr, server, "team/web-0", image)
    rule = {
        "rulePriority": 1,
        "selection": {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": 1},
        "action": {"type": "expire"},
    }
    policy = json.dumps({"rules": [rule]})
    ecr.start_lifecycle_policy_preview(repositoryName="team/web-0", lifecyclePolicyText=policy)
    name = {"repositoryName": "team/web-0"}
    return {
        "ListImages": name,
        "DescribeImages": name,
        "GetLifecyclePolicyPreview": name,
        "DescribeImageScanFindings": image,
    }


def find_vulnerabilities(ecr, server, repository, image):
    """Scans an image, which has four vulnerabilities."""
    arn = f"arn:aws:ecr:{REGION}:{ACCOUNT}:repository/{repository}"
    findings = [{"name": f"CVE-2026-{n}", "severity": "HIGH"} for n in range(4)]
    server.control("image-findings", {"repositoryArn": arn, "image": "*", "findings": findings})
    ecr.start_image_scan(**image)


def fill_ecs(client, server):
    ecs = client("ecs")
    for n in range(4):
        ecs.create_cluster(clusterName=f"shop-{n}")
        ecs.register_task_definition(family=f"web-{n}", containerDefinitions=[{"name": "web", "image": "web"}])
        ecs.create_service(cluster="shop-0", serviceName=f"web-{n}", taskDefinition="web-0", desiredCount=1)
    return {"ListServices": {"cluster": "shop-0"}}


def fill_inspector2(client, server):
    ecr = client("ecr")
    ecr.create_repository(repositoryName="web")
    ecr.put_image(repositoryName="web", imageManifest='{"schemaVersion": 1, "fsLayers": []}', imageTag="v1")
    find_vulnerabilities(ecr, server, "web", {"repositoryName": "web", "imageId": {"imageTag": "v1"}})
    return {}


def fill_elasticache(client, server):
    cache, ec2 = client("elasticache"), client("ec2")
    subnets = [subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]]
    for n in range(25):
        cache.create_cache_cluster(CacheClusterId=f"cache-{n}", Engine="redis", CacheNodeType="cache.t4g.micro")
        group = {"CacheSubnetGroupName": f"group-{n}", "CacheSubnetGroupDescription": "one of many"}
        cache.create_cache_subnet_group(**group, SubnetIds=subnets)
        group = {"CacheParameterGroupName": f"group-{n}", "CacheParameterGroupFamily": "redis7"}
        cache.create_cache_parameter_group(**group, Description="one of many")
        user = {"UserId": f"user-{n}", "UserName": f"user-{n}", "NoPasswordRequired": True}
        cache.create_user(**user, Engine="redis", AccessString="on ~* +@all")
        cache.create_user_group(UserGroupId=f"group-{n}", Engine="redis", UserIds=["default"])
        group = {"ReplicationGroupId": f"group-{n}", "ReplicationGroupDescription": "one of many"}
        cache.create_replication_group(**group, CacheNodeType="cache.t4g.micro")
        cache.create_snapshot(SnapshotName=f"snapshot-{n}", CacheClusterId=f"cache-{n}")
    for n in range(4):
        cache.create_serverless_cache(ServerlessCacheName=f"cache-{n}", Engine="redis")
        snapshot = {"ServerlessCacheSnapshotName": f"snapshot-{n}", "ServerlessCacheName": f"cache-{n}"}
        cache.create_serverless_cache_snapshot(**snapshot)
    return {
        "DescribeCacheParameters": {"CacheParameterGroupName": "group-0"},
        "DescribeEngineDefaultParameters": {"CacheParameterGroupFamily": "redis7"},
        "DescribeEvents": {"SourceType": "replication-group"},
    }


def fill_rds(client, server):
    rds, ec2 = client("rds"), client("ec2")
    subnets = [subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]]
    user = {"MasterUsername": "boss", "MasterUserPassword": "correct-horse"}
    rds.create_event_subscription(SubscriptionName="all", SnsTopicArn="arn:aws:sns:us-east-1:123456789012:all")
    for n in range(22):
        group = {"DBSubnetGroupName": f"group-{n}", "DBSubnetGroupDescription": "one of many"}
        rds.create_db_subnet_group(**group, SubnetIds=subnets)
        group = {"DBParameterGroupName": f"group-{n}", "DBParameterGroupFamily": "postgres16"}
        rds.create_db_parameter_group(**group, Description="one of many")
        group = {"DBClusterParameterGroupName": f"group-{n}", "DBParameterGroupFamily": "docdb5.0"}
        rds.create_db_cluster_parameter_group(**group, Description="one of many")
        instance = {"DBInstanceIdentifier": f"db-{n}", "DBInstanceClass": "db.t4g.micro", "AllocatedStorage": 20}
        rds.create_db_instance(**instance, Engine="postgres", EngineVersion="16.3", **user)
        rds.create_db_cluster(DBClusterIdentifier=f"cluster-{n}", Engine="aurora-mysql", **user)
        rds.create_db_cluster_snapshot(DBClusterSnapshotIdentifier=f"snapshot-{n}", DBClusterIdentifier=f"cluster-{n}")
    # Clusters can be restored up to the time of the answer.
    server.control("clock", {"frozen": True})
    return {
        "DescribeDBClusterParameters": {"DBClusterParameterGroupName": "default.aurora-mysql8.0"},
        "DescribeDBEngineVersions": {"Engine": "mysql"},
        "DescribeDBLogFiles": {"DBInstanceIdentifier": "db-0"},
        "DescribeDBParameters": {"DBParameterGroupName": "group-0"},
        "DescribeEngineDefaultClusterParameters": {"DBParameterGroupFamily": "aurora-mysql8.0"},
        "DescribeEngineDefaultParameters": {"DBParameterGroupFamily": "postgres16"},
        "DescribeEvents": {"SourceType": "db-cluster"},
        "DescribeOptionGroupOptions": {"EngineName": "oracle-ee"},
        "DescribeOrderableDBInstanceOptions": {"Engine": "aurora-mysql", "EngineVersion": "8.0.mysql_aurora.3.10.0"},
    }


def fill_elb(client, server):
    elb = client("elb")
    for n in range(4):
        listener = {"Protocol": "TCP", "LoadBalancerPort": 80, "InstancePort": 80}
        elb.create_load_balancer(LoadBalancerName=f"web-{n}", Listeners=[listener], AvailabilityZones=[f"{REGION}a"])
    return {}


def fill_elbv2(client, server):
    elb, ec2 = client("elbv2"), client("ec2")
    [vpc] = ec2.describe_vpcs()["Vpcs"]
    subnets = [subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]][:2]
    for n in range(4):
        elb.create_target_group(Name=f"group-{n}", Protocol="HTTP", Port=80, VpcId=vpc["VpcId"], TargetType="ip")
        elb.create_load_balancer(Name=f"balancer-{n}", Subnets=subnets)
        bundle = {"CaCertificatesBundleS3Bucket": "trust", "CaCertificatesBundleS3Key": "ca.pem"}
        elb.create_trust_store(Name=f"store-{n}", **bundle)
    store = elb.describe_trust_stores()["TrustStores"][0]["TrustStoreArn"]
    balancer = elb.describe_load_balancers()["LoadBalancers"][0]["LoadBalancerArn"]
    certificates = [{"CertificateArn": f"arn:aws:acm:{REGION}:{ACCOUNT}:certificate/{n}"} for n in range(4)]
    answer = [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "404"}}]
    verify = {"Mode": "verify", "TrustStoreArn": store}
    for n in range(4):
        made = elb.create_listener(
            LoadBalancerArn=balancer,
            Protocol="HTTPS",
            Port=443 + n,
            Certificates=certificates[:1],
            DefaultActions=answer,
            MutualAuthentication=verify,
        )
        revocations = [{"S3Bucket": "trust", "S3Key": f"{n}.crl", "RevocationType": "CRL"}]
        elb.add_trust_store_revocations(TrustStoreArn=store, RevocationContents=revocations)
    listener = {"ListenerArn": made["Listeners"][0]["ListenerArn"]}
    elb.add_listener_certificates(**listener, Certificates=certificates[1:])
    for n in range(4):
        path = [{"Field": "path-pattern", "Values": [f"/{n}"]}]
        elb.create_rule(**listener, Priority=10 - n, Conditions=path, Actions=answer)
    return {
        "DescribeListeners": {"LoadBalancerArn": balancer},
        "DescribeListenerCertificates": listener,
        "DescribeRules": listener,
        "DescribeTrustStoreAssociations": {"TrustStoreArn": store},
        "DescribeTrustStoreRevocations": {"TrustStoreArn": store},
    }


def fill_events(client, server):
    events = client("events")
    targets = [{"Id": f"target-{n}", "Arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:queue-{n}"} for n in range(4)]
    for n in range(4):
        events.put_rule(Name=f"rule-{n}", ScheduleExpression="rate(1 day)")
        events.put_targets(Rule=f"rule-{n}", Targets=targets)
    return {
        "ListRuleNamesByTarget": {"TargetArn": targets[0]["Arn"]},
        "ListTargetsByRule": {"Rule": "rule-0"},
    }


def fill_iam(client, server):
    iam = client("iam")
    arn = lambda kind: f"arn:aws:iam::{ACCOUNT}:{kind}"
    for n in range(4):
        iam.create_policy(PolicyName=f"policy-{n}", PolicyDocument=READ, Tags=TAGS)
        iam.create_user(UserName=f"user-{n}", Tags=TAGS)
        iam.create_group(GroupName=f"group-{n}")
        iam.create_role(RoleName=f"role-{n}", AssumeRolePolicyDocument=TRUST, Tags=TAGS)
        iam.create_instance_profile(InstanceProfileName=f"profile-{n}", Tags=TAGS)
        iam.add_role_to_instance_profile(InstanceProfileName=f"profile-{n}", RoleName="role-0")
    for n in range(4):
        iam.add_user_to_group(GroupName="group-0", UserName=f"user-{n}")
        if n:
            iam.add_user_to_group(GroupName=f"group-{n}", UserName="user-0")
            iam.create_policy_version(PolicyArn=arn("policy/policy-0"), PolicyDocument=READ)
        for kind in ["user", "group", "role"]:
            put, attach = getattr(iam, f"put_{kind}_policy"), getattr(iam, f"attach_{kind}_policy")
            one = {f"{kind.title()}Name": f"{kind}-0"}
            put(**one, PolicyName=f"inline-{n}", PolicyDocument=READ)
            attach(**one, PolicyArn=arn(f"policy/policy-{n}"))
            if n:
                attach(**{f"{kind.title()}Name": f"{kind}-{n}"}, PolicyArn=arn("policy/policy-0"))
    fill_credentials(iam, server)
    iam.create_account_alias(AccountAlias="alias")
    provider = iam.create_open_id_connect_provider(Url="https://id.example.com", ThumbprintList=["a" * 40], Tags=TAGS)
    saml = iam.create_saml_provider(Name="corp", SAMLMetadataDocument=saml_metadata(), Tags=TAGS)
    user, group, role = {"UserName": "user-0"}, {"GroupName": "group-0"}, {"RoleName": "role-0"}
    policy = {"PolicyArn": arn("policy/policy-0")}
    actions = {"ActionNames": ["logs:GetLogEvents", "logs:PutLogEvents", "kms:Encrypt", "sts:AssumeRole"]}
    return {
        "GetGroup": group,
        "ListAccessKeys": user,
        "ListAttachedGroupPolicies": group,
        "ListAttachedRolePolicies": role,
        "ListAttachedUserPolicies": user,
        "ListEntitiesForPolicy": policy,
        "ListGroupPolicies": group,
        "ListGroupsForUser": user,
        "ListInstanceProfileTags": {"InstanceProfileName": "profile-0"},
        "ListInstanceProfilesForRole": role,
        "ListMFADeviceTags": {"SerialNumber": arn("mfa/device-0")},
        "ListMFADevices": user,
        "ListOpenIDConnectProviderTags": {"OpenIDConnectProviderArn": provider["OpenIDConnectProviderArn"]},
        # Of the account alone: the provider has more policies than a page.
        "ListPolicies": {"Scope": "Local"},
        "ListPolicyTags": policy,
        "ListPolicyVersions": policy,
        "ListRolePolicies": role,
        "ListRoleTags": role,
        "ListSAMLProviderTags": {"SAMLProviderArn": saml["SAMLProviderArn"]},
        "ListSSHPublicKeys": user,
        "ListServerCertificateTags": {"ServerCertificateName": "certificate-0"},
        "ListSigningCertificates": user,
        "ListUserPolicies": user,
        "ListUserTags": user,
        "SimulateCustomPolicy": actions | {"PolicyInputList": [READ]},
        "SimulatePrincipalPolicy": actions | {"PolicySourceArn": arn("user/user-0")},
    }


def saml_metadata():
    lines = certificate("idp.example.com").splitlines()
    return SAML_METADATA.format(certificate="".join(lines[1:-1]))


SAML_METADATA = (
    '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com">'
    '<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">'
    '<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>'
    "<X509Certificate>{certificate}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>"
    '<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example.com"/>'
    f"<!--{'metadata ' * 50}--></IDPSSODescriptor></EntityDescriptor>"
)


def fill_credentials(iam, server):
    """Gives a user as many credentials of each kind as it can have, or four."""
    for n in range(2):
        iam.create_access_key(UserName="user-0")
        iam.upload_signing_certificate(UserName="user-0", CertificateBody=certificate(f"signer-{n}"))
    step = server.now() // 30_000
    for n in range(4):
        iam.upload_ssh_public_key(UserName="user-0", SSHPublicKeyBody=ssh_key(n))
        iam.upload_server_certificate(
            ServerCertificateName=f"certificate-{n}",
            CertificateBody=certificate("web"),
            PrivateKey=private_key_pem(),
            Tags=TAGS,
        )
        device = iam.create_virtual_mfa_device(VirtualMFADeviceName=f"device-{n}", Tags=TAGS)["VirtualMFADevice"]
        codes = [one_time_code(device["Base32StringSeed"], step + offset) for offset in (0, 1)]
        iam.enable_mfa_device(
            UserName="user-0",
            SerialNumber=device["SerialNumber"],
            AuthenticationCode1=codes[0],
            AuthenticationCode2=codes[1],
        )


def one_time_code(seed, step):
    """Returns the code of a device for a step of thirty seconds."""
    digest = hmac.new(base64.b32decode(seed), struct.pack(">Q", step), hashlib.sha1).digest()
    [number] = struct.unpack_from(">I", digest, digest[-1] & 15)
    return f"{(number & 0x7FFFFFFF) % 1_000_000:06}"


@functools.cache
def private_key(n=0):
    return rsa.generate_private_key(65537, 2048)


def private_key_pem():
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    return private_key().private_bytes(pem, serialization.PrivateFormat.TraditionalOpenSSL, plain).decode()


def ssh_key(n):
    form = serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    return private_key(n).public_key().public_bytes(*form).decode()


def certificate(name):
    """Returns a certificate of one key, which is signed with it."""
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    start = datetime.datetime(2020, 1, 1)
    builder = x509.CertificateBuilder(subject, subject, private_key().public_key(), 1, start, start.replace(year=2040))
    return builder.sign(private_key(), hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


def fill_kms(client, server):
    kms = client("kms")
    keys = [kms.create_key()["KeyMetadata"]["KeyId"] for _ in range(4)]
    key = {"KeyId": keys[0]}
    kms.tag_resource(**key, Tags=[{"TagKey": tag["Key"], "TagValue": tag["Value"]} for tag in TAGS])
    grantee = f"arn:aws:iam::{ACCOUNT}:root"
    for n in range(4):
        kms.create_alias(TargetKeyId=keys[0], AliasName=f"alias/name-{n}")
        kms.create_grant(**key, GranteePrincipal=grantee, RetiringPrincipal=grantee, Operations=["Encrypt"], Name=str(n))
        kms.rotate_key_on_demand(**key)
    return {
        "ListGrants": key,
        "ListKeyPolicies": key,
        "ListKeyRotations": key,
        "ListResourceTags": key,
        "ListRetirableGrants": {"RetiringPrincipal": grantee},
    }


def fill_logs(client, server):
    logs = client("logs")
    now = server.now()
    role = f"arn:aws:iam::{ACCOUNT}:role/writer"
    write = allow("logs:PutLogEvents", Principal={"Service": "es.amazonaws.com"})
    metric = [{"metricName": "m", "metricNamespace": "n", "metricValue": "1"}]
    for n in range(4):
        stream = f"arn:aws:kinesis:{REGION}:{ACCOUNT}:stream/{n}"
        logs.create_log_group(logGroupName=f"group-{n}")
        logs.create_log_stream(logGroupName="group-0", logStreamName=f"stream-{n}")
        # The same times in each stream, so that an order by time alone is ambiguous.
        events = [{"timestamp": now - 1000 + at, "message": f"{n}-{at}"} for at in range(3)]
        logs.put_log_events(logGroupName="group-0", logStreamName=f"stream-{n}", logEvents=events)
        filtered = {"logGroupName": "group-0", "filterName": f"filter-{n}", "filterPattern": "ERROR"}
        logs.put_metric_filter(**filtered, metricTransformations=metric)
        logs.put_destination(destinationName=f"destination-{n}", targetArn=stream, roleArn=role)
        logs.put_resource_policy(policyName=f"policy-{n}", policyDocument=write)
        if n < 2:
            function = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{n}"
            logs.put_subscription_filter(**filtered, destinationArn=function)
    group = {"logGroupName": "group-0"}
    return {
        "DescribeLogStreams": group,
        "DescribeMetricFilters": group,
        "DescribeSubscriptionFilters": group,
        "FilterLogEvents": group,
    }


def fill_schemas(client, server):
    schemas, events = client("schemas"), client("events")
    for n in range(4):
        schemas.create_registry(RegistryName=f"registry-{n}")
        schemas.create_schema(RegistryName="registry-0", SchemaName=f"order-{n}", Type="OpenApi3", Content=ORDER)
        if n:
            content = ORDER.replace('"Order", "version"', f'"Order {n}", "version"')
            schemas.update_schema(RegistryName="registry-0", SchemaName="order-0", Content=content)
        bus = events.create_event_bus(Name=f"bus-{n}")["EventBusArn"]
        schemas.create_discoverer(SourceArn=bus)
    registry = {"RegistryName": "registry-0"}
    return {
        "ListSchemas": registry,
        "ListSchemaVersions": registry | {"SchemaName": "order-0"},
        "SearchSchemas": registry | {"Keywords": "order"},
    }


def fill_secretsmanager(client, server):
    secrets = client("secretsmanager")
    for n in range(4):
        secrets.create_secret(Name=f"secret-{n}", SecretString="value")
    return {}


def fill_tagging(client, server):
    logs = client("logs")
    for n in range(4):
        logs.create_log_group(logGroupName=f"/tagged/{n}", tags={"team": f"team-{n}", f"key-{n}": "x"})
    return {"GetTagValues": {"Key": "team"}}


FILL = {
    "codepipeline": fill_codepipeline,
    "ec2": fill_ec2,
    "ecr": fill_ecr,
    "ecs": fill_ecs,
    "elasticache": fill_elasticache,
    "elb": fill_elb,
    "elbv2": fill_elbv2,
    "events": fill_events,
    "iam": fill_iam,
    "inspector2": fill_inspector2,
    "resourcegroupstaggingapi": fill_tagging,
    "kms": fill_kms,
    "logs": fill_logs,
    "schemas": fill_schemas,
    "secretsmanager": fill_secretsmanager,
    "rds": fill_rds,
}
