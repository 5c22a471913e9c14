"""Sections about services, kinds and features."""

import re

from . import words
from .registry import Facts, Missing


def services(facts: Facts) -> str:
    """README: services with their kinds, and the operations that agree with botocore's models."""
    lines = ["| Service | Kinds | Operations on the wire |", "|---|---|---:|"]
    for service, kinds in facts.kinds.items():
        has, known = facts.operations[service]
        names = ", ".join(f"`{kind}`" for kind in kinds)
        lines.append(f"| {facts.title(service)} | {names} | {has} of {known} |")
    return "\n".join(lines)


def next_kinds(facts: Facts) -> str:
    """README: the kinds of the specification that are not there."""
    total = sum(len(kinds) for _, kinds in words.SERVICES.values())
    missing = 0
    lines = []
    for service, (title, kinds) in words.SERVICES.items():
        absent = [f"`{kind}`" for kind in kinds if kind not in facts.kinds.get(service, [])]
        missing += len(absent)
        if absent:
            lines.append(f"- {title}: {', '.join(absent)}")
    if not lines:
        return f"All {total} planned kinds are there, and others that they refer to."
    return "\n".join([f"{total - missing} of {total} planned kinds are there, and others that they refer to. Next are:", "", *lines])


def count(facts: Facts) -> str:
    """The number of services, in digits."""
    return str(len(facts.kinds))


def count_in_words(facts: Facts) -> str:
    """The number of services, in words."""
    return words.number(len(facts.kinds))


def operations(facts: Facts) -> str:
    """Page about moto: operations of each service, and those that are not there, the most complete first."""

    def share(service: str) -> float:
        has, known = facts.operations[service]
        return has / known

    lines = [
        f"The services of Nephos today, and how many of the operations that botocore {facts.botocore} knows "
        "(`nephos explain --wire` lists them):",
        "",
        "| Service | Operations | Not there |",
        "|---|---|---|",
    ]
    for service in sorted(facts.kinds, key=lambda service: (-share(service), service)):
        has, known = facts.operations[service]
        lines.append(f"| `{service}` | {has} of {known} | {words.MISSING_OPERATIONS.get(service, '')} |".replace("|  |", "| |"))
    return "\n".join(lines)


def list_of_services(facts: Facts) -> str:
    """Page about LocalStack: the services that are there."""
    names = [facts.title(service) for service in facts.kinds]
    return words.wrapped(f"{words.number(len(names)).capitalize()} services are there: {words.joined(names)}.")


def other_services(facts: Facts) -> str:
    """Well-known services that are not there."""
    names = [name for service, name in words.WELL_KNOWN.items() if service not in facts.kinds]
    return words.wrapped(f"{', '.join(names)}.")


def controls(facts: Facts) -> str:
    """Operations manual: the test controls at the control endpoint."""
    rows = [f"| `POST {name}` | {text} |" for name, text in facts.controls.items()]
    return "\n".join(["| Path | Note |", "|---|---|", *rows])


def kinds_of_crate(facts: Facts) -> str:
    """Crate `nephos`: services and kinds, with links."""
    lines = ["| Service | Kinds |", "|---|---|"]
    for crate in facts.crates:
        if not facts.kinds[crate.service]:
            lines.append(f"| [`{crate.folder}`] | none; operations on the resources of all services |")
            continue
        exports = facts.root / "crates/nephos/src/kinds" / f"{crate.folder}.rs"
        if not exports.exists():
            raise Missing(f"{exports.relative_to(facts.root)} does not exist: it exports the kinds of {crate.folder}")
        renamed = dict(re.findall(r"::(\w+) as (\w+);", exports.read_text()))
        names = ", ".join(f"[`{renamed.get(kind, kind)}`]" for kind in facts.kinds[crate.service])
        lines.append(f"| [`{crate.folder}`] | {names} |")
    return "\n".join(lines)


def features(facts: Facts) -> str:
    """Crate `nephos`: its features."""
    services = [crate.folder for crate in facts.crates]
    needs = []
    for service in services:
        needed = [feature for feature in facts.features[service] if feature in services]
        if needed:
            needs.append(f"`{service}` needs {words.joined([f'`{feature}`' for feature in needed])}")
    names = ", ".join(f"`{service}`" for service in services)
    lines = ["| Feature | Default | Adds |", "|---|---|---|", f"| {names} | yes | one service each; {', '.join(needs)} |"]
    for feature, adds in words.FEATURES.items():
        default = "yes" if feature in facts.features["default"] else "no"
        lines.append(f"| `{feature}` | {default} | {adds} |")
    return "\n".join(lines)
