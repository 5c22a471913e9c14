"""Images through boto3, and through skopeo, which speaks the protocol of container registries."""

import base64
import gzip
import hashlib
import io
import json
import subprocess
import tarfile
import urllib.request

import pytest

from installing import install_debian

OCI = "application/vnd.oci.image"


@pytest.fixture
def ecr(client):
    return client("ecr")


def digest_of(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def descriptor(kind, content):
    return {"mediaType": f"{OCI}.{kind}", "digest": digest_of(content), "size": len(content)}


def make_layout(folder, seed):
    """Writes an image for two architectures in the layout of OCI; returns its blobs."""
    blobs = []

    def add(kind, content):
        blobs.append(content)
        return descriptor(kind, content)

    images = []
    for architecture in ["amd64", "arm64"]:
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            file = tarfile.TarInfo("etc/hello")
            content = f"{seed} {architecture}".encode() * 20_000
            file.size = len(content)
            tar.addfile(file, io.BytesIO(content))
        layer = gzip.compress(archive.getvalue(), mtime=0)
        config = {
            "architecture": architecture,
            "os": "linux",
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [digest_of(archive.getvalue())]},
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": f"{OCI}.manifest.v1+json",
            "config": add("config.v1+json", json.dumps(config).encode()),
            "layers": [add("layer.v1.tar+gzip", layer)],
        }
        image = add("manifest.v1+json", json.dumps(manifest).encode())
        images.append(image | {"platform": {"architecture": architecture, "os": "linux"}})
    index = {"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json", "manifests": images}
    top = add("index.v1+json", json.dumps(index).encode()) | {"annotations": {"org.opencontainers.image.ref.name": "v1"}}
    (folder / "blobs/sha256").mkdir(parents=True)
    for blob in blobs:
        (folder / "blobs/sha256" / hashlib.sha256(blob).hexdigest()).write_bytes(blob)
    (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [top]}))
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    return {digest_of(blob): blob for blob in blobs}


def blobs_in(folder):
    return {f"sha256:{file.name}": file.read_bytes() for file in (folder / "blobs/sha256").iterdir()}


@pytest.fixture(scope="module")
def skopeo():
    program = install_debian("skopeo")
    if not program:
        pytest.skip("skopeo is not installed, and cannot be: it needs Debian and root")

    def run(*arguments):
        ended = subprocess.run([program, *arguments], capture_output=True, text=True)
        assert ended.returncode == 0, f"{arguments}: {ended.stderr}"
        return ended.stdout

    return run


def test_image_for_two_architectures_is_pushed_and_pulled_before_and_after_a_kill(program, environment, skopeo, tmp_path):
    state = tmp_path / "state"

    def serve():
        command = [program, "serve", "--state-file", state, "--listen", "127.0.0.1:0"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        lines = iter(process.stdout.readline, "")
        line = next(line for line in lines if line.startswith("listening at "))
        return process, line.removeprefix("listening at http://").strip()

    def pull(address, folder):
        skopeo("copy", "--all", "--src-tls-verify=false", f"docker://{address}/web:v1", f"oci:{folder}:v1")
        return blobs_in(folder)

    pushed = make_layout(tmp_path / "image", "one")
    settings = ["--image-tag-mutability", "MUTABLE", "--image-scanning-configuration", "{}"]
    command = [program, "repository", "create", "web", *settings, "--state-file", state]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    process, address = serve()
    try:
        skopeo("copy", "--all", "--dest-tls-verify=false", f"oci:{tmp_path / 'image'}:v1", f"docker://{address}/web:v1")
        assert pull(address, tmp_path / "before") == pushed
        process.kill()
        process.wait()
        process, address = serve()
        assert pull(address, tmp_path / "after") == pushed
        tags = json.loads(skopeo("list-tags", "--tls-verify=false", f"docker://{address}/web"))
        assert tags["Tags"] == ["v1"]
    finally:
        process.kill()
        process.wait()


def push_layer(ecr, content):
    upload = ecr.initiate_layer_upload(repositoryName="web")["uploadId"]
    part = {"partFirstByte": 0, "partLastByte": len(content) - 1, "layerPartBlob": content}
    ecr.upload_layer_part(repositoryName="web", uploadId=upload, **part)
    done = ecr.complete_layer_upload(repositoryName="web", uploadId=upload, layerDigests=[digest_of(content)])
    return done["layerDigest"]


def test_image_is_pushed_by_operations(ecr, server):
    ecr.create_repository(repositoryName="web")
    content = b"layer" * 1000
    assert push_layer(ecr, content) == digest_of(content)
    checked = ecr.batch_check_layer_availability(repositoryName="web", layerDigests=[digest_of(content)])
    assert checked["layers"][0]["layerAvailability"] == "AVAILABLE"
    manifest = json.dumps({
        "schemaVersion": 2,
        "mediaType": f"{OCI}.manifest.v1+json",
        "config": descriptor("config.v1+json", content),
        "layers": [],
    })
    image = ecr.put_image(repositoryName="web", imageManifest=manifest, imageTag="v1")["image"]
    assert image["imageId"] == {"imageDigest": digest_of(manifest.encode()), "imageTag": "v1"}
    [found] = ecr.batch_get_image(repositoryName="web", imageIds=[{"imageTag": "v1"}])["images"]
    assert found["imageManifest"] == manifest
    [detail] = ecr.describe_images(repositoryName="web")["imageDetails"]
    assert (detail["imageTags"], detail["imageSizeInBytes"]) == (["v1"], 5000)
    [data] = ecr.get_authorization_token()["authorizationData"]
    user, _, password = base64.b64decode(data["authorizationToken"]).decode().partition(":")
    assert (user, data["proxyEndpoint"]) == ("AWS", "https://123456789012.dkr.ecr.us-east-1.amazonaws.com")
    assert json.loads(base64.b64decode(password))["type"] == "DATA_KEY"
    request = urllib.request.Request(f"{server.url}/v2/web/manifests/v1")
    request.add_header("Authorization", f"Basic {data['authorizationToken']}")
    with urllib.request.urlopen(request) as answer:
        assert answer.read().decode() == manifest
    deleted = ecr.batch_delete_image(repositoryName="web", imageIds=[{"imageTag": "v1"}])
    assert (len(deleted["imageIds"]), deleted["failures"]) == (1, [])
