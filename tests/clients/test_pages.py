"""The commands that pages show run, in the order of the page, and print what the page shows."""

import os
import pathlib
import re
import sys

import pages
import pytest
from installing import install_debian

# Programs of Debian that commands of pages use.
TOOLS = ["curl", "jq", "openssl", "skopeo", "xxd"]

PAGES = [page for page in pages.pages() if any(pages.runs(block, "sh", "console") for block in pages.blocks_of(page))]


@pytest.fixture
def shell(program, environment, tmp_path):
    """A shell in an empty folder, with the built program on the path, and variables of the AWS CLI."""
    programs, scratch, home, folder = (tmp_path / name for name in ["bin", "scratch", "home", "page"])
    for made in [programs, scratch, home, folder]:
        made.mkdir()
    (programs / "nephos").symlink_to(program)
    path = [str(programs), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
    variables = environment | pages.VARIABLES | {"HOME": str(home), "PATH": os.pathsep.join(path)}
    shell = pages.Shell(folder, scratch, variables)
    yield shell
    shell.close()


@pytest.mark.parametrize("page", PAGES, ids=pages.name_of)
def test_commands_of_a_page(page, shell, tmp_path):
    words = {word for block in pages.blocks_of(page) for word in re.findall(r"\w+", block.text)}
    for tool in TOOLS:
        if tool in words and not install_debian(tool):
            pytest.skip(f"{tool} is not installed, and cannot be: it needs Debian and root")
    pages.run_commands(page, shell, tmp_path / "page")


def test_blocks_are_run_or_have_a_reason(record_property):
    """Prints the blocks that are not run, with their reasons."""
    languages = {"", "json", "python", "rust", "sh", "console", "sql"}
    kept = []
    for page in pages.pages():
        assert page.read_text().count("```") == 2 * len(pages.blocks_of(page)), f"{page}: a block is not read"
        for block in pages.blocks_of(page):
            assert block.language in languages, f"{block}: the language {block.language} is not run"
            if "not run" not in block.comments:
                continue
            kept.append(f"{block}: {block.comments['not run']}")
            for path in re.findall(r"(?:crates|tests|examples)/[\w./-]+", block.text):
                assert (pages.ROOT / path).exists(), f"{block}: there is no {path}"
    record_property("table", "\n".join(["Blocks of pages that are not run:", *kept]))


def test_what_is_shown_is_compared():
    assert pages.agrees("a 2026-01-31T12:00:00Z  b", "a 2027-02-01T11:00:00.5Z b\n")
    assert pages.agrees("first\n…\nlast", "first\nsecond\nthird\nlast")
    assert pages.agrees("secret=…", "secret=abc") and not pages.agrees("secret=…", "secret=abc\nmore")
    assert pages.agrees("rows  14\nfileBytes 1", "rows  15\nfileBytes 22")
    assert not pages.agrees("hosts 14", "hosts 15")
