"""Sections about the tree: crates, folders and files with the first sentence of their documentation."""

import functools
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


def module(folder: Path) -> Path:
    """The file that has the documentation of a folder."""
    inside = folder / "mod.rs"
    return inside if inside.exists() else folder.with_suffix(".rs")


def row_of_folder(source: Path, folder: Path) -> str:
    """The row of a folder: its documentation, and the names of its files."""
    own = module(folder)
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.rs") if path != own)
    names = ", ".join(f"`{name}`" for name in files)
    return f"| `{folder.relative_to(source).as_posix()}/` | {purpose(own)}. Files: {names} |"


def table(facts: Facts, crate: str) -> str:
    """The files of a crate. A folder is one row."""
    source = facts.root / "crates" / crate / "src"
    lines = ["| File | Contains |", "|---|---|"]
    entries = [path for path in source.iterdir() if path.suffix == ".rs" or path.is_dir()]
    for path in sorted(entries, key=lambda path: (path.stem != "lib", path.stem)):
        if path.is_dir():
            lines.append(row_of_folder(source, path))
        elif not path.with_suffix("").is_dir():
            lines.append(f"| `{path.name}` | {purpose(path)} |")
    return "\n".join(lines)


def services(facts: Facts) -> str:
    """The crates of services."""
    lines = ["| Crate | Service | Contains | Needs |", "|---|---|---|---|"]
    for crate in facts.crates:
        contains = purpose(facts.root / "crates/services" / crate.folder / "src/lib.rs")
        lines.append(f"| `{crate.folder}` | `{crate.service}` | {contains} | {'; '.join(crate.needs)} |".replace("|  |", "| |"))
    return "\n".join(lines)


def folders_of_services(facts: Facts) -> str:
    """The folders of the crates of services."""
    lines = ["| Folder | Files | Contains |", "|---|---:|---|"]
    for crate in facts.crates:
        source = facts.root / "crates/services" / crate.folder / "src"
        for folder in sorted({path.parent for path in source.rglob("*.rs")} - {source}):
            name = f"{crate.folder}/{folder.relative_to(source).as_posix()}/"
            lines.append(f"| `{name}` | {len(list(folder.rglob('*.rs')))} | {purpose(module(folder))} |")
    return "\n".join(lines)


def sections(facts: Facts) -> dict:
    """A section for each crate that is not a service: `files of nephos-core`."""
    manifests = facts.root.glob("crates/*/Cargo.toml")
    return {f"files of {path.parent.name}": functools.partial(table, crate=path.parent.name) for path in manifests}
