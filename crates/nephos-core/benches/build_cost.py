"""CPU time of a clean build of the program, and of its services.

Builds the program with the dev profile in a folder of its own, as `cargo run -- tour` does from a clean clone, then the
services again. A dependency that does not change is the yardstick, because machines differ: limits are multiples of its cost.

    build_cost.py [--limit FACTOR]     exits with 1 if the program costs more than FACTOR yardsticks
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
YARDSTICK = "jiff"


def build(target, package):
    """Builds a package; returns the CPU seconds that this took."""
    environment = os.environ | {"CARGO_TARGET_DIR": target, "CARGO_INCREMENTAL": "0"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["cargo", "build", "--quiet", "-p", package], cwd=ROOT, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def operations():
    """The number of operations on the wire of all services."""
    conformance = json.loads((ROOT / "tests" / "clients" / "conformance.json").read_text())
    return sum(service["figures"]["operations"][0] for service in conformance.values() if "figures" in service)


def main():
    parser = argparse.ArgumentParser(description="CPU time of a clean build of the program, and of its services.")
    parser.add_argument("--limit", type=float, metavar="FACTOR", help="exit with 1 above so many yardsticks")
    limit = parser.parse_args().limit
    with tempfile.TemporaryDirectory(prefix="build-cost-") as target, tempfile.TemporaryDirectory(prefix="build-cost-") as again:
        first = build(target, YARDSTICK)
        whole = first + build(target, "nephos-cli")
        # Before and after, because the speed of a machine varies meanwhile.
        yardstick = (first + build(again, YARDSTICK)) / 2
        for library in ROOT.glob("crates/services/*/src/lib.rs"):
            library.touch()
        services = build(target, "nephos")
    count = operations()
    print(f"{YARDSTICK}, the yardstick: {yardstick:.1f} s CPU")
    print(f"program from a clean clone: {whole:.1f} s CPU, {whole / yardstick:.1f} yardsticks")
    print(f"services with {count} operations: {services:.1f} s CPU, {services / count:.3f} s for each operation")
    if limit is not None and whole > limit * yardstick:
        sys.exit(f"building the program must cost at most {limit:g} yardsticks, cost {whole / yardstick:.1f}")


main()
