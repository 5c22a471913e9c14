"""The server under test, and calls to it without a library of the provider."""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import urllib.parse

DATE = "20260131"
VERSIONS = {"iam": "2010-05-08"}
TARGETS = {"logs": "Logs_20140328", "secretsmanager": "secretsmanager", "events": "AWSEvents"}


class Unreachable(Exception):
    """The server did not answer: the call may or may not have been executed."""


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body[:300]}")
        found = re.search(r"<Code>(\w+)</Code>", body) or re.search(r'"(?:__type|Code)":\s*"(?:\w+#)?(\w+)"', body)
        self.status, self.code = status, found[1] if found else ""


def processes_with(text):
    """Returns the IDs of processes with `text` among their arguments, without this one."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if text in (entry / "cmdline").read_text():
                    yield entry.name
            except OSError:
                pass


class Server:
    """`nephos serve` on a state file."""

    def __init__(self, program, folder):
        self.program, self.folder, self.state = program.resolve(), folder, folder / "state"
        self.process, self.address = None, "127.0.0.1:0"
        # Largest memory of each started process, in MiB.
        self.memories, self.peak_files = [], 0

    @property
    def peak_memory(self):
        return max(self.memories, default=0)

    def command(self):
        return [self.program, "serve", "--state-file", self.state, "--listen", self.address, "--quiet"]

    def start(self):
        self.process = subprocess.Popen(self.command(), cwd=self.folder, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening at http://"):
            raise Unreachable(f"the server printed {line!r}")
        self.address = line.removeprefix("listening at http://").strip()
        self.memories.append(0)

    def kill(self):
        """Ends the process without a warning."""
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def stop(self):
        """Ends the process gracefully; returns its exit code."""
        process, self.process = self.process, None
        process.terminate()
        process.stdout.close()
        return process.wait(60)

    def sample(self):
        """Notes memory and open files of the process."""
        process = pathlib.Path(f"/proc/{self.process.pid}")
        memory = re.search(r"VmRSS:\s+(\d+) kB", (process / "status").read_text())
        self.memories[-1] = max(self.memories[-1], int(memory[1]) >> 10)
        self.peak_files = max(self.peak_files, len(list((process / "fd").iterdir())))

    def check(self, path):
        """Returns the health of a state file."""
        key = self.folder / "state.nephos-key"
        command = [self.program, "state", "check", "--state-file", path, "--key-file", key, "-o", "json"]
        done = subprocess.run(command, capture_output=True, text=True)
        return json.loads(done.stdout)["health"] if done.returncode == 0 else done.stderr.strip()

    def send(self, method, path, headers, body):
        connection = http.client.HTTPConnection(self.address, timeout=600)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(str(error)) from error
        finally:
            connection.close()
        if answer.status != 200:
            raise Refused(answer.status, text)
        return text

    def control(self, path, body=None, method="POST"):
        """Calls the control endpoint."""
        data = None if body is None else json.dumps(body)
        return json.loads(self.send(method, f"/_nephos/{path}", {}, data))

    def now(self):
        """Returns the time of the cloud, in ISO 8601."""
        return self.control("clock", method="GET")["now"]

    def json(self, service, operation, **parameters):
        """Calls an operation of a service with JSON."""
        headers = {"x-amz-target": f"{TARGETS[service]}.{operation}", "content-type": "application/x-amz-json-1.1"}
        text = self.send("POST", "/", headers | authorization(service), json.dumps(parameters))
        return json.loads(text or "{}")

    def form(self, service, operation, fork=None, **parameters):
        """Calls an operation of a service with forms; returns the XML."""
        headers = {"content-type": "application/x-www-form-urlencoded"} | authorization(service)
        if fork:
            headers["x-nephos-fork"] = fork
        form = {"Action": operation, "Version": VERSIONS[service]} | parameters
        return self.send("POST", "/", headers, urllib.parse.urlencode(form))


def authorization(service):
    """Returns the headers of a signature, which is not verified."""
    scope = f"test/{DATE}/us-east-1/{service}/aws4_request"
    signature = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host;x-amz-date, Signature={'0' * 64}"
    return {"authorization": signature, "x-amz-date": f"{DATE}T120000Z"}
