"""Event schema registries through boto3."""

import datetime
import json
import urllib.request

import pytest
from asserting import refused
from schema_documents import BUS, DRAFT4, ORDER, openapi

ARN = "arn:aws:schemas:us-east-1:123456789012:"


@pytest.fixture
def shop(schemas):
    """Creates a registry."""
    schemas.create_registry(RegistryName="shop")
    return "shop"


def put(schemas, name, content=ORDER, language="OpenApi3", **more):
    return schemas.create_schema(RegistryName="shop", SchemaName=name, Content=content, Type=language, **more)


def without_metadata(answer):
    return {name: value for name, value in answer.items() if name != "ResponseMetadata"}


def test_registry_lifecycle(schemas):
    made = schemas.create_registry(RegistryName="my.shop-1_x", Description="Orders", Tags={"team": "web"})
    assert made["ResponseMetadata"]["HTTPStatusCode"] == 201
    whole = {
        "RegistryName": "my.shop-1_x",
        "RegistryArn": ARN + "registry/my.shop-1_x",
        "Description": "Orders",
        "Tags": {"team": "web"},
    }
    assert without_metadata(made) == whole
    assert without_metadata(schemas.describe_registry(RegistryName="my.shop-1_x")) == whole
    changed = schemas.update_registry(RegistryName="my.shop-1_x", Description="")
    assert without_metadata(changed) == whole | {"Description": ""}
    [listed] = schemas.list_registries(Scope="Local")["Registries"]
    del whole["Description"]
    assert listed == whole, "a listing has no descriptions"
    deleted = schemas.delete_registry(RegistryName="my.shop-1_x")
    assert deleted["ResponseMetadata"]["HTTPStatusCode"] == 204
    assert schemas.list_registries(Scope="Local")["Registries"] == []


def test_registry_pagination(schemas):
    made = [f"r{n}" for n in range(7)]
    for name in made:
        schemas.create_registry(RegistryName=name)
    paginator = schemas.get_paginator("list_registries")
    pages = list(paginator.paginate(PaginationConfig={"PageSize": 3}))
    assert [len(page["Registries"]) for page in pages] == [3, 3, 2]
    every = ["aws.events", *made]
    assert [registry["RegistryName"] for page in pages for registry in page["Registries"]] == every
    found = paginator.paginate(RegistryNamePrefix="r6", Scope="Local")
    assert [registry["RegistryName"] for registry in found.search("Registries[]")] == ["r6"]
    [provided] = schemas.list_registries(Scope="AWS")["Registries"]
    assert provided == {"RegistryName": "aws.events", "RegistryArn": "arn:aws:schemas:us-east-1:123456789012:registry/aws.events"}
    part = paginator.paginate(PaginationConfig={"MaxItems": 4, "PageSize": 3}).build_full_result()
    rest = paginator.paginate(PaginationConfig={"StartingToken": part["NextToken"], "PageSize": 3}).build_full_result()
    assert [registry["RegistryName"] for registry in part["Registries"] + rest["Registries"]] == every


def test_pagination_token_is_bound_to_account_and_day(schemas, client, server):
    for n in range(3):
        schemas.create_registry(RegistryName=f"r{n}")
    token = schemas.list_registries(Limit=2)["NextToken"]
    other = client("schemas", account="210987654321")
    with refused(other, "BadRequestException"):
        other.list_registries(Limit=2, NextToken=token)
    server.advance("23h")
    assert len(schemas.list_registries(Limit=3, NextToken=token)["Registries"]) == 2
    server.advance("2h")
    with refused(schemas, "BadRequestException"):
        schemas.list_registries(Limit=2, NextToken=token)


@pytest.mark.parametrize("name", ["Order", "com.shop@Order", "a.b-c_d@e", "@", "search", "x" * 385])
def test_special_characters_of_names_in_the_path(schemas, shop, name):
    made = put(schemas, name)
    assert (made["SchemaName"], made["SchemaArn"]) == (name, f"{ARN}schema/shop/{name}")
    assert schemas.describe_schema(RegistryName="shop", SchemaName=name)["SchemaName"] == name
    schemas.tag_resource(ResourceArn=made["SchemaArn"], Tags={"a": "b"})
    assert schemas.list_tags_for_resource(ResourceArn=made["SchemaArn"])["Tags"] == {"a": "b"}
    schemas.delete_schema(RegistryName="shop", SchemaName=name)
    assert schemas.list_schemas(RegistryName="shop")["Schemas"] == []


def test_schema_round_trip(schemas, shop, server):
    before = datetime.datetime.fromtimestamp(server.now() / 1000, datetime.UTC)
    made = put(schemas, "Order", Description="An order", Tags={"team": "web"})
    assert made["ResponseMetadata"]["HTTPStatusCode"] == 201
    got = schemas.describe_schema(RegistryName="shop", SchemaName="Order")
    for times in [made, got]:
        for field in ["LastModified", "VersionCreatedDate"]:
            time = times.pop(field)
            assert time.tzinfo is not None and before <= time < before + datetime.timedelta(minutes=5)
    whole = {
        "SchemaName": "Order",
        "SchemaArn": ARN + "schema/shop/Order",
        "SchemaVersion": "1",
        "Type": "OpenApi3",
        "Description": "An order",
        "Tags": {"team": "web"},
    }
    assert without_metadata(made) == whole
    assert without_metadata(got) == whole | {"Content": ORDER}
    [listed] = schemas.list_schemas(RegistryName="shop")["Schemas"]
    assert listed.pop("LastModified") >= before
    assert listed == {name: whole[name] for name in ["SchemaName", "SchemaArn", "Tags"]} | {"VersionCount": 1}


def test_changed_content_creates_a_schema_version(schemas, shop, server):
    first = put(schemas, "Order")
    server.advance("1h")
    changed = schemas.update_schema(RegistryName="shop", SchemaName="Order", Content=DRAFT4, Type="JSONSchemaDraft4")
    assert (changed["SchemaVersion"], changed["Type"]) == ("2", "JSONSchemaDraft4")
    assert changed["VersionCreatedDate"] - first["VersionCreatedDate"] >= datetime.timedelta(hours=1)
    same = schemas.update_schema(RegistryName="shop", SchemaName="Order", Description="words", ClientTokenId="t")
    assert same["SchemaVersion"] == "2"
    for n in range(3, 12):
        content = openapi(n={"maximum": n})
        schemas.update_schema(RegistryName="shop", SchemaName="Order", Content=content, Type="OpenApi3")
    paginator = schemas.get_paginator("list_schema_versions")
    versions = paginator.paginate(RegistryName="shop", SchemaName="Order", PaginationConfig={"PageSize": 4})
    numbers = list(versions.search("SchemaVersions[].SchemaVersion"))
    assert sorted(numbers, key=int) == [str(n) for n in range(1, 12)]
    old = schemas.describe_schema(RegistryName="shop", SchemaName="Order", SchemaVersion="1")
    assert (old["Content"], old["SchemaVersion"]) == (ORDER, "1")
    schemas.delete_schema_version(RegistryName="shop", SchemaName="Order", SchemaVersion="1")
    with refused(schemas, "NotFoundException", 404):
        schemas.describe_schema(RegistryName="shop", SchemaName="Order", SchemaVersion="1")
    assert schemas.list_schemas(RegistryName="shop")["Schemas"][0]["VersionCount"] == 10


def test_list_and_search_schemas(schemas, shop):
    for name in ["Order", "OrderLine", "Customer", "Cart", "Note"]:
        put(schemas, name, content=openapi(**{name.lower(): {"type": "string"}}))
    paginator = schemas.get_paginator("list_schemas")
    pages = paginator.paginate(RegistryName="shop", PaginationConfig={"PageSize": 2})
    assert list(pages.search("Schemas[].SchemaName")) == ["Cart", "Customer", "Note", "Order", "OrderLine"]
    pages = paginator.paginate(RegistryName="shop", SchemaNamePrefix="Order")
    assert list(pages.search("Schemas[].SchemaName")) == ["Order", "OrderLine"]
    pages = schemas.get_paginator("search_schemas").paginate(
        RegistryName="shop", Keywords="orderline string", PaginationConfig={"PageSize": 1}
    )
    [found] = pages.search("Schemas[]")
    assert (found["RegistryName"], found["SchemaName"]) == ("shop", "OrderLine")
    [version] = found["SchemaVersions"]
    assert (version["SchemaVersion"], version["Type"]) == ("1", "OpenApi3")
    assert isinstance(version["CreatedDate"], datetime.datetime)


def test_export_openapi_as_json_schema(schemas, shop):
    put(schemas, "Order")
    exported = schemas.export_schema(RegistryName="shop", SchemaName="Order", Type="JSONSchemaDraft4")
    assert (exported["Type"], exported["SchemaVersion"]) == ("JSONSchemaDraft4", "1")
    document = json.loads(exported["Content"])
    assert document["$schema"] == "http://json-schema.org/draft-04/schema#"
    assert '"type": ["string", "null"]' in json.dumps(document)
    same = schemas.export_schema(RegistryName="shop", SchemaName="Order", Type="OpenApi3", SchemaVersion="1")
    assert same["Content"] == ORDER


def test_discovered_schema_of_events(schemas):
    events = ['{"id": 1, "at": "2026-01-31T12:00:00Z"}', '{"id": 2}']
    found = schemas.get_discovered_schema(Events=events, Type="OpenApi3")
    [component] = json.loads(found["Content"])["components"]["schemas"].values()
    assert component["required"] == ["id"]
    assert component["properties"]["at"] == {"type": "string", "format": "date-time"}


def test_discoverer_lifecycle(schemas):
    made = schemas.create_discoverer(SourceArn=BUS, Description="learn", CrossAccount=False, Tags={"a": "b"})
    assert made["ResponseMetadata"]["HTTPStatusCode"] == 201
    one = {"DiscovererId": made["DiscovererId"]}
    assert (made["State"], made["CrossAccount"], made["Tags"]) == ("STARTED", False, {"a": "b"})
    assert without_metadata(schemas.describe_discoverer(**one)) == without_metadata(made)
    assert without_metadata(schemas.stop_discoverer(**one)) == one | {"State": "STOPPED"}
    assert schemas.describe_discoverer(**one)["State"] == "STOPPED"
    assert schemas.start_discoverer(**one)["State"] == "STARTED"
    assert schemas.update_discoverer(**one, CrossAccount=True)["CrossAccount"] is True
    schemas.create_discoverer(SourceArn=BUS.replace("default", "other"))
    pages = schemas.get_paginator("list_discoverers").paginate(PaginationConfig={"PageSize": 1})
    assert len(list(pages.search("Discoverers[].DiscovererId"))) == 2
    [other] = schemas.list_discoverers(SourceArnPrefix=BUS.replace("default", "o"))["Discoverers"]
    assert other["SourceArn"].endswith("/other")
    schemas.delete_discoverer(**one)
    with refused(schemas, "NotFoundException", 404):
        schemas.describe_discoverer(**one)


def test_tags_of_every_kind_by_arn(schemas, shop):
    arns = [
        schemas.describe_registry(RegistryName="shop")["RegistryArn"],
        put(schemas, "com.shop@Order")["SchemaArn"],
        schemas.create_discoverer(SourceArn=BUS)["DiscovererArn"],
    ]
    for arn in arns:
        tags = lambda: schemas.list_tags_for_resource(ResourceArn=arn)["Tags"]
        put_on = schemas.tag_resource(ResourceArn=arn, Tags={"a": "1", "b c/d": "é ü", "x": ""})
        assert put_on["ResponseMetadata"]["HTTPStatusCode"] == 204
        assert tags() == {"a": "1", "b c/d": "é ü", "x": ""}
        # The keys are sent as repeated parameters in the query string.
        schemas.untag_resource(ResourceArn=arn, TagKeys=["a", "b c/d"])
        assert tags() == {"x": ""}


def test_credentials_select_account_and_region(schemas, shop, client):
    other = client("schemas", account="210987654321", region="eu-west-1")
    assert other.list_registries(Scope="Local")["Registries"] == []
    made = other.create_registry(RegistryName="shop")
    assert made["RegistryArn"] == "arn:aws:schemas:eu-west-1:210987654321:registry/shop"
    with refused(schemas, "NotFoundException", 404):
        schemas.list_tags_for_resource(ResourceArn=made["RegistryArn"])


def test_presigned_url(schemas, client, shop):
    """Sends presigned requests with another client."""
    address = schemas.generate_presigned_url("list_registries", Params={"RegistryNamePrefix": "sh", "Limit": 3})
    with urllib.request.urlopen(address) as answer:
        [registry] = json.load(answer)["Registries"]
    assert registry["RegistryName"] == "shop"
    theirs = client("schemas", account="210987654321")
    theirs = theirs.generate_presigned_url("list_registries", Params={"Scope": "Local"})
    with urllib.request.urlopen(theirs) as answer:
        assert json.load(answer)["Registries"] == []


def test_response_body_names_tags_like_the_service(server, schemas):
    """boto3 converts `tags` to `Tags`; other clients see the body."""
    schemas.create_registry(RegistryName="r", Tags={"a": "b"})
    with urllib.request.urlopen(f"{server.url}/v1/registries/name/r") as answer:
        assert json.load(answer)["tags"] == {"a": "b"}
