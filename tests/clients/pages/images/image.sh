# Makes the folder `image`: an image v1 of one small layer, in the layout of OCI.
mkdir -p image/blobs/sha256

# Adds a blob from standard input; prints its descriptor.
add() {
    cat >image/blob
    local digest
    digest=$(sha256sum image/blob | cut -c1-64)
    printf '{"mediaType": "application/vnd.oci.image.%s", "digest": "sha256:%s", "size": %d}' "$1" "$digest" "$(wc -c <image/blob)"
    mv image/blob "image/blobs/sha256/$digest"
}

echo hello >hello
layer=$(tar --create --mtime=@0 --owner=0 --group=0 hello | add layer.v1.tar)
files=$(tar --create --mtime=@0 --owner=0 --group=0 hello | sha256sum | cut -c1-64)
config=$(echo '{"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": ["sha256:'"$files"'"]}}' | add config.v1+json)
manifest=$(echo '{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
    "config": '"$config"', "layers": ['"$layer"']}' | add manifest.v1+json)
echo '{"schemaVersion": 2, "manifests": ['"${manifest%\}}"', "annotations": {"org.opencontainers.image.ref.name": "v1"}}]}' >image/index.json
echo '{"imageLayoutVersion": "1.0.0"}' >image/oci-layout
