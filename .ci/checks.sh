# Checks that `.ci/run` and `.ci/nightly` have in common, for `step`.

# The library without extra features must not depend on a network stack or an async runtime.
check_library_dependencies() {
    local tree
    tree=$(cargo tree --quiet -p nephos -e normal --prefix none)
    if grep -E '^(tokio|hyper|rustls|socket2|mio) ' <<<"$tree"; then
        echo "the library depends on a network stack or an async runtime" >&2
        return 1
    fi
}

# Names of all services, one a line.
services() {
    for folder in crates/services/*/; do
        basename "$folder"
    done
}

# Each service by its own feature.
check_services_apart() {
    local feature
    for feature in $(services); do
        cargo check --quiet -p nephos --no-default-features --features "$feature"
    done
}

# All services but those that others use only if they are there.
check_without_optional_parts() {
    local features
    features=$(services | grep -vxE 'iam|kms|sts' | paste -sd,)
    with_lint_compiler cargo check --quiet -p nephos --no-default-features --features "$features"
}

# Runs a command with the compiler that `cargo clippy` uses, so that it takes what the lints have checked.
with_lint_compiler() {
    env RUSTC_WORKSPACE_WRAPPER="$(rustc --print sysroot)/bin/clippy-driver" CLIPPY_ARGS="--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__" "$@"
}

lint() {
    cargo clippy --workspace --all-targets -- --deny warnings
}

# All fuzz targets together, for a number of seconds.
fuzz() {
    "${CARGO_TARGET_DIR:-target}/debug/nephos-fuzz" --seconds "$1"
}

check_benchmarks() {
    cargo check --quiet --workspace --benches
    cargo check --quiet --manifest-path tests/oracles/Cargo.toml --target-dir target/oracles --benches
}

# PostgreSQL for the tests, without a cluster of the system. A machine where it cannot be installed fails in the tests that need it.
install_postgres() {
    if compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || [[ $EUID != 0 ]] || ! command -v apt-get >/dev/null; then
        return 0
    fi
    apt-get update --quiet >/dev/null
    apt-get install --yes --quiet postgresql-common >/dev/null
    sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
    apt-get install --yes --quiet postgresql >/dev/null
}
