cp "$ROOT"/crates/nephos/tests/fixtures/state-1{,.nephos-key} .
