"""Blocks of the pages of the documentation, and a shell that runs commands of a page as a reader would.

Comments directly above a block:

    <!-- not run: REASON -->   the block is not run, and the reason is listed
    <!-- file: PATH -->        the block is this file; commands of the page find it in their folder
    <!-- before: FILE -->      runs FILE of the page's folder in `tests/clients/pages` first; `$ROOT` is that of the repository

`sh` blocks are commands, which must succeed. `console` blocks have commands after `$ ` and what they print; a line `^C` ends the
server that runs in the foreground. `…` stands for any text, and alone on a line for any lines."""

import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import threading

from asserting import HANG

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = pathlib.Path(__file__).with_name("pages")

FENCE = re.compile(r"((?:^<!-- [^\n]*-->\n)*)^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!-- (not run|file|before): (.*?) -->")


@dataclasses.dataclass
class Block:
    """A block of a page, with the comments above it."""

    page: pathlib.Path
    line: int
    language: str
    text: str
    comments: dict[str, str]

    def __str__(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages():
    """Returns all pages for users."""
    readmes = [ROOT / "README.md", ROOT / "crates/nephos-python/README.md"]
    return [*readmes, *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]


def name_of(page):
    """Returns the name of a page: that of its folder, if it is a README."""
    return page.parent.name if page.name == "README.md" and page.parent != ROOT else page.stem.lower()


def blocks_of(page):
    """Returns the blocks of a page, in their order."""
    text = page.read_text()
    found = []
    for match in FENCE.finditer(text):
        comments, language, content = match.groups()
        line = text.count("\n", 0, match.start(2)) + 1
        found.append(Block(page, line, language, content, dict(COMMENT.findall(comments))))
    return found


def runs(block, *languages):
    return block.language in languages and not block.comments.keys() & {"not run", "file"}


def copy_files(page, folder):
    """Copies the files of a page into a folder; returns where they are."""
    files = FILES / name_of(page)
    if files.exists():
        shutil.copytree(files, folder, dirs_exist_ok=True)
    return files


# Variables of clients: any credentials, and no way to the provider, for a page that forgets the endpoint.
VARIABLES = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_MAX_ATTEMPTS": "1",
    "AWS_PAGER": "",
    "HTTPS_PROXY": "http://127.0.0.1:1",
    "NO_PROXY": "127.0.0.1",
}


# Commands of blocks.


@dataclasses.dataclass
class Command:
    """A command of a block; `answer` is what the page shows of its output, if anything."""

    text: str
    answer: str | None = None


INTERRUPT = "^C"


def commands_of(block):
    """Returns the commands of an `sh` or `console` block, and `INTERRUPT`s."""
    found, lines = [], block.text.splitlines()
    while lines:
        line = lines.pop(0)
        if block.language == "sh":
            if not line.strip() or line.startswith("#"):
                continue
        elif line == INTERRUPT:
            found.append(INTERRUPT)
            continue
        elif line.startswith("$ "):
            line = line.removeprefix("$ ")
        else:
            answered = found[-1] if found else None
            assert isinstance(answered, Command), f"{block}: no command prints {line!r}"
            answered.answer = (answered.answer or "") + line + "\n"
            continue
        while not is_complete(line):
            assert lines, f"{block}: the command does not end: {line}"
            line += "\n" + lines.pop(0)
        found.append(Command(line))
    for command in found:
        if isinstance(command, Command) and command.answer is not None:
            command.answer = command.answer.rstrip() or None
    return found


def is_complete(text):
    """True if a command does not go on in the next line."""
    checked = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    return checked.returncode == 0 and not checked.stderr and not text.endswith("\\")


# What differs from run to run, and the word that stands for it: times, IDs, keys, processes, and counts of rows and bytes.
VARYING = [
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", "TIME"),
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID"),
    (r"\b[0-9a-f]{16,128}\b", "HEX"),
    (r"\b(AKIA|ASIA)[A-Z0-9]{16}\b", "ACCESS-KEY"),
    (r"\bprocess \d+", "process PID"),
    (r"\bin \d+\.\d+s\b", "in SECONDS"),
    (r"(?<!\w)\d+(?= rows\b)", "COUNT"),
    (r"(\w*(?:rows|bytes)(?:Before|After)?\"?:? *)\d+", r"\1COUNT"),
    # Columns are as wide as what is in them.
    (r"(?<=\S)  +", " "),
    (r"[ \t]+$", ""),
]


def normal(text):
    """Returns text without what differs from run to run."""
    for pattern, word in VARYING:
        text = re.sub(pattern, word, text, flags=re.MULTILINE | re.IGNORECASE)
    return text.strip()


def agrees(shown, printed):
    """True if a command printed what the page shows."""
    lines = normal(shown).split("\n")
    patterns = ["(?s:.*)" if line == "…" else "[^\n]*".join(map(re.escape, line.split("…"))) for line in lines]
    return re.fullmatch("\n".join(patterns), normal(printed)) is not None


# The shell.

SERVE = re.compile(r"^(?:\w+=\S+ )*nephos\b.*? serve\b")
# A port that a server of the page listens at, and the address that it prints.
LISTEN = re.compile(r"(--listen \S+:|-p )(\d+)")
ADDRESS = re.compile(r"https?://[^\s/]+:(\d+)")


class Server:
    """A server that a command started. What it prints is read all the time."""

    def __init__(self, fifo, pid):
        self.pid = pid
        self.printed = ""
        self.ended = threading.Event()
        self.ready = threading.Event()
        threading.Thread(target=self.read, args=[fifo], daemon=True).start()

    def read(self, fifo):
        with open(fifo, errors="replace") as lines:
            for line in lines:
                if not self.ready.is_set():
                    self.printed += line
                if ADDRESS.search(line):
                    self.ready.set()
        self.ended.set()
        self.ready.set()

    def end(self, number):
        if not self.ended.is_set():
            os.kill(self.pid, number)
            assert self.ended.wait(HANG), "a server did not end"


class Shell:
    """bash in a folder. Servers get free ports; commands and what they print have those of the page."""

    def __init__(self, folder, scratch, environment):
        self.scratch = scratch
        self.ports = {}
        self.servers = []
        self.foreground = None
        self.process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def close(self):
        for server in self.servers:
            server.end(signal.SIGKILL)
        self.process.stdin.close()
        self.process.wait(HANG)
        self.process.stdout.close()

    def execute(self, text, result="$?"):
        """Runs text in the shell; returns `result` as the shell expands it, and what was printed."""
        command, output = self.scratch / "command", self.scratch / "output"
        command.write_text(text + "\n")
        self.process.stdin.write(f"source {command} </dev/null >{output} 2>&1; echo {result}\n")
        self.process.stdin.flush()
        # Ends a command that would never end, and with it the shell.
        limit = threading.Timer(HANG, os.killpg, [self.process.pid, signal.SIGKILL])
        limit.start()
        line = self.process.stdout.readline()
        limit.cancel()
        assert line, f"the shell ended at {text!r}"
        return int(line), output.read_text(errors="replace")

    def run(self, text):
        """Runs a command of a page; returns its exit code and what it printed, with the ports of the page."""
        text = re.sub(r"\s+#[^'\"]*$", "", text)
        for shown, used in self.ports.items():
            text = re.sub(rf":{shown}\b", f":{used}", text)
        if SERVE.match(text) or text.endswith("&"):
            status, printed = self.start(text)
        else:
            # A reader would see the server end before typing the next command.
            ended = re.match(r"kill .*(%\d+)$", text)
            status, printed = self.execute(f"{text} && {{ wait {ended[1]}; true; }}" if ended else text)
        for shown, used in self.ports.items():
            printed = re.sub(rf":{used}\b", f":{shown}", printed)
        return status, printed

    def start(self, text):
        """Starts a server; returns when it accepts connections, or has ended."""
        if not text.endswith("&"):
            self.interrupt()
        listen = LISTEN.search(text)
        if not listen:
            text = text.replace(" serve", " serve --listen 127.0.0.1:4566", 1)
            listen = LISTEN.search(text)
        shown = listen[2]
        # The port stays the same, because the page may have put it into a variable.
        text = text.replace(listen[0], listen[1] + str(self.ports.get(shown, 0)))
        fifo = self.scratch / f"server-{len(self.servers)}"
        os.mkfifo(fifo)
        # A server in the foreground is no job.
        forget = "" if text.endswith("&") else "disown"
        pid, _ = self.execute(f"{text.rstrip(' &')} >{fifo} 2>&1 & {forget}", "$!")
        server = Server(fifo, pid)
        self.servers.append(server)
        if not text.endswith("&"):
            self.foreground = server
        assert server.ready.wait(HANG), f"the server printed no address: {server.printed}"
        printed = server.printed
        if server.ended.is_set():
            return 1, printed.replace(f"{listen[1]}0", listen[0]).replace(":0 ", f":{shown} ")
        self.ports.setdefault(shown, ADDRESS.search(printed)[1])
        return 0, printed

    def interrupt(self):
        """Ends the server in the foreground, as Ctrl-C does."""
        if self.foreground:
            self.foreground.end(signal.SIGINT)
            self.foreground = None


def run_commands(page, shell, folder):
    """Runs all commands of a page in a shell in `folder`."""
    files = copy_files(page, folder)
    for block in blocks_of(page):
        if "file" in block.comments and block.language != "rust":
            shutil.copy(ROOT / block.comments["file"], folder)
        if not runs(block, "sh", "console"):
            continue
        if "before" in block.comments:
            before = shlex.quote(str(files / block.comments["before"]))
            status, printed = shell.run(f"ROOT={shlex.quote(str(ROOT))} source {before}")
            assert status == 0, f"{block}: {block.comments['before']}: {printed}"
        for command in commands_of(block):
            if command is INTERRUPT:
                shell.interrupt()
                continue
            status, printed = shell.run(command.text)
            if command.answer is not None:
                assert agrees(command.answer, printed), (
                    f"{block}: {command.text}\nthe page shows:\n{command.answer}\nit prints:\n{printed}"
                )
            else:
                assert status == 0, f"{block}: {command.text}\nends with {status}:\n{printed}"
