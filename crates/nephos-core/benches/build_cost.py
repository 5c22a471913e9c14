"""CPU time of compiling the program and its services, read from what `.ci/rustc-cost` noted during a build.

Dependencies that do not change are the yardstick, because machines differ: limits are multiples of their cost in the same build. What
build scripts do, such as compiling C, is not counted.

    build_cost.py [--limit FACTOR] [--log FILE]     exits with 1 if the program costs more than FACTOR yardsticks
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
YARDSTICK = ["clap_builder", "jiff", "rustls", "tokio"]
SHOWN = 12


def folders_of_program():
    """The folders of the packages that the program is made of."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    nodes = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    folders = {package["id"]: str(pathlib.Path(package["manifest_path"]).parent) for package in metadata["packages"]}
    found, waiting = set(), [package["id"] for package in metadata["packages"] if package["name"] == "nephos-cli"]
    while waiting:
        package = waiting.pop()
        if package not in found:
            found.add(package)
            kinds = lambda dep: {kind["kind"] for kind in dep["dep_kinds"]}  # noqa: E731
            waiting += [dep["pkg"] for dep in nodes[package] if kinds(dep) != {"dev"}]
    return {folders[package] for package in found}


def read(log):
    """CPU seconds of each crate of the program. Of a crate that was compiled several times, the last time counts."""
    folders, crates = folders_of_program(), {}
    for line in log.read_text().splitlines():
        user, system, kind, crate, folder = line.split(maxsplit=4)
        if kind == "library" and crate != "-" and folder in folders:
            crates[crate, folder] = float(user) + float(system)
    return collections.Counter(crates)


def operations():
    """The number of operations on the wire of all services."""
    conformance = json.loads((ROOT / "tests" / "clients" / "conformance.json").read_text())
    return sum(service["figures"]["operations"][0] for service in conformance.values() if "figures" in service)


def main():
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, metavar="FACTOR", help="exit with 1 above so many yardsticks")
    parser.add_argument("--log", type=pathlib.Path, default=target / "build-cost", help="what was noted during a build")
    arguments = parser.parse_args()
    crates = read(arguments.log)
    yardstick = sum(cost for (crate, _), cost in crates.items() if crate in YARDSTICK)
    if not yardstick:
        sys.exit(f"{arguments.log} has no build of the dependencies: remove the folder of the build, and run ./test")
    services = sum(cost for (_, folder), cost in crates.items() if folder.startswith(str(ROOT / "crates" / "services")))
    program, count = sum(crates.values()), operations()
    print(f"{', '.join(YARDSTICK)}, the yardstick: {yardstick:.1f} s CPU")
    print(f"compiling the program: {program:.1f} s CPU, {program / yardstick:.1f} yardsticks")
    print(f"services with {count} operations: {services:.1f} s CPU, {services / count:.3f} s for each operation")
    for (crate, _), cost in crates.most_common(SHOWN):
        print(f"{cost:7.1f}  {crate}")
    if arguments.limit is not None and program > arguments.limit * yardstick:
        sys.exit(f"compiling the program must cost at most {arguments.limit:g} yardsticks, cost {program / yardstick:.1f}")


main()
