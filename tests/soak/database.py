"""PostgreSQL in scratch folders, and proxies that cut and hold connections."""

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
    """A PostgreSQL that belongs to the test: a primary, or a standby of one."""

    def __init__(self, folder, primary=None):
        self.folder, self.data, self.port = folder, folder / "data", free_port()
        folder.mkdir()
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")
        if primary:
            self.follow(primary)
        else:
            self.run("initdb", "--auth=trust", "--username=nephos", "--encoding=UTF8", "--locale=C", "--pgdata", self.data)
            self.configure("listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nshared_buffers = 64MB\nmax_connections = 200")
            self.start()

    def configure(self, settings):
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(f"port = {self.port}\n{settings}\n")

    def run(self, program, *arguments):
        # PostgreSQL does not run as root.
        prefix = ["setpriv", "--reuid=nobody", "--clear-groups", "--"] if os.geteuid() == 0 else []
        with open(self.folder / f"{program}.log", "wb") as log:
            command = [*prefix, programs() / program, *arguments]
            subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True)

    def start(self):
        self.run("pg_ctl", "start", "--wait", "--timeout=600", "--pgdata", self.data, "--log", self.data / "server.log")

    def kill(self):
        """Ends it without a checkpoint, as a crash does."""
        self.run("pg_ctl", "stop", "--mode=immediate", "--pgdata", self.data)

    def follow(self, primary):
        """Makes it a standby with the data of the primary, for which commits wait from then on."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.replication = Proxy(primary.port)
        source = f"host=127.0.0.1 port={self.replication.port} user=nephos"
        self.run("pg_basebackup", "--pgdata", self.data, "--dbname", source, "--write-recovery-conf", "--checkpoint=fast")
        self.configure("")
        self.start()
        primary.set_synchronous("*")

    def promote(self):
        """Makes it a primary, which waits for no standby until it has one."""
        self.run("pg_ctl", "promote", "--wait", "--timeout=600", "--pgdata", self.data)
        self.set_synchronous("")

    def query(self, sql):
        self.run("psql", "--quiet", f"--port={self.port}", "--host=127.0.0.1", "--username=nephos", "--dbname=postgres", "--command", sql)

    def set_synchronous(self, names):
        self.configure(f"synchronous_standby_names = '{names}'")
        self.run("pg_ctl", "reload", "--pgdata", self.data)


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
