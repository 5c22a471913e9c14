"""What the program knows of each service, beside botocore's model of it.

Run as a program it tells the figures, and what differs; with `--raise` it writes them into `conformance.json`, which the
tests hold the program to: figures may only rise, and what differs without a reason there is a failure.
"""

import dataclasses
import functools
import json
import os
import pathlib
import subprocess
import sys

import botocore.loaders
import botocore.model

HERE = pathlib.Path(__file__).resolve().parent
BASELINE = HERE / "conformance.json"
PROGRAM = pathlib.Path(os.environ.get("NEPHOS_PROGRAM", HERE.parents[1] / "target/debug/nephos"))

# Types of the models that are one type here.
SAME = {"long": "integer", "double": "float", "character": "string"}

# How an instant is written if nothing is said, by protocol; elsewhere than in bodies it is the same for all.
USUAL_TIME = {"json": "unixtimestamp", "rest-json": "unixtimestamp", "query": "iso8601", "ec2": "iso8601"}
USUAL_TIME_IN = {"header": "rfc822", "querystring": "iso8601", "uri": "iso8601"}


def registry():
    """The program's own description of its services."""
    command = [PROGRAM, "explain", "--wire", "-o", "json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@functools.cache
def loader():
    return botocore.loaders.create_loader()


def model_of(service):
    """botocore's model of a service: the one of its name, or the only one with its version, address and protocol."""
    names = loader().list_available_services("service-2")
    if service["service"] not in names:
        versions = {name: loader().list_api_versions(name, "service-2") for name in names}
        names = [name for name in names if service["apiVersion"] in versions[name]]
    else:
        names = [service["service"]]
    found = []
    for name in names:
        described = loader().load_service_model(name, "service-2")
        if described["metadata"]["endpointPrefix"] == service["endpointPrefix"]:
            found.append(botocore.model.ServiceModel(described, name))
    if len(found) != 1:
        raise LookupError(f"{service['service']}: botocore has {len(found)} models of it")
    return found[0]


@dataclasses.dataclass
class Service:
    """How a service here compares with its model."""

    name: str
    # Operations, members and codes that are the same, and how many the model has: members and codes of those operations.
    operations: list
    all_operations: int
    members: int
    all_members: int
    codes: int
    all_codes: int
    # What the model has and this has not: members of operations that are here, and codes that these raise.
    absent: list
    # What both have, but not the same; and what only this has.
    differing: list

    @property
    def figures(self):
        return {
            "operations": [len(self.operations), self.all_operations],
            "members": [self.members, self.all_members],
            "codes": [self.codes, self.all_codes],
        }


def compare(service):
    """A service of the registry beside its model."""
    model = model_of(service)
    protocol = service["protocol"]
    differing = list(differing_metadata(service, model.metadata))
    operations, members, all_members, absent, raised = [], 0, 0, [], set()
    for operation in service["operations"]:
        name = operation["operation"]
        if name not in model.operation_names:
            differing.append(f"{name}: the model has no such operation")
            continue
        operations.append(name)
        known = model.operation_model(name)
        raised.update(code_of(shape) for shape in known.error_shapes)
        differing += (f"{name}: {why}" for why in differing_address(service, operation, known))
        for side, shape in [("input", known.input_shape), ("output", known.output_shape)]:
            theirs = described(shape, protocol, side)
            ours = {path_of(row, protocol, side): plainly(row, protocol, side) for row in operation[side]}
            all_members += len(theirs)
            for path, member in theirs.items():
                if path not in ours:
                    # What is within something that is absent is absent with it.
                    if outer(path) is None or outer(path) in ours:
                        absent.append(f"{name}.{side}: {path}")
                    continue
                why = list(differing_member(ours[path], member))
                members += not why
                differing += (f"{name}.{side}: {path}: {reason}" for reason in why)
            for path in ours:
                if path not in theirs and (outer(path) is None or outer(path) in theirs):
                    differing.append(f"{name}.{side}: {path}: the model has no such member")
    theirs = {code: statuses(model)[code] for code in sorted(raised)}
    ours = {error["code"]: error["status"] for error in service["errors"]}
    everywhere = statuses(model)
    absent += (f"error: {code}" for code in theirs if code not in ours)
    for code, status in ours.items():
        expected = everywhere.get(code, status)
        if status != expected:
            differing.append(f"error: {code}: status {status} here, {expected} in the model")
        # Some models name no codes at all, though their services raise many.
        if everywhere and code not in everywhere:
            differing.append(f"error: {code}: the model has no such code")
    return Service(
        service["service"],
        sorted(operations),
        len(model.operation_names),
        members,
        all_members,
        sum(ours.get(code) == status for code, status in theirs.items()),
        len(theirs),
        sorted(absent),
        sorted(differing),
    )


def differing_metadata(service, metadata):
    """What differs in how a service is reached."""
    theirs = {
        "apiVersion": metadata["apiVersion"],
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
    # A service may speak several; one of them is spoken here.
    if service["protocol"] not in metadata.get("protocols", [metadata["protocol"]]):
        yield f"protocol: {service['protocol']} here, {metadata['protocol']} in the model"


def differing_address(service, operation, known):
    """What differs in where an operation is found, and in what its answer stands."""
    if service["protocol"] == "query" and known.output_shape is not None:
        wrapper = known.output_shape.serialization.get("resultWrapper")
        if wrapper != f"{known.name}Result":
            yield f"the answer stands in {wrapper} in the model"
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
    for shape in [known.input_shape, known.output_shape]:
        if shape is not None and "payload" in shape.serialization:
            yield f"the body is the member {shape.serialization['payload']} in the model"


def outer(path):
    """The path of what holds the member at `path`; nothing holds a member of the operation itself."""
    for end in ["[]", "{}"]:
        if path.endswith(end):
            return path.removesuffix(end)
    return path.rpartition(".")[0] or None


def described(shape, protocol, side):
    """The members of a model's shape and all within them, by path."""
    members = {}

    def add_structure(path, shape, within):
        # One that holds itself is not told again.
        if shape.name in within:
            return
        for name, member in shape.members.items():
            named = wire_name(name, member, protocol, side)
            dot = "." if path else ""
            told = dict(required=side == "input" and name in shape.required_members)
            add(f"{path}{dot}{named}", member, within | {shape.name}, **told)

    def add(path, shape, within, required=False, whole=True):
        location = shape.serialization.get("location") if whole else None
        told = {
            "type": "document" if getattr(shape, "is_document_type", False) else SAME.get(shape.type_name, shape.type_name),
            "required": required,
            "in": location,
            "token": whole and bool(shape.metadata.get("idempotencyToken")),
            "secret": bool(shape.metadata.get("sensitive")),
        }
        if shape.type_name == "timestamp":
            usual = USUAL_TIME_IN.get(location, USUAL_TIME[protocol])
            told["format"] = shape.serialization.get("timestampFormat", usual).lower()
        if shape.type_name == "string":
            told["values"] = sorted(shape.enum)
        if shape.type_name == "list":
            told |= items(protocol, side, shape.serialization.get("flattened"), shape.member.serialization.get("name"))
        if shape.type_name == "map":
            told |= entries(protocol, shape.key.serialization.get("name"), shape.value.serialization.get("name"))
        members[path] = told
        if shape.type_name == "structure":
            add_structure(path, shape, within)
        elif shape.type_name == "list":
            add(f"{path}[]", shape.member, within, whole=False)
        elif shape.type_name == "map":
            add(f"{path}{{}}", shape.value, within, whole=False)

    if shape is not None:
        add_structure("", shape, frozenset())
    return members


def wire_name(name, member, protocol, side):
    """What a member of a model is called on the wire."""
    named = member.serialization.get("name", name)
    if protocol == "ec2" and side == "input":
        return member.serialization.get("queryName", named[0].upper() + named[1:])
    return named


def items(protocol, side, flat, name):
    """How the items of a list stand in what holds them: only in forms and in XML does it show."""
    if protocol not in ("query", "ec2") or (protocol == "ec2" and side == "input"):
        return {}
    usual = "item" if protocol == "ec2" else "member"
    return {"flat": bool(flat), "item": usual if name in (None, "member") else name}


def entries(protocol, key, value):
    """What the parts of a mapping's entries are called: only in forms and in XML does it show."""
    return {"key": key or "key", "value": value or "value"} if protocol in ("query", "ec2") else {}


def path_of(row, protocol, side):
    """Where a row of the program's description stands. Forms in EC2's dialect have names with capitals."""
    if protocol == "ec2" and side == "input":
        return ".".join(part[0].upper() + part[1:] for part in row["member"].split("."))
    return row["member"]


def plainly(row, protocol, side):
    """A row of the program's description in the same words."""
    told = {
        "type": row["type"],
        "required": row.get("required", False),
        "in": row.get("in"),
        "token": row.get("token", False),
        "secret": row.get("secret", False),
    }
    if row["type"] == "timestamp":
        usual = USUAL_TIME_IN.get(row.get("in"), USUAL_TIME[protocol])
        told["format"] = row.get("format", usual).lower()
    if row["type"] == "string":
        told["values"] = sorted(row.get("values", []))
    if row["type"] == "list":
        told |= items(protocol, side, row.get("flat"), row.get("item"))
    if row["type"] == "map":
        told |= entries(protocol, None, None)
    return told


def differing_member(ours, theirs):
    """What differs in a member."""
    for name in ours | theirs:
        here, there = ours.get(name), theirs.get(name)
        # What the model does not call a secret may well be one here.
        if here == there or (name == "secret" and here):
            continue
        if name == "values":
            if not there:
                yield "an enum here, text in the model"
            elif not here:
                yield "text here, an enum in the model"
            else:
                lacks, adds = sorted(set(there) - set(here)), sorted(set(here) - set(there))
                yield "; ".join(f"{word} {', '.join(values)}" for word, values in [("lacks", lacks), ("adds", adds)] if values)
        else:
            yield f"{name}: {here} here, {there} in the model"


def code_of(shape):
    """The code under which an error travels."""
    return shape.metadata.get("error", {}).get("code", shape.name)


@functools.cache
def statuses(model):
    """The HTTP status of each code that a model knows."""
    found = {}
    for shape in model.error_shapes:
        # Which of two sides is at fault is told by the model, though not by botocore's view of it.
        fault = loader().load_service_model(model.service_name, "service-2")["shapes"][shape.name].get("fault")
        found[code_of(shape)] = shape.metadata.get("error", {}).get("httpStatusCode", 500 if fault else 400)
    return found


def table(services):
    """The figures, for people."""
    rows = [("service", "operations", "members", "codes", "differing")]
    for service in services:
        figures = ["{} of {}".format(*pair) for pair in service.figures.values()]
        rows.append((service.name, *figures, str(len(service.differing))))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def baseline():
    return json.loads(BASELINE.read_text()) if BASELINE.exists() else {}


# What there is before a service is there.
NOTHING = {"figures": {"operations": [0, 0], "members": [0, 0], "codes": [0, 0]}, "operations": [], "absent": [], "differing": {}}


def falls(service, kept):
    """In what a service is less than was committed."""
    for name in sorted(set(kept["operations"]) - set(service.operations)):
        yield f"{name} is gone"
    for what, (now, total) in service.figures.items():
        before, before_total = kept["figures"][what]
        if now < before:
            yield f"{what}: {now} of {total} agree, {before} of {before_total} did"
    # Members of a new operation may be absent; those of an old one were there, or are in the list.
    for path in sorted(set(service.absent) - set(kept["absent"])):
        if path.split(".")[0] in kept["operations"]:
            yield f"{path} is absent"


def rises(service, kept):
    """In what a service is more than was committed."""
    for what, figures in service.figures.items():
        if figures[0] > kept["figures"][what][0]:
            yield "{}: {} of {} agree".format(what, *figures)
    for path in sorted(set(kept["differing"]) - set(service.differing)):
        yield f"{path} no longer differs"


def without_reason(service, kept):
    """What differs in a service without a reason."""
    return [why for why in service.differing if not kept["differing"].get(why)]


def raised(services, kept):
    """The baseline as it would be now: reasons stay with what they are for; what has none gets an empty one."""
    made = {}
    for service in services:
        reasons = kept.get(service.name, {}).get("differing", {})
        made[service.name] = {
            "figures": service.figures,
            "operations": service.operations,
            "absent": service.absent,
            "differing": {path: reasons.get(path, "") for path in service.differing},
        }
    return made


def main():
    services, kept = [compare(service) for service in registry()], baseline()
    print(table(services))
    for service in services:
        reasons = kept.get(service.name, NOTHING)["differing"]
        for why in service.differing:
            print(f"{service.name}: {why} -- {reasons.get(why) or 'WHY?'}")
        for path in service.absent:
            print(f"{service.name}: {path} is absent")
    if "--raise" not in sys.argv:
        return
    lost = [f"{service.name}: {why}" for service in services for why in falls(service, kept.get(service.name, NOTHING))]
    lost += (f"{name} is gone" for name in kept if name not in {service.name for service in services})
    if lost:
        sys.exit(f"{BASELINE.name} may only rise:\n  " + "\n  ".join(lost))
    BASELINE.write_text(json.dumps(raised(services, kept), indent=2, ensure_ascii=False) + "\n")
    print(f"written to {BASELINE.name}")


if __name__ == "__main__":
    main()
