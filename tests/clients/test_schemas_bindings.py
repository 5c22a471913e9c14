"""Code bindings and resource policies of EventBridge Schemas through boto3, and generated Python that runs."""

import io
import json
import subprocess
import sys
import zipfile

import pytest
from schema_documents import ORDER

POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"AWS": "210987654321"}, "Action": "schemas:*", "Resource": "*"}],
    }
)
PROVIDED = {"RegistryName": "aws.events", "SchemaName": "aws.ec2@EC2InstanceStateChangeNotification"}


@pytest.fixture
def order(schemas):
    """Creates a registry with a schema."""
    schemas.create_registry(RegistryName="shop")
    schemas.create_schema(RegistryName="shop", SchemaName="com.shop@Order", Type="OpenApi3", Content=ORDER)
    return {"RegistryName": "shop", "SchemaName": "com.shop@Order"}


@pytest.mark.parametrize("language", ["Java8", "Python36", "TypeScript3", "Go1"])
def test_code_binding_is_generated(schemas, order, language):
    put = schemas.put_code_binding(**order, Language=language)
    assert (put["ResponseMetadata"]["HTTPStatusCode"], put["SchemaVersion"]) == (202, "1")
    assert put["Status"] == "CREATE_IN_PROGRESS"
    schemas.get_waiter("code_binding_exists").wait(**order, Language=language)
    found = schemas.describe_code_binding(**order, Language=language, SchemaVersion="1")
    assert (found["Status"], found["CreationDate"]) == ("CREATE_COMPLETE", put["CreationDate"])


def test_provider_has_code_bindings_from_the_start(schemas):
    found = schemas.describe_code_binding(**PROVIDED, Language="Java8")
    assert (found["Status"], found["SchemaVersion"]) == ("CREATE_COMPLETE", "1")
    described = schemas.describe_schema(**PROVIDED)
    assert "AWSEvent" in json.loads(described["Content"])["components"]["schemas"]
    [found] = schemas.search_schemas(RegistryName="aws.events", Keywords="instance-id")["Schemas"]
    assert found["SchemaName"] == PROVIDED["SchemaName"]


def test_resource_policy_of_a_registry(schemas, order):
    put = schemas.put_resource_policy(RegistryName="shop", Policy=POLICY)
    assert put["Policy"] == POLICY
    got = schemas.get_resource_policy(RegistryName="shop")
    assert (got["Policy"], got["RevisionId"]) == (POLICY, put["RevisionId"])
    again = schemas.put_resource_policy(RegistryName="shop", Policy=POLICY, RevisionId=got["RevisionId"])
    assert again["RevisionId"] != got["RevisionId"]
    deleted = schemas.delete_resource_policy(RegistryName="shop")
    assert deleted["ResponseMetadata"]["HTTPStatusCode"] == 204


USE = """
from schema.aws.ec2.ec2instancestatechangenotification import AWSEvent, EC2InstanceStateChangeNotification, Marshaller

event = {
    "version": "0", "id": "7bf73129", "detail-type": "EC2 Instance State-change Notification", "source": "aws.ec2",
    "account": "123456789012", "time": "2015-11-11T21:29:54Z", "region": "us-east-1", "resources": ["arn"],
    "detail": {"instance-id": "i-abcd1111", "state": "pending"},
}
parsed = Marshaller.unmarshall(event, AWSEvent)
assert isinstance(parsed.detail, EC2InstanceStateChangeNotification)
assert (parsed.detail.instance_id, parsed.time.year) == ("i-abcd1111", 2015)
assert Marshaller.marshall(parsed) == event
"""


def test_generated_python_compiles_and_runs(schemas, tmp_path):
    answer = schemas.get_code_binding_source(**PROVIDED, Language="Python36")
    archive = zipfile.ZipFile(io.BytesIO(answer["Body"].read()))
    assert archive.testzip() is None
    archive.extractall(tmp_path)
    sources = [str(path) for path in tmp_path.rglob("*.py")]
    subprocess.run([sys.executable, "-m", "py_compile", *sources], check=True)
    subprocess.run([sys.executable, "-c", USE], cwd=tmp_path, check=True)
