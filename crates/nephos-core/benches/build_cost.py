"""CPU time of a clean build of the program, and of its services.

Builds the program with the dev profile in a folder of its own, as `cargo run -- tour` does from a clean clone, and notes what each crate
costs. Dependencies that do not change are the yardstick, because machines differ: limits are multiples of their cost in the same build.

    build_cost.py [--limit FACTOR]     exits with 1 if the program costs more than FACTOR yardsticks
"""

import argparse
import collections
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
YARDSTICK = ["clap_builder", "jiff", "rustls", "tokio"]
SHOWN = 12

# Runs the compiler, and adds a line with its CPU seconds, the crate and its folder to a file.
WRAPPER = """#!/bin/bash
TIMEFORMAT="%U %S ${CARGO_CRATE_NAME:--} ${CARGO_MANIFEST_DIR:--}"
{ time "$@" 2>&3; } 3>&2 2>>"$BUILD_COST"
"""


def build(folder, package):
    """Builds a package; returns the CPU seconds that this took, and those of each crate."""
    wrapper, log = folder / "rustc", folder / "log"
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)
    environment = os.environ | {
        "BUILD_COST": str(log),
        "CARGO_INCREMENTAL": "0",
        "CARGO_TARGET_DIR": str(folder / "target"),
        "RUSTC_WRAPPER": str(wrapper),
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["cargo", "build", "--quiet", "-p", package], cwd=ROOT, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    crates = collections.Counter()
    for line in log.read_text().splitlines():
        user, system, crate, manifest = line.split(maxsplit=3)
        crates[crate, manifest] += float(user) + float(system)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, crates


def operations():
    """The number of operations on the wire of all services."""
    conformance = json.loads((ROOT / "tests" / "clients" / "conformance.json").read_text())
    return sum(service["figures"]["operations"][0] for service in conformance.values() if "figures" in service)


def main():
    parser = argparse.ArgumentParser(description="CPU time of a clean build of the program, and of its services.")
    parser.add_argument("--limit", type=float, metavar="FACTOR", help="exit with 1 above so many yardsticks")
    limit = parser.parse_args().limit
    with tempfile.TemporaryDirectory(prefix="build-cost-") as folder:
        whole, crates = build(pathlib.Path(folder), "nephos-cli")
    yardstick = sum(cost for (crate, _), cost in crates.items() if crate in YARDSTICK)
    folder = str(ROOT / "crates" / "services")
    services = sum(cost for (_, manifest), cost in crates.items() if manifest.startswith(folder))
    compiled = sum(crates.values())
    count = operations()
    print(f"{', '.join(YARDSTICK)}, the yardstick: {yardstick:.1f} s CPU")
    print(f"program from a clean clone: {whole:.1f} s CPU, {whole / yardstick:.1f} yardsticks; {whole - compiled:.1f} s of it C and scripts")
    print(f"services with {count} operations: {services:.1f} s CPU, {services / count:.3f} s for each operation")
    for (crate, _), cost in crates.most_common(SHOWN):
        print(f"{cost:7.1f}  {crate}")
    if limit is not None and whole > limit * yardstick:
        sys.exit(f"building the program must cost at most {limit:g} yardsticks, cost {whole / yardstick:.1f}")


main()
