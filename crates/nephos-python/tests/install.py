"""Installs the package, with a module that was built before, into the environment of this interpreter: `install.py MODULE`.

It leaves what an installed wheel leaves, so that the plugin of pytest is found."""

import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
SITE = Path(sysconfig.get_path("purelib"))


def main():
    project = tomllib.loads((HERE / "pyproject.toml").read_text())
    for package in project["tool"]["maturin"]["python-packages"]:
        source = next(path for path in (HERE / "python").glob(f"{package}*") if path.stem == package)
        target = SITE / source.name
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        else:
            shutil.copy(source, target)
    shutil.copy(sys.argv[1], SITE / "nephos" / "_nephos.abi3.so")
    subprocess.run([sys.executable, HERE / "stubs.py", SITE / "nephos"], check=True)
    name, points = project["project"]["name"], project["project"]["entry-points"]
    # What was installed before, under any name.
    for other in SITE.glob("*.dist-info/entry_points.txt"):
        if "pytest_nephos" in other.read_text():
            shutil.rmtree(other.parent)
    about = SITE / f"{name.replace('-', '_')}-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n")
    lines = [f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items()) for group, entries in points.items()]
    (about / "entry_points.txt").write_text("\n".join(lines))


main()
