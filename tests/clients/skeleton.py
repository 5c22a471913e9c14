"""Prints the description of operations and records in Rust, from botocore's public models.

    tests/clients/run --skeleton elb                          # names of the operations and structures of a service
    tests/clients/run --skeleton elb CreateLoadBalancer …     # their descriptions, with the records and enums that they need

What a model knows is there: names, types, required members, lengths, patterns, enum values, locations, pagination. What a person
writes is missing: sentences (each item has its name in words), rules over several members, subjects, behaviour, and which
parameters are fields of a kind (`of = Kind, needs(…), takes(…)`), so that they are not typed twice.
"""

import re
import sys

import botocore.loaders
from botocore.model import ServiceModel

SCALARS = {
    "string": "Text", "integer": "i64", "long": "i64", "float": "f64", "double": "f64", "boolean": "bool",
    "timestamp": "Timestamp", "blob": "Blob",
}
KEYWORDS = {"type", "match", "ref", "mod", "use", "in", "move", "where"}


def snake(name: str) -> str:
    """The rule of nephos-derive: `DBInstanceIdentifier` becomes `db_instance_identifier`."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    # A plural s after a run of capitals belongs to the run.
    name = re.sub(r"([A-Z])([A-Z][a-rt-z]|[A-Z]s[a-z])", r"\1_\2", name)
    return re.sub(r"[^A-Za-z0-9]+", "_", name).lower()


def words(name: str) -> str:
    text = snake(name).replace("_", " ")
    text = re.sub(r"\b(arn|id|vpc|ip|url|dns|ssl|tls|kms|iam|db)(s?)\b", lambda found: found[1].upper() + found[2], text)
    return text[:1].upper() + text[1:] + "."


def identifier(name: str) -> str:
    return f"r#{snake(name)}" if snake(name) in KEYWORDS else snake(name)


def variant(value: str) -> str:
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", value) or [value]
    name = "".join(part[:1].upper() + part[1:].lower() for part in parts)
    return name if name[:1].isalpha() else f"V{name}"


class Skeleton:
    def __init__(self, service: str):
        model = botocore.loaders.Loader().load_service_model(service, "service-2")
        self.model = ServiceModel(model, service)
        try:
            self.paginators = botocore.loaders.Loader().load_service_model(service, "paginators-1")["pagination"]
        except botocore.exceptions.DataNotFoundError:
            self.paginators = {}
        names = [member for shape in self.model.shape_names for member in self._members(shape)]
        lower = sum(name[:1].islower() for name in names)
        self.case = "camel" if lower > len(names) / 2 else "pascal"
        self.printed: set[str] = set()
        self.pending: list = []

    def _members(self, name: str) -> list[str]:
        shape = self.model.shape_for(name)
        return list(shape.members) if shape.type_name == "structure" else []

    def spelled(self, rust: str) -> str:
        """The name that follows from the case of the service."""
        first, *rest = rust.removeprefix("r#").split("_")
        head = first if self.case == "camel" else first[:1].upper() + first[1:]
        return head + "".join(word[:1].upper() + word[1:] for word in rest)

    def type_of(self, shape) -> str:
        if shape.type_name == "list":
            return f"Vec<{self.type_of(shape.member)}>"
        if shape.type_name == "map":
            return f"Map<{self.type_of(shape.value)}>"
        if shape.type_name == "structure" or getattr(shape, "enum", None):
            if not getattr(shape, "is_document_type", False):
                self.pending.append(shape)
                return shape.name
        return "Value" if shape.type_name == "structure" else SCALARS[shape.type_name]

    def rules(self, shape) -> list[str]:
        found, data = [], shape.metadata
        low, high = data.get("min"), data.get("max")
        if low or high is not None:
            word = "range" if shape.type_name in ("integer", "long", "float", "double") else "length"
            found.append(f"{word}({low or ''}..{'' if high is None else f'={high}'})")
        if (pattern := data.get("pattern")) and not getattr(shape, "enum", None):
            found.append(f'pattern = r#"{pattern}"#' if '"' in pattern else f'pattern = r"{pattern}"')
        if shape.type_name == "list" and (inner := self.rules(shape.member)):
            found.append(f"each({', '.join(inner)})")
        return found

    def field(self, name: str, shape, required: bool, parameter: bool, paging: dict) -> list[str]:
        rust = identifier(name)
        attributes = [] if self.spelled(rust) == name else [f'name = "{name}"']
        if required and not parameter:
            attributes.append("required")
        location = shape.serialization.get("location")
        attributes += {"uri": ["in_path"], "querystring": ["in_query"], "header": ["in_header"]}.get(location, [])
        if name == paging.get("input_token"):
            attributes.append("page_token")
        if name == paging.get("limit_key"):
            attributes.append("page_size")
        if shape.metadata.get("sensitive"):
            attributes.append("sensitive")
        if shape.metadata.get("idempotencyToken"):
            attributes.append("token")
        attributes += self.items(shape) + self.rules(shape)
        ty = self.type_of(shape)
        lines = [f"    /// {words(name)}"]
        if attributes:
            lines.append(f"    #[field({', '.join(attributes)})]")
        lines.append(f"    {'pub ' if parameter else ''}{rust}: {ty if required and parameter else f'Option<{ty}>'},")
        return lines

    def items(self, shape) -> list[str]:
        """The name of the items of a list in forms and XML, if it is not the usual one."""
        if shape.type_name != "list" or self.model.metadata["protocol"] != "query":
            return []
        name = shape.member.serialization.get("name")
        return [] if name in (None, "member") else [f'item = "{name}"']

    def fields(self, shape, parameter: bool, paging: dict) -> list[str]:
        if shape is None:
            return []
        needed = set(shape.required_members)
        ordered = sorted(shape.members.items(), key=lambda member: parameter and member[0] not in needed)
        return [line for name, member in ordered for line in self.field(name, member, name in needed, parameter, paging)]

    def answer(self, operation, paging: dict) -> list[str]:
        """The words for the answer."""
        shape = operation.output_shape
        members = [] if shape is None else list(shape.members.items())
        if not members:
            return []
        token, result = paging.get("output_token"), paging.get("result_key")
        if token and isinstance(result, str) and shape.members.get(result, shape).type_name == "list":
            flag = [snake(name) for name, _ in members if name not in (token, result)]
            items = "".join(f"({word})" for word in self.items(shape.members[result]))
            names = [f"{snake(result)}{items}: {self.type_of(shape.members[result].member)}", snake(token), *flag[:1]]
            return [f"page({', '.join(names)})"]
        if len(members) == 1 and self.spelled(identifier(members[0][0])) == members[0][0]:
            items = "".join(f"({word})" for word in self.items(members[0][1]))
            return [f"wraps({identifier(members[0][0])}{items}: {self.type_of(members[0][1])})"]
        self.pending.append(shape)
        return [f"output = {shape.name}"]

    def operation(self, name: str) -> str:
        operation = self.model.operation_model(name)
        paging = self.paginators.get(name, {})
        effect = "read" if re.match("(Get|List|Describe|BatchGet|Search|Check|Test)", name) else "write"
        said = ['case = "camel"'] if self.case == "camel" else []
        said += [f"effect = {effect}", *self.answer(operation, paging), 'subject = "*"']
        if self.model.protocol.startswith("rest"):
            http = operation.http
            said.append(f'http("{http["method"]}", "{http["requestUri"]}", {http.get("responseCode", 200)})')
        body = self.fields(operation.input_shape, True, paging)
        lines = [f"/// {words(name)}", f"#[operation({', '.join(said)})]", f"pub struct {name} {{{'' if body else '}'}"]
        return "\n".join([*lines, *body, *(["}"] if body else [])])

    def record(self, shape) -> str:
        if enum := getattr(shape, "enum", None):
            values = [f'        /// {words(variant(value))}\n        {variant(value)} = "{value}",' for value in enum]
            return "\n".join(["choices! {", f"    /// {words(shape.name)}", f"    pub enum {shape.name} {{", *values, "    }", "}"])
        case = '\n#[record(case = "camel")]' if self.case == "camel" else ""
        body = self.fields(shape, False, {})
        return "\n".join([f"/// {words(shape.name)}\n#[derive(Record)]{case}\npub struct {shape.name} {{", *body, "}"])

    def print_all(self, names: list[str]) -> None:
        for name in names:
            if name in self.model.operation_names:
                print(self.operation(name), end="\n\n")
            else:
                self.pending.append(self.model.shape_for(name))
            while self.pending:
                shape = self.pending.pop(0)
                # Tags have one type for all services.
                if shape.name not in self.printed and shape.name != "Tag":
                    self.printed.add(shape.name)
                    print(self.record(shape), end="\n\n")


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    skeleton = Skeleton(sys.argv[1])
    if len(sys.argv) > 2:
        skeleton.print_all(sys.argv[2:])
        return
    model = skeleton.model
    print("operations:", *model.operation_names, sep="\n  ")
    print("structures:", *(name for name in model.shape_names if skeleton._members(name)), sep="\n  ")


if __name__ == "__main__":
    main()
