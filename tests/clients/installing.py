"""Installs further clients in the target folder, once, and again when their versions change."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")


@contextlib.contextmanager
def fresh_folder(name, versions):
    """Yields an empty folder to install in, or None if `versions`, a file, is the same as at the last installation."""
    folder = TARGET / name
    mark = folder / f"installed-{versions.name}"
    if mark.exists() and mark.read_bytes() == versions.read_bytes():
        yield None
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    yield folder
    # Copied last, to mark the installation as complete.
    shutil.copyfile(versions, mark)


def install_python(name, requirements):
    """Installs packages from PyPI in an environment of their own; returns the folder of its programs."""
    with fresh_folder(name, requirements) as folder:
        if folder:
            run([sys.executable, "-m", "venv", folder])
            # Bytecode is written when a module is first imported: most modules of Ansible never are.
            pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
            run([*pip, "--requirement", requirements])
    return TARGET / name / "bin"


def install_javascript(name, package):
    """Installs packages from npm that a `package.json` names; returns their folder."""
    with fresh_folder(name, package) as folder:
        if folder:
            shutil.copyfile(package, folder / "package.json")
            run(["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder)
    return TARGET / name


def install_debian(program):
    """Returns the path of a program of a Debian package with the same name, which is installed if that is allowed; None if not."""
    if not shutil.which(program) and shutil.which("apt-get") and os.geteuid() == 0:
        quiet = ["apt-get", "--quiet", "--quiet"]
        run([*quiet, "update"])
        run([*quiet, "install", "--yes", "--no-install-recommends", program])
    return shutil.which(program)


def run(command, **options):
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert ended.returncode == 0, f"{command} exited with {ended.returncode}: {ended.stdout}{ended.stderr}"
