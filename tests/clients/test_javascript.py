"""The AWS SDK for JavaScript on the server."""

import pathlib
import shutil
import subprocess

from asserting import HANG
from installing import install_javascript

HERE = pathlib.Path(__file__).resolve().parent / "javascript"


def test_all_services(environment, server):
    folder = install_javascript("javascript", HERE / "package.json")
    # node looks for packages beside the script.
    script = shutil.copy(HERE / "all_services.mjs", folder)
    # It warns that later versions of the SDK need a newer node.
    variables = environment | {"AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED": "true"}
    ended = subprocess.run(["node", script, server.url], env=variables, capture_output=True, text=True, timeout=HANG)
    assert (ended.returncode, ended.stdout + ended.stderr) == (0, ""), ended.stdout + ended.stderr
