"""Prints the options of `cargo test` that select the test programs whose sources contain a name: `programs_with.py NAME`.

The behaviour cases of a service are in its own program; they also run served, in the program of the server, which is large: it is
selected for names in its own sources only."""

import json
import pathlib
import subprocess
import sys


def folders(package, target):
    """The folders with the sources of a test program, or of the tests of a library."""
    yield pathlib.Path(target["src_path"]).parent
    if package["name"].endswith("-cases"):
        yield pathlib.Path(package["manifest_path"]).parent


def main():
    name = sys.argv[1].rpartition("::")[2]
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    metadata = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    options = set()
    for package in metadata["packages"]:
        for target in package["targets"]:
            if not target["test"]:
                continue
            sources = (source for folder in folders(package, target) for source in folder.rglob("*.rs"))
            if any(name in source.stem or name in source.read_text(errors="replace") for source in sources):
                options.add(f"--test {target['name']}" if target["kind"] == ["test"] else "--lib")
    print(" ".join(sorted(options)))


main()
