"""The cases have the names of the cases in Rust, so that a search finds both."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = HERE.parents[3] / "crates"
FILES = sorted(path for path in HERE.glob("test_*.py") if path.name != "test_names.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_case_has_the_name_of_a_case_in_rust(path: Path) -> None:
    if not CASES.is_dir():
        pytest.skip("needs the checkout")
    sources = [*CASES.glob("services/*/cases/**/*.rs"), *CASES.glob("nephos-core/tests/core/**/*.rs")]
    known = {name for source in sources for name in re.findall(r"fn (\w+)", source.read_text())}
    names = re.findall(r"^def test_(\w+)", path.read_text(), re.M)
    assert names
    assert [name for name in names if name not in known] == []
