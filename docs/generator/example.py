"""Sections of the page that teaches how to describe a kind: parts of the test that is its example."""

import functools
import re
import textwrap

from .registry import Facts, Missing

FILE = "crates/nephos-cloud/tests/cloud/describing_a_kind.rs"
PART = re.compile(r"^ *// part: ([^\n]+)\n(.*?)^ *// end\n", re.DOTALL | re.MULTILINE)


def part(facts: Facts, text: str) -> str:
    """One part, as a block of code."""
    return f"```rust\n{textwrap.dedent(text).rstrip()}\n```"


def sections(facts: Facts) -> dict:
    """A section for each part of the test: `example: kind`."""
    parts = PART.findall((facts.root / FILE).read_text())
    if not parts:
        raise Missing(f"{FILE} has no parts")
    return {f"example: {name}": functools.partial(part, text=text) for name, text in parts}
