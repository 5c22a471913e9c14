"""Every error of EventBridge Schemas that a client can cause, through boto3."""

import pytest
from asserting import refused
from schema_documents import BUS, DRAFT4, ORDER
from test_schemas_bindings import POLICY, PROVIDED

ARN = "arn:aws:schemas:us-east-1:123456789012:"
MISSING = {"RegistryName": "missing"}
IN_MISSING = MISSING | {"SchemaName": "Order"}
NO_SCHEMA = {"RegistryName": "shop", "SchemaName": "missing"}
ORDER_SCHEMA = {"RegistryName": "shop", "SchemaName": "Order"}
NEW = {"RegistryName": "shop", "SchemaName": "New", "Type": "OpenApi3", "Content": ORDER}
NO_DISCOVERER = {"DiscovererId": "missing"}

# Operation and parameters that are refused in an account with a registry `shop` with a schema `Order`, and a discoverer.
NOT_FOUND = [
    ("describe_registry", MISSING),
    ("update_registry", MISSING),
    ("delete_registry", MISSING),
    ("create_schema", NEW | MISSING),
    ("describe_schema", IN_MISSING),
    ("describe_schema", NO_SCHEMA),
    ("describe_schema", ORDER_SCHEMA | {"SchemaVersion": "2"}),
    ("list_schemas", MISSING),
    ("update_schema", NO_SCHEMA | {"Description": "x"}),
    ("delete_schema", NO_SCHEMA),
    ("list_schema_versions", NO_SCHEMA),
    ("delete_schema_version", ORDER_SCHEMA | {"SchemaVersion": "2"}),
    ("search_schemas", MISSING | {"Keywords": "x"}),
    ("export_schema", NO_SCHEMA | {"Type": "OpenApi3"}),
    ("put_code_binding", NO_SCHEMA | {"Language": "Go1"}),
    ("describe_code_binding", ORDER_SCHEMA | {"Language": "Go1"}),
    ("get_code_binding_source", ORDER_SCHEMA | {"Language": "Go1"}),
    ("get_resource_policy", {"RegistryName": "shop"}),
    ("put_resource_policy", MISSING | {"Policy": POLICY}),
    ("delete_resource_policy", {"RegistryName": "shop"}),
    ("describe_discoverer", NO_DISCOVERER),
    ("update_discoverer", NO_DISCOVERER),
    ("delete_discoverer", NO_DISCOVERER),
    ("start_discoverer", NO_DISCOVERER),
    ("stop_discoverer", NO_DISCOVERER),
    ("tag_resource", {"ResourceArn": ARN + "registry/missing", "Tags": {"a": "b"}}),
    ("untag_resource", {"ResourceArn": ARN + "schema/shop/missing", "TagKeys": ["a"]}),
    ("list_tags_for_resource", {"ResourceArn": ARN + "discoverer/missing"}),
]

INVALID = [
    ("create_registry", {"RegistryName": "a@b"}),
    ("create_registry", {"RegistryName": "a b/c"}),
    ("create_registry", {"RegistryName": "x" * 65}),
    ("create_registry", {"RegistryName": "aws.reserved"}),
    ("create_registry", {"RegistryName": "n", "Description": "x" * 257}),
    ("create_registry", {"RegistryName": "n", "Tags": {"aws:x": "reserved"}}),
    ("create_registry", {"RegistryName": "n", "Tags": {f"k{n}": "" for n in range(51)}}),
    ("delete_registry", {"RegistryName": "shop"}),
    ("list_registries", {"Limit": 0}),
    ("list_registries", {"Limit": "many"}),
    ("list_registries", {"NextToken": "made up"}),
    ("list_registries", {"Scope": "Everywhere"}),
    ("create_schema", NEW | {"SchemaName": "a/b"}),
    ("create_schema", NEW | {"SchemaName": "é"}),
    ("create_schema", NEW | {"Type": "Avro"}),
    ("create_schema", NEW | {"Content": "no JSON"}),
    ("create_schema", NEW | {"Content": DRAFT4}),
    ("create_schema", NEW | {"Content": ORDER, "Type": "JSONSchemaDraft4"} | {"Content": '{"type": "thing"}'}),
    ("create_schema", {name: NEW[name] for name in ["RegistryName", "SchemaName"]}),
    ("update_schema", ORDER_SCHEMA | {"Content": "{}"}),
    ("update_schema", ORDER_SCHEMA | {"ClientTokenId": "x" * 37}),
    ("delete_schema_version", ORDER_SCHEMA | {"SchemaVersion": "1"}),
    ("search_schemas", {"RegistryName": "shop", "Keywords": " "}),
    ("export_schema", ORDER_SCHEMA | {"Type": "Avro"}),
    ("put_code_binding", ORDER_SCHEMA | {"Language": "Rust"}),
    ("put_resource_policy", {"RegistryName": "shop", "Policy": "{}"}),
    ("put_resource_policy", {"RegistryName": "shop", "Policy": POLICY.replace("schemas:", "s3:")}),
    ("get_resource_policy", {}),
    ("get_discovered_schema", {"Events": [], "Type": "OpenApi3"}),
    ("get_discovered_schema", {"Events": ["no JSON"], "Type": "OpenApi3"}),
    ("create_discoverer", {"SourceArn": "arn:aws:events:us-east-1:123456789012:rule/r"}),
    ("create_discoverer", {"SourceArn": BUS.replace("us-east-1", "eu-west-1")}),
    ("tag_resource", {"ResourceArn": "shop", "Tags": {"a": "b"}}),
    ("tag_resource", {"ResourceArn": ARN + "registry/shop"}),
    ("untag_resource", {"ResourceArn": ARN + "registry/shop", "TagKeys": ["aws:x"]}),
]

CONFLICT = [
    ("create_registry", {"RegistryName": "shop"}),
    ("create_schema", NEW | {"SchemaName": "Order"}),
    ("create_discoverer", {"SourceArn": BUS}),
]

FORBIDDEN = [
    ("update_registry", {"RegistryName": "aws.events", "Description": "mine"}),
    ("delete_registry", {"RegistryName": "discovered-schemas"}),
    ("create_schema", NEW | {"RegistryName": "aws.events"}),
    ("update_schema", PROVIDED | {"Description": "mine"}),
    ("delete_schema", PROVIDED),
    ("delete_schema_version", PROVIDED | {"SchemaVersion": "1"}),
    ("put_resource_policy", {"RegistryName": "aws.events", "Policy": POLICY}),
    ("tag_resource", {"ResourceArn": "arn:aws:schemas:us-east-1:123456789012:registry/aws.events", "Tags": {"a": "b"}}),
]

PRECONDITION = [("put_resource_policy", {"RegistryName": "shop", "Policy": POLICY, "RevisionId": "1"})]

REFUSALS = [
    *(("NotFoundException", 404, *call) for call in NOT_FOUND),
    *(("BadRequestException", 400, *call) for call in INVALID),
    *(("ConflictException", 409, *call) for call in CONFLICT),
    *(("ForbiddenException", 403, *call) for call in FORBIDDEN),
    *(("PreconditionFailedException", 412, *call) for call in PRECONDITION),
]


@pytest.fixture
def prepared_client(client):
    """Returns a client without parameter validation, in an account with a few resources."""
    schemas = client("schemas", checked=False)
    schemas.create_registry(RegistryName="shop")
    schemas.create_schema(**NEW | {"SchemaName": "Order"})
    schemas.create_discoverer(SourceArn=BUS)
    return schemas


@pytest.mark.parametrize(
    ("code", "status", "operation", "params"), REFUSALS, ids=[f"{refusal[2]}-{refusal[0]}" for refusal in REFUSALS]
)
def test_error_code_and_unchanged_state(prepared_client, code, status, operation, params):
    everything = lambda: (
        prepared_client.list_registries()["Registries"],
        prepared_client.list_schemas(RegistryName="shop")["Schemas"],
        prepared_client.describe_schema(**ORDER_SCHEMA)["Content"],
        prepared_client.list_discoverers()["Discoverers"],
    )
    before = everything()
    with refused(prepared_client, code, status) as caught:
        getattr(prepared_client, operation)(**params)
    assert caught.value.response["Code"] == code, "the error must have the members of the model"
    assert everything() == before


# Error codes that no client can cause.
UNREACHABLE = {
    "GoneException",  # a code binding can be generated from every document
    "InternalServerErrorException",  # a fault of the service
    "ServiceUnavailableException",  # the service is always available
    "TooManyRequestsException",  # there is no throttling
    "UnauthorizedException",  # every well-formed signature is accepted
}


def test_every_error_code_is_tested_or_unreachable(registry):
    reached = {refusal[0] for refusal in REFUSALS}
    assert reached | UNREACHABLE == {error["code"] for error in registry["schemas"]["errors"]}
    assert not reached & UNREACHABLE
