"""The section about the crates of services, with the first sentence of the documentation of each."""

import re
from pathlib import Path

from .registry import Facts, Missing


def purpose(path: Path) -> str:
    """The first sentence of a file's documentation."""
    lines = []
    for line in path.read_text().splitlines():
        if not line.startswith("//!") or (lines and line == "//!"):
            break
        lines.append(line.removeprefix("//!").strip())
    if not lines:
        raise Missing(f"{path} has no documentation: it must start with a line `//! …`")
    text = " ".join(lines)
    text = re.sub(r"\[(`[^`]+`)\](\([^)]*\))?", r"\1", text)
    sentence = re.split(r"\.\s+(?=[A-Z`])", text)[0]
    return sentence.rstrip(".:").replace("|", "\\|")


def services(facts: Facts) -> str:
    """The crates of services."""
    lines = ["| Crate | Service | Contains | Needs |", "|---|---|---|---|"]
    for crate in facts.crates:
        contains = purpose(facts.root / "crates/services" / crate.folder / "src/lib.rs")
        lines.append(f"| `{crate.folder}` | `{crate.service}` | {contains} | {'; '.join(crate.needs)} |".replace("|  |", "| |"))
    return "\n".join(lines)
