"""Event schemas through the AWS CLI. Each command takes almost a second to start, so a test has many steps."""

import json

from schema_documents import ORDER


def test_schema_lifecycle(aws, schemas):
    made = aws("schemas", "create-registry", "--registry-name", "shop", "--tags", "team=web")
    assert made["Tags"] == {"team": "web"}
    where = ["--registry-name", "shop", "--schema-name", "com.shop@Order"]
    made = aws("schemas", "create-schema", *where, "--type", "OpenApi3", "--content", ORDER)
    assert (made["SchemaVersion"], made["SchemaName"]) == ("1", "com.shop@Order")
    # Timestamps are in ISO 8601.
    assert made["LastModified"].count(":") >= 2 and "T" in made["LastModified"]
    assert aws("schemas", "describe-schema", *where)["Content"] == ORDER
    exported = aws("schemas", "export-schema", *where, "--type", "JSONSchemaDraft4")
    assert json.loads(exported["Content"])["$schema"].startswith("http://json-schema.org/draft-04/")
    aws("schemas", "tag-resource", "--resource-arn", made["SchemaArn"], "--tags", "a=b,c=d")
    aws("schemas", "untag-resource", "--resource-arn", made["SchemaArn"], "--tag-keys", "a", "c")
    assert aws("schemas", "list-tags-for-resource", "--resource-arn", made["SchemaArn"]) == {"Tags": {}}
    again = aws.refused("schemas", "create-schema", *where, "--type", "OpenApi3", "--content", ORDER)
    assert (again.code, again.operation) == ("ConflictException", "CreateSchema")
    assert aws("schemas", "delete-schema", *where) is None
    refused = aws.refused("schemas", "describe-schema", *where)
    assert (refused.code, refused.message) == ("NotFoundException", "Schema with name com.shop@Order does not exist.")


def test_pagination_with_max_items_and_starting_token(aws, schemas):
    made = [f"r{n}" for n in range(5)]
    for name in made:
        schemas.create_registry(RegistryName=name)
    local = ["--scope", "Local", "--page-size", 2]
    names = lambda answer: [registry["RegistryName"] for registry in answer["Registries"]]
    assert names(aws("schemas", "list-registries", *local)) == made
    first = aws("schemas", "list-registries", *local, "--max-items", 3)
    assert names(first) == made[:3]
    rest = aws("schemas", "list-registries", *local, "--starting-token", first["NextToken"])
    assert (names(rest), "NextToken" in rest) == (made[3:], False)
