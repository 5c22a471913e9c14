"""Calls run without the GIL, threads share models and clouds, and nothing is kept that nobody uses."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nephos
import pytest
from nephos import LogGroup, Secret


def test_other_threads_run_during_a_call(tmp_path: Path) -> None:
    """The interpreter switches threads only when one releases the GIL, and still a call lets another thread run."""
    with nephos.Cloud() as cloud:
        go, ran = threading.Event(), threading.Event()

        def run() -> None:
            go.wait()
            ran.set()

        other = threading.Thread(target=run)
        other.start()
        before = sys.getswitchinterval()
        # The other thread waits for the GIL, and asks for it only after this long.
        sys.setswitchinterval(30)
        try:
            go.set()
            for _ in range(1000):
                cloud.now()
            assert not ran.is_set(), "what is too short to release the GIL does not"
            for n in range(100):
                if not ran.is_set():
                    cloud.save_snapshot(tmp_path / f"copy-{n}")
            assert ran.is_set()
        finally:
            sys.setswitchinterval(before)
        other.join()


def test_threads_share_a_cloud_and_a_model() -> None:
    with nephos.Cloud() as cloud:
        session = cloud.session()
        shared = LogGroup(logGroupName="shared", Tags=[{"Key": "a", "Value": "b"}])

        def work(n: int) -> int:
            objects = LogGroup.objects.using(session)
            for step in range(20):
                objects.create(logGroupName=f"g{n}-{step}", retentionInDays=[1, 7, 30][step % 3])
                shared.retentionInDays = [1, 7, 30][step % 3]
                assert shared.retentionInDays in (1, 7, 30) and shared.Tags[0].Key == "a"
                repr(shared), shared == shared, shared.model_dump()
            return objects.filter(logGroupName__startswith=f"g{n}-").count()

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(work, range(8))) == [20] * 8
        assert LogGroup.objects.count() == 160


def test_threads_that_share_a_result_set_see_the_same_models() -> None:
    with nephos.Cloud():
        for n in range(120):
            LogGroup.objects.create(logGroupName=f"g{n:03}")
        results = LogGroup.objects.list()
        with ThreadPoolExecutor(8) as pool:
            listed = list(pool.map(lambda _: [group.name for group in results], range(8)))
        assert all(names == listed[0] for names in listed) and len(listed[0]) == 120


def test_models_and_clouds_are_freed() -> None:
    class Watched(nephos.Cloud):
        pass

    with Watched() as cloud:
        group = LogGroup(logGroupName="/web", Tags=[{"Key": "a", "Value": "b"}])
        group.save()
        tags = group.Tags
        watched = [weakref.ref(one) for one in (group, tags[0])]
    del group, tags
    gc.collect()
    assert [one() for one in watched] == [None, None]
    watched_cloud = weakref.ref(cloud)
    del cloud
    gc.collect()
    assert watched_cloud() is None


def test_memory_does_not_grow() -> None:
    def work() -> None:
        with nephos.Cloud() as cloud:
            group = LogGroup(logGroupName="/web", Tags=[{"Key": "a", "Value": "b"}])
            group.save()
            for _ in range(20):
                group.retentionInDays = 30
                group.Tags[0].Value = "c"
                repr(group), group.model_dump_json(), group.model_copy(), cloud.fork()
                try:
                    group.retentionInDays = 31
                except ValueError:
                    pass
                list(LogGroup.objects.list())

    for _ in range(10):
        work()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(40):
        work()
    gc.collect()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 8 << 10, f"the process grew by {grown} KiB"


def test_cloud_in_a_file_keeps_its_state(tmp_path: Path) -> None:
    path = f"{tmp_path}/state"
    with nephos.Cloud(path):
        Secret.objects.create(Name="one", SecretString="hunter2")
    with nephos.Cloud(path) as cloud:
        assert Secret.objects.get_value("one").SecretString.get_secret_value() == "hunter2"
        cloud.save_snapshot(f"{path}-copy")
        Secret.objects.delete("one", ForceDeleteWithoutRecovery=True)
        assert Secret.objects.get("one") is None
        cloud.restore_snapshot(f"{path}-copy")
        assert Secret.objects.get("one") is not None
        cloud.reset()
        assert not Secret.objects.exists()
    with open(path, "rb") as file:
        assert b"hunter2" not in file.read()


def test_session_on_an_endpoint_sends_signed_requests() -> None:
    """The program of the package serves a cloud, and a session calls it."""
    command = [sys.executable, "-m", "nephos", "serve", "--memory", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert server.stdout is not None
            line = ""
            while "http://" not in line:
                line = server.stdout.readline()
                assert line, "the server ended"
            address = "http://" + line.split("http://")[1].split()[0].rstrip(".,;")
            session = nephos.Session(endpoint=address, access_key_id="test", secret_access_key="test", environment={})
            LogGroup.objects.using(session).create(logGroupName="/web")
            assert [group.name for group in LogGroup.objects(session)] == ["/web"]
        finally:
            server.terminate()
            server.wait()


def test_program_is_in_the_package() -> None:
    done = subprocess.run([sys.executable, "-m", "nephos", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"nephos {nephos.__version__} (nephos-cloud: typed AWS resources, and a cloud that answers for them)\n"
    failed = subprocess.run([sys.executable, "-m", "nephos", "log-grup"], capture_output=True, text=True)
    assert failed.returncode == 2 and "log-group" in failed.stderr


def test_import_needs_no_other_package() -> None:
    code = "import sys; import nephos; print(sorted(name for name in ('asyncio', 'json', 'boto3', 'botocore', 'pydantic') if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_cloud_is_taken_where_a_session_is_wanted() -> None:
    cloud = nephos.Cloud()
    LogGroup.objects.using(cloud).create(logGroupName="/web")
    assert [group.name for group in LogGroup.objects(cloud)] == ["/web"]
    group = LogGroup(logGroupName="/api")
    group.set_session(cloud)
    assert group.session is not None
    before = nephos.set_default_session(cloud)
    try:
        assert LogGroup.objects.list().count() == 1
    finally:
        nephos.set_default_session(before)


def test_a_closed_cloud_says_so() -> None:
    with nephos.Cloud() as cloud:
        with cloud.fork() as fork:
            session = fork.session()
        with pytest.raises(nephos.errors.NoSession, match="the cloud was closed") as caught:
            LogGroup.objects.using(session).list().count()
        assert isinstance(caught.value, RuntimeError)
        assert LogGroup.objects.list().count() == 0


def test_the_clock_has_one_word_everywhere() -> None:
    for cloud in (nephos.Cloud(clock="2030-01-31T12:00:00Z"), nephos.Cloud(time="2030-01-31T12:00:00Z")):
        assert cloud.clock.now().isoformat() == "2030-01-31T12:00:00+00:00"
        assert cloud.clock.is_frozen
    with pytest.raises(TypeError, match="clock or time"):
        nephos.Cloud(clock="2030-01-31T12:00:00Z", time="2030-01-31T12:00:00Z")
