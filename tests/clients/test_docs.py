"""What the pages show of files, of the program and of the tree is current, and their links lead somewhere."""

import pathlib
import re
import subprocess

import pytest


ROOT = pathlib.Path(__file__).resolve().parents[2]

PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]

# A comment that names a file stands before the block that shows it.
SHOWN = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_shows_files_as_they_are(page):
    text = page.read_text()
    shown = SHOWN.findall(text)
    assert len(shown) == text.count("<!-- file:"), "a comment is not followed by a block"
    for path, block in shown:
        assert block == (ROOT / path).read_text(), f"{page.name} shows another {path}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in LINK.findall(page.read_text()):
        assert "://" in link or (page.parent / link).exists(), f"{page.name}: {link}"


def test_the_guide_shows_its_examples():
    files = {path for path, _ in SHOWN.findall((ROOT / "docs/testing.md").read_text())}
    assert {"tests/clients/examples/conftest.py", "crates/nephos/tests/nephos/testing_guide.rs"} <= files


def test_generated_sections_and_the_picture_are_current():
    generate = subprocess.run([ROOT / "docs" / "generate", "--check"], capture_output=True, text=True)
    assert generate.returncode == 0, generate.stdout + generate.stderr
