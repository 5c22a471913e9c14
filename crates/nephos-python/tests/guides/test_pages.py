"""The Python that pages show runs, block after block, and prints what the page shows after it.

The blocks of a page share their names. Tests that a block defines are called. `await` may stand anywhere. An endpoint on port 4566 is a
served cloud."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[3] / "tests/clients"))

import pages  # noqa: E402

PAGES = [page for page in pages.pages() if any(pages.runs(block, "python") for block in pages.blocks_of(page))]

# Runs the blocks that standard input has, as pairs of a place and a text.
RUNNER = '''
import ast, asyncio, inspect, sys

async def run(blocks):
    names = {"__name__": "page"}
    for number, (place, text) in enumerate(blocks):
        before = set(names)
        code = compile(text, place, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        done = eval(code, names)
        if inspect.isawaitable(done):
            await done
        for name in names.keys() - before:
            if name.startswith("test_"):
                names[name]()
        print(f"end of block {number}", flush=True)

asyncio.run(run(eval(sys.stdin.read())))
'''


@pytest.fixture
def endpoint():
    """The address of a served cloud."""
    command = [sys.executable, "-m", "nephos", "serve", "--memory", "--listen", "127.0.0.1:0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        yield server.stdout.readline().split("http://")[1].strip()
        server.terminate()


@pytest.mark.parametrize("page", PAGES, ids=pages.name_of)
def test_python_of_a_page(page, request, tmp_path):
    shown = pages.blocks_of(page)
    blocks = [block for block in shown if pages.runs(block, "python")]
    texts = [block.text for block in blocks]
    if any("127.0.0.1:4566" in text for text in texts):
        texts = [text.replace("127.0.0.1:4566", request.getfixturevalue("endpoint")) for text in texts]
    given = repr([(str(block), text) for block, text in zip(blocks, texts)])
    pages.copy_files(page, tmp_path)
    variables = pages.VARIABLES | {"PATH": os.defpath, "HOME": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", RUNNER], input=given, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    printed = re.split(r"end of block \d+\n", ended.stdout)
    for block, answer in zip(blocks, printed):
        after = shown[shown.index(block) + 1 :]
        if after and after[0].language == "" and is_next(block, after[0]):
            assert pages.agrees(after[0].text, answer), f"{block} prints:\n{answer}"


def is_next(block, after):
    """True if nothing but a blank line stands between two blocks."""
    return after.line == block.line + block.text.count("\n") + 3
