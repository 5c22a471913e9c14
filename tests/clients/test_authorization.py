"""Agreement of actions, resource types and condition keys with public authorization data: it may only rise."""

import copy

import authorization
import pytest

RAISE = "tests/clients/run --raise"


@pytest.fixture(scope="module")
def described():
    return {service["service"]: service for service in authorization.described()}


@pytest.fixture(scope="module")
def compared(described):
    return [authorization.compare(service) for service in described.values()]


def test_authorization_does_not_fall_below_baseline(compared, record_property):
    committed = authorization.baseline()
    record_property("table", authorization.table(compared))
    lost = [f"{name} is missing" for name in committed if name not in {service.name for service in compared}]
    for service in compared:
        before = committed.get(service.name, authorization.EMPTY_BASELINE)
        lost += (f"{service.name}: {loss}" for loss in authorization.regressions(service, before))
    assert not lost, "\n".join(["less agrees than in the baseline:", *lost])


def test_every_authorization_difference_has_a_reason(compared):
    committed = authorization.baseline()
    differing = [
        f"{service.name}: {difference}"
        for service in compared
        for difference in authorization.unexplained(service, committed.get(service.name, authorization.EMPTY_BASELINE))
    ]
    message = f"these differ from the authorization data: correct them, or run {RAISE} and give each a reason:"
    assert not differing, "\n".join([message, *differing])


def change(operation, **to):
    def apply(service):
        [found] = [found for found in service["operations"] if found["operation"] == operation]
        found.update(to)

    return apply


BREAKAGES = [
    ("logs", change("CreateLogGroup", action="logs:MakeLogGroup"), "CreateLogGroup: there is no action logs:MakeLogGroup"),
    ("logs", change("CreateLogGroup", access="Read"), "CreateLogGroup: access: Read here, Write in the data"),
    ("logs", change("PutLogEvents", resources=["*"]), "PutLogEvents: resources: none here, log-stream in the data"),
    ("logs", change("PutLogEvents", resources=["stream/{name}"]), "no resource type has the form stream/{name}"),
    ("logs", change("PutLogEvents", resources=["log-group:{name}"]), "PutLogEvents: resources: log-group only here"),
    ("logs", change("PutDestination", furtherActions=[]), "PutDestination: does not need iam:PassRole here"),
    ("logs", change("PutLogEvents", conditionKeys=["logs:Colour"]), "PutLogEvents: condition key logs:Colour only here"),
    ("logs", change("CreateLogGroup", conditionKeys=["aws:TagKeys"]), "condition key aws:ResourceTag/${TagKey} is absent"),
    ("elbv2", change("DeleteRule", resources=["{ListenerArn}"]), "resources: listener/app, listener/gwy, listener/net only here"),
    ("ec2", change("CreateSubnet", resources=["subnet/*"]), "CreateSubnet: resources: lacks vpc"),
    ("ec2", change("RunInstances", resources=["image/{ImageId}"]), "no resource type has the form image/{ImageId}"),
]


@pytest.mark.parametrize(("name", "breakage", "expected"), BREAKAGES, ids=[expected for *_, expected in BREAKAGES])
def test_authorization_differences_are_reported(described, name, breakage, expected):
    """Breaks a service in one way, and checks that the comparison reports it."""
    broken = copy.deepcopy(described[name])
    breakage(broken)
    service, committed = authorization.compare(broken), authorization.baseline()[name]
    seen = [*authorization.regressions(service, committed), *authorization.unexplained(service, committed)]
    assert any(expected in difference for difference in seen), seen
