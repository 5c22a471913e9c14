"""Container repositories through boto3 and the AWS CLI: settings, policies, lifecycle policies, the registry, refusals."""

import json

import pytest
from asserting import refused

ACCOUNT, REGION = "123456789012", "us-east-1"

POLICY = {
    "Version": "2012-10-17",
    "Statement": [{"Sid": "new statement", "Effect": "Allow", "Principal": "*", "Action": ["ecr:DescribeImages"]}],
}
LIFECYCLE = {
    "rules": [
        {
            "rulePriority": 1,
            "selection": {"tagStatus": "untagged", "countType": "sinceImagePushed", "countUnit": "days", "countNumber": 14},
            "action": {"type": "expire"},
        }
    ]
}


@pytest.fixture
def ecr(client):
    return client("ecr")


def message(caught):
    return caught.value.response["Error"]["Message"]


def test_repository_is_created_described_changed_and_deleted(ecr):
    made = ecr.create_repository(repositoryName="web/api", tags=[{"Key": "team", "Value": "web"}])["repository"]
    made.pop("createdAt")
    assert made == {
        "repositoryArn": f"arn:aws:ecr:{REGION}:{ACCOUNT}:repository/web/api",
        "registryId": ACCOUNT,
        "repositoryName": "web/api",
        "repositoryUri": f"{ACCOUNT}.dkr.ecr.{REGION}.amazonaws.com/web/api",
        "imageTagMutability": "MUTABLE",
        "imageScanningConfiguration": {"scanOnPush": False},
        "encryptionConfiguration": {"encryptionType": "AES256"},
    }
    arn = {"resourceArn": made["repositoryArn"]}
    assert ecr.list_tags_for_resource(**arn)["tags"] == [{"Key": "team", "Value": "web"}]
    name = {"repositoryName": "web/api"}
    filters = [{"filterType": "WILDCARD", "filter": "dev-*"}]
    changed = ecr.put_image_tag_mutability(
        **name, imageTagMutability="IMMUTABLE_WITH_EXCLUSION", imageTagMutabilityExclusionFilters=filters
    )
    assert changed["imageTagMutabilityExclusionFilters"] == filters
    scanning = ecr.put_image_scanning_configuration(**name, imageScanningConfiguration={"scanOnPush": True})
    assert scanning["imageScanningConfiguration"] == {"scanOnPush": True}
    [found] = ecr.describe_repositories(repositoryNames=["web/api"])["repositories"]
    assert (found["imageTagMutability"], "tags" in found) == ("IMMUTABLE_WITH_EXCLUSION", False)
    assert ecr.delete_repository(**name)["repository"] == found
    with refused(ecr, "RepositoryNotFoundException") as caught:
        ecr.delete_repository(**name)
    text = f"The repository with name 'web/api' does not exist in the registry with id '{ACCOUNT}'"
    assert message(caught) == text


def test_encryption_under_a_key(ecr, client):
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]
    kms.create_alias(AliasName="alias/images", TargetKeyId=key["KeyId"])
    encryption = {"encryptionType": "KMS", "kmsKey": "alias/images"}
    made = ecr.create_repository(repositoryName="web", encryptionConfiguration=encryption)["repository"]
    assert made["encryptionConfiguration"] == {"encryptionType": "KMS", "kmsKey": key["Arn"]}
    made = ecr.create_repository(repositoryName="api", encryptionConfiguration={"encryptionType": "KMS"})["repository"]
    [managed] = [alias for alias in kms.list_aliases()["Aliases"] if alias["AliasName"] == "alias/aws/ecr"]
    assert made["encryptionConfiguration"]["kmsKey"].endswith(managed["TargetKeyId"])
    kms.disable_key(KeyId=key["KeyId"])
    with refused(ecr, "KmsException"):
        ecr.create_repository(repositoryName="new", encryptionConfiguration=encryption)


def test_refusals_have_the_words_of_the_service(ecr):
    ecr.create_repository(repositoryName="web")
    with refused(ecr, "InvalidParameterException") as caught:
        ecr.create_repository(repositoryName="Web")
    pattern = "(?:[a-z0-9]+(?:[._-][a-z0-9]+)*/)*[a-z0-9]+(?:[._-][a-z0-9]+)*"
    start = "Invalid parameter at 'repositoryName' failed to satisfy constraint:"
    assert message(caught) == f"{start} 'must satisfy regular expression '{pattern}''"
    with refused(ecr, "RepositoryAlreadyExistsException"):
        ecr.create_repository(repositoryName="web")
    with refused(ecr, "InvalidParameterException"):
        ecr.describe_repositories(repositoryNames=["web"], maxResults=1)
    with refused(ecr, "InvalidTagParameterException"):
        ecr.create_repository(repositoryName="new", tags=[{"Key": "aws:a", "Value": "b"}])


def test_policies(ecr):
    ecr.create_repository(repositoryName="web")
    name = {"repositoryName": "web"}
    with refused(ecr, "RepositoryPolicyNotFoundException"):
        ecr.get_repository_policy(**name)
    text = ecr.set_repository_policy(**name, policyText=json.dumps(POLICY))["policyText"]
    assert text.startswith('{\n  "Version" : "2012-10-17",\n  "Statement" : [ {') and json.loads(text) == POLICY
    assert ecr.get_repository_policy(**name)["policyText"] == text
    with refused(ecr, "InvalidParameterException") as caught:
        ecr.set_repository_policy(**name, policyText="{}")
    assert message(caught).endswith("failed to satisfy constraint: 'Invalid repository policy provided'")
    unknown = POLICY["Statement"][0] | {"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:role/none"}}
    with refused(ecr, "InvalidParameterException") as caught:
        ecr.set_repository_policy(**name, policyText=json.dumps(POLICY | {"Statement": [unknown]}))
    assert message(caught).endswith("failed to satisfy constraint: 'Principal not found'")
    put = ecr.put_lifecycle_policy(**name, lifecyclePolicyText=json.dumps(LIFECYCLE, indent=1))
    assert put["lifecyclePolicyText"] == json.dumps(LIFECYCLE, separators=(",", ":"))
    assert ecr.get_lifecycle_policy(**name)["lastEvaluatedAt"].timestamp() == 0
    with refused(ecr, "InvalidParameterException") as caught:
        ecr.put_lifecycle_policy(**name, lifecyclePolicyText=json.dumps(LIFECYCLE).replace("untagged", "tagged"))
    assert "instance failed to match exactly one schema (matched 0 out of 2)" in message(caught)
    ecr.delete_lifecycle_policy(**name)
    with refused(ecr, "LifecyclePolicyNotFoundException"):
        ecr.get_lifecycle_policy(**name)


def test_registry(ecr):
    assert ecr.describe_registry() | {"ResponseMetadata": None} == {
        "registryId": ACCOUNT,
        "replicationConfiguration": {"rules": []},
        "ResponseMetadata": None,
    }
    with refused(ecr, "RegistryPolicyNotFoundException"):
        ecr.get_registry_policy()
    statement = POLICY["Statement"][0] | {"Action": "ecr:ReplicateImage", "Resource": "*"}
    ecr.put_registry_policy(policyText=json.dumps(POLICY | {"Statement": [statement]}))
    destination = {"region": "eu-west-1", "registryId": ACCOUNT}
    replication = {"rules": [{"destinations": [destination]}]}
    assert ecr.put_replication_configuration(replicationConfiguration=replication)["replicationConfiguration"] == replication
    rule = {"ecrRepositoryPrefix": "quay", "upstreamRegistryUrl": "quay.io"}
    assert ecr.create_pull_through_cache_rule(**rule)["upstreamRegistry"] == "quay"
    with refused(ecr, "UnsupportedUpstreamRegistryException"):
        ecr.create_pull_through_cache_rule(ecrRepositoryPrefix="other", upstreamRegistryUrl="example.com")
    secret = f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:ecr-pullthroughcache/hub-AbCdEf"
    with refused(ecr, "SecretNotFoundException"):
        ecr.update_pull_through_cache_rule(ecrRepositoryPrefix="quay", credentialArn=secret)
    template = ecr.create_repository_creation_template(prefix="ROOT", appliedFor=["PULL_THROUGH_CACHE"])
    assert template["repositoryCreationTemplate"]["imageTagMutability"] == "MUTABLE"
    assert ecr.get_account_setting(name="REGISTRY_POLICY_SCOPE")["value"] == "V2"


def test_repository_with_the_cli(aws, server):
    name = ["--repository-name", "web"]
    made = aws("ecr", "create-repository", *name, "--image-scanning-configuration", "scanOnPush=true")["repository"]
    assert made["repositoryUri"] == f"{ACCOUNT}.dkr.ecr.{REGION}.amazonaws.com/web"
    aws("ecr", "put-image-tag-mutability", *name, "--image-tag-mutability", "IMMUTABLE")
    [found] = aws("ecr", "describe-repositories")["repositories"]
    assert found["imageTagMutability"] == "IMMUTABLE"
    aws("ecr", "put-lifecycle-policy", *name, "--lifecycle-policy-text", json.dumps(LIFECYCLE))
    aws("ecr", "delete-repository", *name, "--force")
    gone = aws.refused("ecr", "describe-repositories", "--repository-names", "web")
    assert (gone.code, gone.operation) == ("RepositoryNotFoundException", "DescribeRepositories")


def push(ecr, tag, number=0, **parameters):
    """Pushes an image without layers, and returns its digest."""
    manifest = json.dumps({"schemaVersion": 1, "number": number, "fsLayers": []})
    image = ecr.put_image(repositoryName="web", imageManifest=manifest, imageTag=tag, **parameters)["image"]
    return image["imageId"]["imageDigest"]


def test_scans(ecr, server):
    arn = ecr.create_repository(repositoryName="web")["repository"]["repositoryArn"]
    digest = push(ecr, "v1")
    image = {"repositoryName": "web", "imageId": {"imageTag": "v1"}}
    with refused(ecr, "ScanNotFoundException"):
        ecr.describe_image_scan_findings(**image)
    attributes = [{"key": "package_name", "value": "curl"}]
    findings = [{"name": f"CVE-{n}", "severity": "HIGH", "attributes": attributes} for n in range(3)]
    server.control("image-findings", {"repositoryArn": arn, "image": "v1", "findings": findings})
    assert ecr.start_image_scan(**image)["imageScanStatus"] == {"status": "IN_PROGRESS"}
    ecr.get_waiter("image_scan_complete").wait(**image)
    pages = list(ecr.get_paginator("describe_image_scan_findings").paginate(**image, PaginationConfig={"PageSize": 2}))
    assert [len(page["imageScanFindings"]["findings"]) for page in pages] == [2, 1]
    assert pages[0]["imageId"] == {"imageDigest": digest, "imageTag": "v1"}
    [detail] = ecr.describe_images(repositoryName="web")["imageDetails"]
    status = {"status": "COMPLETE", "description": "The scan was completed successfully."}
    assert detail["imageScanStatus"] == status
    assert detail["imageScanFindingsSummary"]["findingSeverityCounts"] == {"HIGH": 3}
    with refused(ecr, "LimitExceededException") as caught:
        ecr.start_image_scan(**image)
    assert message(caught) == "The scan quota per image has been exceeded. Wait and try again."


def test_enhanced_scanning(ecr, server):
    arn = ecr.create_repository(repositoryName="web")["repository"]["repositoryArn"]
    push(ecr, "v1")
    rule = {"scanFrequency": "CONTINUOUS_SCAN", "repositoryFilters": [{"filter": "*", "filterType": "WILDCARD"}]}
    ecr.put_registry_scanning_configuration(scanType="ENHANCED", rules=[rule])
    image = {"repositoryName": "web", "imageId": {"imageTag": "v1"}}
    found = ecr.describe_image_scan_findings(**image)
    assert found["imageScanStatus"] == {"status": "ACTIVE", "description": "Continuous scan is selected for image."}
    assert found["imageScanFindings"] == {"findings": []}
    finding = {"name": "CVE-1", "description": "A hole.", "severity": "CRITICAL"}
    server.control("image-findings", {"repositoryArn": arn, "image": "*", "findings": [finding]})
    [found] = ecr.describe_image_scan_findings(**image)["imageScanFindings"]["enhancedFindings"]
    assert (found["title"], found["status"], found["type"]) == ("CVE-1", "ACTIVE", "PACKAGE_VULNERABILITY")
    with refused(ecr, "ValidationException"):
        ecr.start_image_scan(**image)


def test_lifecycle_previews_and_expiry(ecr, server):
    ecr.create_repository(repositoryName="web")
    selection = {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": 1}
    rules = [{"rulePriority": 1, "selection": selection, "action": {"type": "expire"}}]
    policy = json.dumps({"rules": rules})
    with refused(ecr, "LifecyclePolicyPreviewNotFoundException"):
        ecr.get_lifecycle_policy_preview(repositoryName="web")
    old = push(ecr, "v1")
    server.advance("1s")
    new = push(ecr, "v2", 2)
    ecr.start_lifecycle_policy_preview(repositoryName="web", lifecyclePolicyText=policy)
    ecr.get_waiter("lifecycle_policy_preview_complete").wait(repositoryName="web")
    preview = ecr.get_lifecycle_policy_preview(repositoryName="web")
    assert preview["summary"] == {"expiringImageTotalCount": 1}
    [result] = preview["previewResults"]
    assert (result["imageDigest"], result["imageTags"], result["action"]) == (old, ["v1"], {"type": "EXPIRE"})
    ecr.put_lifecycle_policy(repositoryName="web", lifecyclePolicyText=policy)
    server.advance("24h")
    [left] = ecr.describe_images(repositoryName="web")["imageDetails"]
    assert left["imageDigest"] == new
    assert ecr.get_lifecycle_policy(repositoryName="web")["lastEvaluatedAt"].timestamp() > 0


def test_replication(ecr, client):
    destination = {"region": "eu-west-1", "registryId": ACCOUNT}
    ecr.put_replication_configuration(replicationConfiguration={"rules": [{"destinations": [destination]}]})
    ecr.create_repository(repositoryName="web")
    digest = push(ecr, "v1")
    status = ecr.describe_image_replication_status(repositoryName="web", imageId={"imageTag": "v1"})
    assert status["replicationStatuses"] == [destination | {"status": "COMPLETE"}]
    there = client("ecr", region="eu-west-1")
    [copied] = there.batch_get_image(repositoryName="web", imageIds=[{"imageTag": "v1"}])["images"]
    assert copied["imageId"]["imageDigest"] == digest


def test_referrers(ecr):
    ecr.create_repository(repositoryName="web")
    digest = push(ecr, "v1")
    kind = "application/vnd.oci.image.index.v1+json"
    signature = {"mediaType": kind, "artifactType": "application/signature", "subject": {"digest": digest, "size": 1}}
    ecr.put_image(repositoryName="web", imageManifest=json.dumps(signature))
    subject = {"repositoryName": "web", "subjectId": {"imageDigest": digest}}
    [found] = ecr.list_image_referrers(**subject)["referrers"]
    assert (found["artifactType"], found["artifactStatus"]) == ("application/signature", "ACTIVE")
    assert ecr.list_image_referrers(**subject, filter={"artifactTypes": ["application/other"]})["referrers"] == []


def test_findings_of_inspector(ecr, client, server):
    arn = ecr.create_repository(repositoryName="web")["repository"]["repositoryArn"]
    digest = push(ecr, "v1")
    attributes = [{"key": "package_name", "value": "curl"}, {"key": "package_version", "value": "7"}]
    finding = {"name": "CVE-1", "description": "A hole.", "severity": "HIGH", "attributes": attributes}
    server.control("image-findings", {"repositoryArn": arn, "image": "*", "findings": [finding]})
    ecr.start_image_scan(repositoryName="web", imageId={"imageTag": "v1"})
    inspector = client("inspector2")
    criteria = {"ecrImageHash": [{"comparison": "EQUALS", "value": digest}]}
    [found] = inspector.list_findings(filterCriteria=criteria)["findings"]
    assert (found["title"], found["severity"], found["status"]) == ("CVE-1 - curl", "HIGH", "ACTIVE")
    assert found["resources"][0]["id"] == f"{arn}/{digest}"
    with refused(inspector, "ValidationException"):
        inspector.list_findings(nextToken="x")


def test_clusters_services_and_task_definitions(client):
    ecs = client("ecs")
    tags = [{"key": "team", "value": "web"}]
    made = ecs.create_cluster(clusterName="shop", tags=tags)["cluster"]
    assert (made["status"], made["tags"]) == ("ACTIVE", tags)
    container = {"name": "web", "image": "web:v1"}
    registered = ecs.register_task_definition(family="web", containerDefinitions=[container], tags=tags)
    assert (registered["taskDefinition"]["revision"], registered["tags"]) == (1, tags)
    created = ecs.create_service(cluster="shop", serviceName="web", taskDefinition="web", desiredCount=1)["service"]
    assert created["taskDefinition"] == registered["taskDefinition"]["taskDefinitionArn"]
    assert ecs.list_services(cluster="shop")["serviceArns"] == [created["serviceArn"]]
    with refused(ecs, "ClusterContainsServicesException"):
        ecs.delete_cluster(cluster="shop")
    with refused(ecs, "ClientException") as caught:
        ecs.describe_task_definition(taskDefinition="none")
    assert message(caught) == "Unable to describe task definition."
    ecs.delete_service(cluster="shop", service="web", force=True)
    assert ecs.deregister_task_definition(taskDefinition="web:1")["taskDefinition"]["status"] == "INACTIVE"
    assert ecs.list_task_definitions(status="INACTIVE")["taskDefinitionArns"] == [created["taskDefinition"]]
    ecs.untag_resource(resourceArn=made["clusterArn"], tagKeys=["team"])
    assert ecs.list_tags_for_resource(resourceArn=made["clusterArn"])["tags"] == []
    assert ecs.delete_cluster(cluster="shop")["cluster"]["status"] == "INACTIVE"
