"""JSON schemas of records."""

from __future__ import annotations

from typing import Any

from nephos import _nephos

_SIMPLE: dict[str, dict[str, Any]] = {
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "str": {"type": "string"},
    "datetime": {"type": "string", "format": "date-time"},
    "bytes": {"type": "string", "contentEncoding": "base64"},
    "secret": {"type": "string", "format": "password", "writeOnly": True},
    "any": {},
}


def of(cls: Any) -> dict[str, Any]:
    """Returns the schema of a class of records, with those of the records in it."""
    definitions: dict[str, Any] = {}
    schema = record(cls.__shape__, definitions)
    definitions.pop(cls.__shape__.name, None)
    if definitions:
        schema["$defs"] = definitions
    return schema


def record(shape: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of a record."""
    schema: dict[str, Any] = {"title": shape.name, "type": "object"}
    if shape.doc:
        schema["description"] = shape.doc
    # Before the fields, because a record may contain itself.
    definitions[shape.name] = schema
    schema["properties"] = {field.name: field_schema(field, definitions) for field in shape.fields}
    required = [field.name for field in shape.fields if field.is_required]
    if required:
        schema["required"] = required
    if not shape.extras:
        schema["additionalProperties"] = False
    return schema


def field_schema(field: _nephos.Field, definitions: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of a field."""
    schema = with_rules(type_schema(field.type, definitions), field.rules)
    if field.is_sensitive and schema.get("type") == "string":
        schema.update(format="password", writeOnly=True)
    if not field.is_required:
        schema = {"anyOf": [schema, {"type": "null"}], "default": field.default}
    if field.doc:
        schema["description"] = field.doc
    if field.is_service_set:
        schema["readOnly"] = True
    return schema


def type_schema(of: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of a type."""
    name = of[0]
    if name == "list":
        return {"type": "array", "items": type_schema(of[1], definitions)}
    if name == "dict":
        return {"type": "object", "additionalProperties": type_schema(of[1], definitions)}
    if name == "choice":
        return {"type": "string", "enum": [value for value, _, _ in of[1].values]}
    if name == "record":
        if of[1].name not in definitions:
            record(of[1], definitions)
        return {"$ref": f"#/$defs/{of[1].name}"}
    return dict(_SIMPLE[name])


_LENGTHS = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems"), "object": ("minProperties", "maxProperties")}


def with_rules(schema: dict[str, Any], rules: dict[str, Any]) -> dict[str, Any]:
    """Adds the rules of a value to its schema."""
    if "length" in rules and schema.get("type") in _LENGTHS:
        names = _LENGTHS[schema["type"]]
        schema.update(zip(names, rules["length"]))
    if "range" in rules:
        schema["minimum"], schema["maximum"] = rules["range"]
    if "pattern" in rules:
        schema["pattern"] = f"^(?:{rules['pattern']})$"
    if "enum" in rules:
        schema["enum"] = rules["enum"]
    if "items" in rules:
        key = "items" if "items" in schema else "additionalProperties"
        schema[key] = with_rules(schema.get(key, {}), rules["items"])
    return schema
