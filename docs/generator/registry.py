"""Facts that the sections show: the registry of the program, the figures of the client tests, and the manifests."""

import functools
import json
import re
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

from . import words


class Missing(Exception):
    """A word or a fact that a section needs is missing; the text says where to add it."""


@dataclass(frozen=True)
class Crate:
    """A crate of a service."""

    folder: str
    service: str
    needs: list[str]


@dataclass(frozen=True)
class Facts:
    """Everything that the sections are made from."""

    root: Path
    program: str

    @functools.cached_property
    def kinds(self) -> dict[str, list[str]]:
        """Kinds of each service, in the order of the registry."""
        output = subprocess.run([self.program, "kinds", "-o", "json"], check=True, capture_output=True, text=True).stdout
        kinds: dict[str, list[str]] = {}
        for kind in json.loads(output):
            kinds.setdefault(kind["service"], []).append(kind["kind"])
        # A service may have no kinds of its own.
        for crate in self.crates:
            kinds.setdefault(crate.service, [])
        return kinds

    @functools.cached_property
    def controls(self) -> dict[str, str]:
        """Test controls, and the first sentence about each."""
        output = subprocess.run([self.program, "control", "--help"], check=True, capture_output=True, text=True).stdout
        listed = re.search(r"^Commands:\n(.*?)\n\n", output, re.DOTALL | re.MULTILINE)[1]
        entries = re.findall(r"^  (\S+) +(.*(?:\n {4,}.*)*)", listed, re.MULTILINE)
        sentences = {name: re.split(r"\.\s", " ".join(text.split()))[0].rstrip(".") for name, text in entries}
        sentences.pop("help", None)
        return sentences

    @functools.cached_property
    def operations(self) -> dict[str, tuple[int, int]]:
        """For each service, how many operations it has, and how many botocore's model has."""
        figures = json.loads((self.root / "tests/clients/conformance.json").read_text())
        return {service: tuple(of["figures"]["operations"]) for service, of in figures.items()}

    @functools.cached_property
    def botocore(self) -> str:
        """The version of botocore whose models the figures are about."""
        requirements = (self.root / "tests/clients/requirements.txt").read_text()
        return re.search(r"^botocore==(\S+)", requirements, re.MULTILINE)[1]

    @functools.cached_property
    def crates(self) -> list[Crate]:
        """The crates of services, by folder."""
        crates = []
        for lib in sorted((self.root / "crates/services").glob("*/src/lib.rs")):
            listed = re.search(r'service! \{\s+\w+ = "(\w+)"', lib.read_text())
            if listed is None:
                raise Missing(f"{lib.relative_to(self.root)} has no service! list")
            manifest = tomllib.loads((lib.parents[1] / "Cargo.toml").read_text())
            needs = []
            for name, dependency in manifest["dependencies"].items():
                other = name.removeprefix("nephos-")
                if not (self.root / "crates/services" / other).exists():
                    continue
                if not dependency.get("optional"):
                    needs.append(f"`{other}`")
                elif f"dep:{name}" in manifest["features"].get(other, []):
                    needs.append(f"`{other}`, if it is built")
            crates.append(Crate(lib.parents[1].name, listed[1], needs))
        return crates

    @functools.cached_property
    def features(self) -> dict[str, list[str]]:
        """The features of the crate `nephos`."""
        return tomllib.loads((self.root / "crates/nephos/Cargo.toml").read_text())["features"]

    def title(self, service: str) -> str:
        """The title of a service."""
        return words.SERVICES[service][0]

    def check(self) -> None:
        """Fails if a word is missing, or is about something that does not exist."""
        problems = []
        place = "docs/generator/words.py"
        for service in self.kinds:
            if service not in words.SERVICES:
                problems.append(f"{place}: SERVICES has no title for the service {service}")
            if service not in self.operations:
                problems.append(f"tests/clients/conformance.json has no service {service}; run tests/clients/run --raise")
                continue
            has, known = self.operations[service]
            if (has < known) != (service in words.MISSING_OPERATIONS):
                verb = "lacks" if has < known else "still has"
                problems.append(f"{place}: MISSING_OPERATIONS {verb} {service}, which has {has} of {known} operations")
        others = set(self.features) - {"default"} - {crate.folder for crate in self.crates}
        for feature in sorted(others ^ set(words.FEATURES)):
            verb = "lacks" if feature in others else "still has"
            problems.append(f"{place}: FEATURES {verb} the feature {feature} of crates/nephos/Cargo.toml")
        served = {crate.service for crate in self.crates}
        if served != set(self.kinds):
            problems.append(f"the program has other services than crates/services, build it again: {', '.join(sorted(served ^ set(self.kinds)))}")
        if problems:
            raise Missing("\n".join(problems))
