"""Compares the program's description of each service with botocore's model.

As a script it prints the figures and the differences; with `--raise` it writes them to `conformance.json`, the baseline
of the tests: figures may only rise, and every difference needs a reason there.
"""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys

from models import DEFAULT_TIME_FORMAT, DEFAULT_TIME_FORMAT_IN, code_of, describe_members, list_layout, map_layout, model_of, statuses

HERE = pathlib.Path(__file__).resolve().parent
BASELINE = HERE / "conformance.json"
PROGRAM = pathlib.Path(os.environ.get("NEPHOS_PROGRAM", HERE.parents[1] / "target/debug/nephos"))

def registry():
    """Returns the program's own description of its services."""
    command = [PROGRAM, "explain", "--wire", "-o", "json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@dataclasses.dataclass
class Service:
    """Result of comparing a service with its model."""

    name: str
    # Operations, members and error codes that agree, and their totals in the model; members and codes are those of
    # these operations.
    operations: list = dataclasses.field(default_factory=list)
    all_operations: int = 0
    # Members of inputs and outputs, nested ones included: those that agree, and all of the model.
    input: list = dataclasses.field(default_factory=lambda: [0, 0])
    output: list = dataclasses.field(default_factory=lambda: [0, 0])
    codes: int = 0
    all_codes: int = 0
    # Members and error codes of implemented operations that only the model has.
    absent: list = dataclasses.field(default_factory=list)
    # Differences in what both have, and whatever only the program has.
    differing: list = dataclasses.field(default_factory=list)

    @property
    def figures(self):
        return {
            "operations": [len(self.operations), self.all_operations],
            "input members": self.input,
            "output members": self.output,
            "codes": [self.codes, self.all_codes],
        }


def compare(service):
    """Compares a service of the registry with its model."""
    model = model_of(service)
    found = Service(service["service"], all_operations=len(model.operation_names))
    found.differing += differing_metadata(service, model.metadata)
    raised = set()
    for operation in service["operations"]:
        name = operation["operation"]
        if name not in model.operation_names:
            found.differing.append(f"{name}: the model has no such operation")
            continue
        known = model.operation_model(name)
        found.operations.append(name)
        found.differing += (f"{name}: {difference}" for difference in differing_address(service, operation, known))
        for side, shape in [("input", known.input_shape), ("output", known.output_shape)]:
            compare_members(found, f"{name}.{side}", operation[side], shape, service["protocol"], side)
        raised.update(code_of(shape) for shape in known.error_shapes)
    compare_codes(found, {error["code"]: error["status"] for error in service["errors"]}, raised, statuses(model))
    for names in [found.operations, found.absent, found.differing]:
        names.sort()
    return found


def compare_members(found, where, rows, shape, protocol, side):
    """Compares the members of the parameters or of the answer of an operation."""
    theirs = describe_members(shape, protocol, side)
    ours = {path_of(row, protocol, side): normalize_row(row, protocol, side) for row in rows}
    # A structure that the program keeps as it was given counts as one member.
    kept = {path for path, member in ours.items() if member["type"] == "document"}
    theirs = {path: member for path, member in theirs.items() if not is_within(path, kept)}
    for path in kept & theirs.keys():
        ours[path]["type"] = theirs[path]["type"]
    # A nested member is reported only if both sides have its parent.
    reached = lambda path, others: parent_path(path) is None or parent_path(path) in others
    figures = getattr(found, side)
    figures[1] += len(theirs)
    for path, member in theirs.items():
        if path in ours:
            differences = list(differing_member(ours[path], member))
            figures[0] += not differences
            found.differing += (f"{where}: {path}: {reason}" for reason in differences)
        elif reached(path, ours):
            found.absent.append(f"{where}: {path}")
    unknown = [path for path in ours if path not in theirs and reached(path, theirs)]
    found.differing += (f"{where}: {path}: the model has no such member" for path in unknown)


def compare_codes(found, ours, raised, known):
    """Compares the error codes of a service: `raised` by its implemented operations, of all that are `known` in the model."""
    found.all_codes = len(raised)
    found.codes = sum(ours.get(code) == known[code] for code in raised)
    found.absent += (f"error: {code}" for code in raised if code not in ours)
    for code, status in ours.items():
        if status != known.get(code, status):
            found.differing.append(f"error: {code}: status {status} here, {known[code]} in the model")
        # Some models have no error codes, although their services return many.
        if known and code not in known:
            found.differing.append(f"error: {code}: the model has no such code")


def differing_metadata(service, metadata):
    """Returns the differences in the metadata of a service."""
    theirs = {
        "apiVersion": metadata["apiVersion"],
        "endpointPrefix": metadata["endpointPrefix"],
        "signingName": metadata.get("signingName", metadata["endpointPrefix"]),
        "jsonVersion": metadata.get("jsonVersion") if service["protocol"] == "json" else None,
        "targetPrefix": metadata.get("targetPrefix") if service["protocol"] == "json" else None,
        "xmlNamespace": metadata.get("xmlNamespace"),
    }
    if isinstance(theirs["xmlNamespace"], dict):
        theirs["xmlNamespace"] = theirs["xmlNamespace"]["uri"]
    for name, value in theirs.items():
        if service.get(name) != value:
            yield f"{name}: {service.get(name)} here, {value} in the model"
    # A service may support several protocols; the program supports one of them.
    if service["protocol"] not in metadata.get("protocols", [metadata["protocol"]]):
        yield f"protocol: {service['protocol']} here, {metadata['protocol']} in the model"


def differing_address(service, operation, known):
    """Returns the differences in the HTTP binding of an operation, and in the wrapper of its answer."""
    if service["protocol"] == "query" and known.output_shape is not None:
        wrapper = known.output_shape.serialization.get("resultWrapper")
        if wrapper != f"{known.name}Result":
            yield f"the result wrapper is {wrapper} in the model"
    if service["protocol"] != "rest-json":
        return
    theirs = {
        "method": known.http["method"],
        "path": known.http["requestUri"],
        "status": known.http.get("responseCode", 200),
    }
    for name, value in theirs.items():
        if operation.get(name) != value:
            yield f"{name}: {operation.get(name)} here, {value} in the model"


def parent_path(path):
    """Returns the path of the parent of a member; None for a member at the top level."""
    for end in ["[]", "{}"]:
        if path.endswith(end):
            return path.removesuffix(end)
    return path.rpartition(".")[0] or None


def is_within(path, others):
    """True if another member contains the member."""
    parent = parent_path(path)
    return parent is not None and (parent in others or is_within(parent, others))


def path_of(row, protocol, side):
    """Returns the path of a row of the program's description. Forms in EC2's dialect have capitalized names."""
    if protocol == "ec2" and side == "input":
        return ".".join(part[0].upper() + part[1:] for part in row["member"].split("."))
    return row["member"]


def normalize_row(row, protocol, side):
    """Converts a row of the program's description to the format of `describe_members`."""
    facts = {
        "type": row["type"],
        "required": row.get("required", False),
        "in": row.get("in"),
        "token": row.get("token", False),
        "secret": row.get("secret", False),
    }
    if row["type"] == "timestamp":
        usual = DEFAULT_TIME_FORMAT_IN.get(row.get("in"), DEFAULT_TIME_FORMAT[protocol])
        facts["format"] = row.get("format", usual).lower()
    if row["type"] == "string":
        facts["values"] = sorted(row.get("values", []))
    if row["type"] == "list":
        facts |= list_layout(protocol, side, row.get("flat"), row.get("item"))
    if row["type"] == "map":
        facts |= map_layout(protocol, None, None)
    return facts


def differing_member(ours, theirs):
    """Returns the differences in a member."""
    for name in ours | theirs:
        here, there = ours.get(name), theirs.get(name)
        # The program may treat more members as secrets than the model does.
        if here == there or (name == "secret" and here):
            continue
        if name == "values":
            if not there:
                yield "an enum here, text in the model"
            elif not here:
                yield "text here, an enum in the model"
            else:
                changed = {"lacks": set(there) - set(here), "adds": set(here) - set(there)}
                yield "; ".join(f"{word} {', '.join(sorted(values))}" for word, values in changed.items() if values)
        else:
            yield f"{name}: {here} here, {there} in the model"


def table(services):
    """Formats the figures as a table."""
    rows = [("service", "operations", "input members", "output members", "codes", "differing")]
    for service in services:
        figures = ["{} of {}".format(*pair) for pair in service.figures.values()]
        rows.append((service.name, *figures, str(len(service.differing))))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def baseline():
    return json.loads(BASELINE.read_text()) if BASELINE.exists() else {}


# Baseline of a service that is not yet in the baseline.
EMPTY_BASELINE = {
    "figures": {"operations": [0, 0], "input members": [0, 0], "output members": [0, 0], "codes": [0, 0]},
    "operations": [],
    "absent": [],
    "differing": {},
}


def regressions(service, committed):
    """Returns what conforms less than in the baseline."""
    for name in sorted(set(committed["operations"]) - set(service.operations)):
        yield f"{name} is missing"
    for what, (now, total) in service.figures.items():
        before, before_total = committed["figures"].get(what, [0, 0])
        if now < before:
            yield f"{what}: {now} of {total} agree, {before} of {before_total} did"
    # Members of a new operation may be absent; for an old one, only those in the baseline may be.
    for path in sorted(set(service.absent) - set(committed["absent"])):
        if path.split(".")[0] in committed["operations"]:
            yield f"{path} is absent"


def improvements(service, committed):
    """Returns what conforms more than in the baseline."""
    for what, figures in service.figures.items():
        if figures[0] > committed["figures"].get(what, [0, 0])[0]:
            yield "{}: {} of {} agree".format(what, *figures)
    for path in sorted(set(committed["differing"]) - set(service.differing)):
        yield f"{path} no longer differs"


def unexplained_differences(service, committed):
    """Returns the differences of a service that have no reason in the baseline."""
    return [difference for difference in service.differing if not committed["differing"].get(difference)]


def updated_baseline(services, committed):
    """Returns the baseline of the current state: with the known reasons, and empty ones for new differences."""
    updated = {}
    for service in services:
        reasons = committed.get(service.name, {}).get("differing", {})
        updated[service.name] = {
            "figures": service.figures,
            "operations": service.operations,
            "absent": service.absent,
            "differing": {path: reasons.get(path, "") for path in service.differing},
        }
    return updated


def main():
    services, committed = [compare(service) for service in registry()], baseline()
    print(table(services))
    for service in services:
        reasons = committed.get(service.name, EMPTY_BASELINE)["differing"]
        for difference in service.differing:
            print(f"{service.name}: {difference} -- {reasons.get(difference) or 'NO REASON'}")
        for path in service.absent:
            print(f"{service.name}: {path} is absent")
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
