"""A PostgreSQL in a scratch folder, and a proxy to it that cuts and holds connections."""

import os
import pathlib
import selectors
import shutil
import socket
import subprocess
import threading

PLACES = ["/usr/lib/postgresql/%d/bin" % version for version in (18, 17, 16, 15)] + ["/usr/local/bin"]


def programs():
    """Returns the folder of the programs of PostgreSQL; none if it is not installed."""
    for place in map(pathlib.Path, PLACES):
        if (place / "initdb").exists():
            return place
    return None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Database:
    """A PostgreSQL that belongs to the test."""

    def __init__(self, folder):
        self.folder, self.data, self.port = folder, folder / "data", free_port()
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")
        self.run("initdb", "--auth=trust", "--username=nephos", "--encoding=UTF8", "--locale=C", "--pgdata", self.data)
        with open(self.data / "postgresql.conf", "a") as settings:
            settings.write(f"listen_addresses = '127.0.0.1'\nport = {self.port}\nunix_socket_directories = ''\n")
            settings.write("shared_buffers = 64MB\nmax_connections = 200\n")
        self.start()

    def run(self, program, *arguments):
        # PostgreSQL does not run as root.
        prefix = ["setpriv", "--reuid=nobody", "--clear-groups", "--"] if os.geteuid() == 0 else []
        with open(self.folder / f"{program}.log", "wb") as log:
            command = [*prefix, programs() / program, *arguments]
            subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True)

    def start(self):
        self.run("pg_ctl", "start", "--wait", "--pgdata", self.data, "--log", self.data / "server.log")

    def kill(self):
        """Ends it without a checkpoint, as a crash does."""
        self.run("pg_ctl", "stop", "--mode=immediate", "--pgdata", self.data)


class Proxy:
    """Forwards connections to a port until they are cut."""

    def __init__(self, target):
        self.target, self.listener = target, socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lock, self.pairs = threading.Lock(), set()
        # Cleared while nothing is forwarded.
        self.open = threading.Event()
        self.open.set()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.forward, args=(client,), daemon=True).start()

    def forward(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target), timeout=5)
        except OSError:
            client.close()
            return
        pair = (client, server)
        with self.lock:
            self.pairs.add(pair)
        try:
            with selectors.DefaultSelector() as selector:
                for side, other in (pair, pair[::-1]):
                    side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    selector.register(side, selectors.EVENT_READ, other)
                while True:
                    for key, _ in selector.select():
                        data = key.fileobj.recv(1 << 16)
                        if not data:
                            return
                        self.open.wait()
                        key.data.sendall(data)
        except OSError:
            pass
        finally:
            with self.lock:
                self.pairs.discard(pair)
            for side in pair:
                side.close()

    def cut(self):
        """Cuts all connections. What was sent is carried out, and its answer is lost."""
        with self.lock:
            for pair in self.pairs:
                for side in pair:
                    try:
                        side.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass

    def hold(self):
        """Forwards nothing, and keeps the connections open."""
        self.open.clear()

    def release(self):
        self.open.set()
