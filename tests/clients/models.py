"""botocore's models of services, converted to the format of the program's own description."""

import functools

import botocore.loaders
import botocore.model

# Types of the models that the program does not distinguish.
TYPE_ALIASES = {"long": "integer", "double": "float", "character": "string"}

# Default format of timestamps in bodies, by protocol; and in other locations, for all protocols.
DEFAULT_TIME_FORMAT = {"json": "unixtimestamp", "rest-json": "unixtimestamp", "query": "iso8601", "ec2": "iso8601"}
DEFAULT_TIME_FORMAT_IN = {"header": "rfc822", "querystring": "iso8601", "uri": "iso8601"}


@functools.cache
def loader():
    return botocore.loaders.create_loader()


def model_of(service):
    """Returns botocore's model of a service: by its name, or by its version and endpoint prefix."""
    names = loader().list_available_services("service-2")
    if service["service"] in names:
        return load(service["service"])
    names = [name for name in names if service["apiVersion"] in loader().list_api_versions(name, "service-2")]
    found = [model for model in map(load, names) if model.endpoint_prefix == service["endpointPrefix"]]
    assert len(found) == 1, f"{service['service']}: botocore has {len(found)} models of it"
    return found[0]


@functools.cache
def load(name):
    return botocore.model.ServiceModel(loader().load_service_model(name, "service-2"), name)


def describe_members(shape, protocol, side):
    """Returns the members of a shape of the model, also nested ones, by path."""
    members = {}

    def add_structure(path, shape, within):
        # A recursive structure is described once.
        if shape.name in within:
            return
        for name, member in shape.members.items():
            named = wire_name(name, member, protocol, side)
            dot = "." if path else ""
            facts = dict(required=side == "input" and name in shape.required_members)
            facts["payload"] = name == shape.serialization.get("payload")
            add(f"{path}{dot}{named}", member, within | {shape.name}, **facts)

    def add(path, shape, within, required=False, whole=True, payload=False):
        location = shape.serialization.get("location") if whole else None
        document = getattr(shape, "is_document_type", False)
        facts = {
            "type": "document" if document else TYPE_ALIASES.get(shape.type_name, shape.type_name),
            "required": required,
            "in": "payload" if payload else location,
            "token": whole and bool(shape.metadata.get("idempotencyToken")),
            "secret": bool(shape.metadata.get("sensitive")),
        }
        if shape.type_name == "timestamp":
            usual = DEFAULT_TIME_FORMAT_IN.get(location, DEFAULT_TIME_FORMAT[protocol])
            facts["format"] = shape.serialization.get("timestampFormat", usual).lower()
        if shape.type_name == "string":
            facts["values"] = sorted(shape.enum)
        if shape.type_name == "list":
            facts |= list_layout(protocol, side, shape.serialization.get("flattened"), shape.member.serialization.get("name"))
        if shape.type_name == "map":
            facts |= map_layout(protocol, shape.key.serialization.get("name"), shape.value.serialization.get("name"))
        members[path] = facts
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
    """Returns the name of a member on the wire."""
    named = member.serialization.get("name", name)
    if protocol == "ec2" and side == "input":
        return member.serialization.get("queryName", named[0].upper() + named[1:])
    return named


def list_layout(protocol, side, flat, name):
    """Returns the layout of the items of a list, which matters only in forms and in XML."""
    if protocol not in ("query", "ec2") or (protocol == "ec2" and side == "input"):
        return {}
    usual = "item" if protocol == "ec2" else "member"
    return {"flat": bool(flat), "item": usual if name in (None, "member") else name}


def map_layout(protocol, key, value):
    """Returns the names of key and value in the entries of a map, which matter only in forms and in XML."""
    return {"key": key or "key", "value": value or "value"} if protocol in ("query", "ec2") else {}


def code_of(shape):
    """Returns the error code on the wire."""
    return shape.metadata.get("error", {}).get("code", shape.name)


@functools.cache
def statuses(model):
    """Returns the HTTP status of each error code of a model."""
    found = {}
    for shape in model.error_shapes:
        # `fault` is in the JSON of the model, but not in botocore's shape.
        fault = loader().load_service_model(model.service_name, "service-2")["shapes"][shape.name].get("fault")
        found[code_of(shape)] = shape.metadata.get("error", {}).get("httpStatusCode", 500 if fault else 400)
    return found
