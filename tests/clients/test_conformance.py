"""Conformance of the registry to botocore's models: it may only rise."""

import copy
import warnings

import conformance
import pytest

RAISE = "tests/clients/run --raise"


@pytest.fixture(scope="session")
def compared(registry):
    return [conformance.compare(service) for service in registry.values()]


def test_conformance_does_not_fall_below_baseline(compared, record_property):
    committed = conformance.baseline()
    record_property("table", conformance.table(compared))
    lost = [f"{name} is missing" for name in committed if name not in {service.name for service in compared}]
    for service in compared:
        before = committed.get(service.name, conformance.EMPTY_BASELINE)
        lost += (f"{service.name}: {difference}" for difference in conformance.regressions(service, before))
        more = list(conformance.improvements(service, before))
        if more:
            warnings.warn(f"{service.name} conforms more than the baseline; update it with {RAISE}: " + "; ".join(more))
    assert not lost, "\n".join(["less conforms than in the baseline:", *lost])


def test_every_difference_has_a_reason(compared):
    committed = conformance.baseline()
    differing = [
        f"{service.name}: {difference}"
        for service in compared
        for difference in conformance.unexplained_differences(service, committed.get(service.name, conformance.EMPTY_BASELINE))
    ]
    message = f"these differ from botocore's models: correct them, or run {RAISE} and give each a reason:"
    assert not differing, "\n".join([message, *differing])


def member(service, operation, side, path):
    [found] = [found for found in service["operations"] if found["operation"] == operation]
    [row] = [row for row in found[side] if row["member"] == path]
    return found[side], row


def drop(service):
    rows, row = member(service, "CreateRegistry", "input", "Description")
    rows.remove(row)


def change(operation, side, path, **to):
    def apply(service):
        _, row = member(service, operation, side, path)
        row.update(to)

    return apply


def change_error(service):
    [error] = [error for error in service["errors"] if error["code"] == "NotFoundException"]
    error["status"] = 400


def drop_error(service):
    service["errors"] = [error for error in service["errors"] if error["code"] != "NotFoundException"]


def drop_operation(service):
    service["operations"] = [found for found in service["operations"] if found["operation"] != "DeleteRegistry"]


def move(service):
    [found] = [found for found in service["operations"] if found["operation"] == "DeleteRegistry"]
    found["path"] += "/{version}"


BREAKAGES = [
    (drop, "CreateRegistry.input: Description is absent"),
    (change("CreateRegistry", "input", "Description", member="description"), "Description is absent"),
    (change("CreateRegistry", "input", "Description", type="integer"), "type: integer here, string in the model"),
    (change("ListRegistries", "input", "limit", **{"in": "header"}), "in: header here, querystring in the model"),
    (change("CreateSchema", "input", "Content", required=False), "required: False here, True in the model"),
    (change("CreateSchema", "input", "Type", values=["OpenApi3"]), "lacks JSONSchemaDraft4"),
    (change("CreateSchema", "input", "Type", values=[]), "text here, an enum in the model"),
    (change("DescribeSchema", "output", "LastModified", format="unixTimestamp"), "format: unixtimestamp here, iso8601"),
    (change("UpdateSchema", "input", "ClientTokenId", token=False), "token: False here, True in the model"),
    (change("ListRegistries", "output", "Registries", type="map"), "type: map here, list in the model"),
    (change_error, "error: NotFoundException: status 400 here, 404 in the model"),
    (drop_error, "codes: 9 of 10 agree, 10 of 10 did"),
    (drop_operation, "DeleteRegistry is missing"),
    (move, "path: /v1/registries/name/{registryName}/{version} here, /v1/registries/name/{registryName} in the model"),
    (lambda service: service.update(signingName="scheme"), "signingName: scheme here, schemas in the model"),
]


@pytest.mark.parametrize(("breakage", "expected"), BREAKAGES, ids=[expected for _, expected in BREAKAGES])
def test_differences_are_reported(registry, breakage, expected):
    """Breaks a service in one way, and checks that the comparison reports it."""
    broken = copy.deepcopy(registry["schemas"])
    breakage(broken)
    service, committed = conformance.compare(broken), conformance.baseline()["schemas"]
    seen = [*conformance.regressions(service, committed), *conformance.unexplained_differences(service, committed)]
    assert any(expected in difference for difference in seen), seen


def written(member, type="string", **more):
    return {"member": member, "type": type} | more


def service(name, protocol, version, operation, input=(), output=(), errors=(), **more):
    """Returns a service with one operation, as the program would describe it."""
    described = {
        "service": name,
        "protocol": protocol,
        "apiVersion": version,
        "endpointPrefix": name,
        "signingName": name,
        "operations": [{"operation": operation, "input": list(input), "output": list(output)}],
        "errors": [{"code": code, "status": status} for code, status in errors],
    }
    return described | more


SECRETS = service(
    "secretsmanager",
    "json",
    "2017-10-17",
    "UpdateSecretVersionStage",
    input=[written("SecretId", required=True), written("VersionStage", required=True), written("MoveToVersionId")],
    output=[written("ARN"), written("Name")],
    errors=[("ResourceNotFoundException", 400), ("InternalServiceError", 500)],
    jsonVersion="1.1",
    targetPrefix="secretsmanager",
)

BALANCERS = service(
    "elbv2",
    "query",
    "2015-12-01",
    "DescribeTags",
    input=[written("ResourceArns", "list", item="member", required=True), written("ResourceArns[]")],
    output=[
        written("TagDescriptions", "list", item="member"),
        written("TagDescriptions[]", "structure"),
        written("TagDescriptions[].Tags", "list", item="member"),
        written("TagDescriptions[].Tags[]", "structure"),
        written("TagDescriptions[].Tags[].Key"),
    ],
    errors=[("ListenerNotFound", 400)],
    endpointPrefix="elasticloadbalancing",
    signingName="elasticloadbalancing",
    xmlNamespace="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/",
)

# Names as in EC2's answers; in its forms they are capitalized.
NETWORK = service(
    "ec2",
    "ec2",
    "2016-11-15",
    "DescribeVpcs",
    input=[written("filter", "list", item="member"), written("VpcId", "list", item="VpcId"), written("VpcId[]")],
    output=[
        written("vpcSet", "list", item="item"),
        written("vpcSet[]", "structure"),
        written("vpcSet[].vpcId"),
        written("vpcSet[].state", values=["available", "deleting", "pending"]),
        written("vpcSet[].isDefault", "boolean"),
    ],
    errors=[("InvalidVpcID.NotFound", 400)],
    xmlNamespace="http://ec2.amazonaws.com/doc/2016-11-15",
)

# Lists with an item name of their own.
DATABASES = service(
    "rds",
    "query",
    "2014-10-31",
    "CreateDBSubnetGroup",
    input=[
        written("DBSubnetGroupName", required=True),
        written("SubnetIds", "list", item="SubnetIdentifier", required=True),
        written("SubnetIds[]"),
    ],
    errors=[("DBSubnetGroupAlreadyExists", 400)],
    xmlNamespace="http://rds.amazonaws.com/doc/2014-10-31/",
)


@pytest.mark.parametrize("described", [SECRETS, BALANCERS, NETWORK, DATABASES], ids=lambda it: it["service"])
def test_every_protocol_is_compared(described):
    found = conformance.compare(described)
    assert found.differing == []
    [operation] = described["operations"]
    assert found.figures["operations"][0] == 1
    for side in ["input", "output"]:
        assert found.figures[f"{side} members"][0] == len(operation[side])
    # EC2's model has no error codes.
    assert found.codes == (0 if described["service"] == "ec2" else len(described["errors"]))


@pytest.mark.parametrize(
    ("described", "side", "path", "to", "expected"),
    [
        (BALANCERS, "input", "ResourceArns", {"flat": True}, "flat: True here, False in the model"),
        (BALANCERS, "output", "TagDescriptions[].Tags", {"item": "Tag"}, "item: Tag here, member in the model"),
        (NETWORK, "output", "vpcSet", {"item": "vpc"}, "item: vpc here, item in the model"),
        (NETWORK, "output", "vpcSet[].vpcId", {"member": "vpcSet[].VpcId"}, "the model has no such member"),
        (DATABASES, "input", "SubnetIds", {"item": "member"}, "item: member here, SubnetIdentifier in the model"),
        (SECRETS, "input", "SecretId", {"required": False}, "required: False here, True in the model"),
    ],
)
def test_list_layout_and_names_of_query_protocols_are_compared(described, side, path, to, expected):
    broken = copy.deepcopy(described)
    _, row = member(broken, broken["operations"][0]["operation"], side, path)
    row.update(to)
    assert any(expected in difference for difference in conformance.compare(broken).differing)
