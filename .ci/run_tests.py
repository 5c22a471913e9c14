"""Runs every test program of the workspace, two at a time: many wait more than they compute. `run_tests.py` builds them first, prints the
output of each when it ends, and at the end the programs that failed."""

import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path

COMMAND = ["cargo", "test", "--workspace", "--tests", "--no-run", "--message-format", "json-render-diagnostics"]


def programs():
    """The test programs, with the folder that each runs in. The largest come first: they have the most to do."""
    built = subprocess.run(COMMAND, stdout=subprocess.PIPE, text=True)
    if built.returncode:
        sys.exit(built.returncode)
    found = []
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
            found.append((Path(message["executable"]), Path(message["manifest_path"])))
    return sorted(found, key=lambda program: -program[0].stat().st_size)


def run(program):
    """Runs a program as `cargo test` does; returns its exit status and its output."""
    path, manifest = program
    # Tests of macros are linked with a library of the compiler.
    libraries = subprocess.run(["rustc", "--print", "target-libdir"], stdout=subprocess.PIPE, text=True).stdout.strip()
    variable = "DYLD_FALLBACK_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"
    searched = os.pathsep.join(filter(None, [libraries, str(path.parent), os.environ.get(variable)]))
    environment = {**os.environ, "CARGO": "cargo", "CARGO_MANIFEST_DIR": str(manifest.parent), variable: searched}
    ran = subprocess.run([path], cwd=manifest.parent, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ran.returncode, ran.stdout.decode(errors="replace")


def main():
    failed = []
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        running = {workers.submit(run, program): program[0] for program in programs()}
        for done in concurrent.futures.as_completed(running):
            status, output = done.result()
            print(f"\n     Running {running[done].name}\n{output}", end="", flush=True)
            if status:
                failed.append(running[done].name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


main()
