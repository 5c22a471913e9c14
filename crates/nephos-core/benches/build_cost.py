"""CPU time that kinds cost to build.

Generates a crate of 40 kinds with 22 fields and 14 operations each, builds it with the workspace's dev profile, and prints
the CPU seconds of that crate alone: its dependencies are built before. Everything is in a temporary folder.

    build_cost.py [--limit SECONDS]     exits with 1 above the limit
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

KINDS, FIELDS, OPERATIONS = 40, 22, 14
ROOT = pathlib.Path(__file__).resolve().parents[3]

MANIFEST = """\
[package]
name = "build-cost"
version = "0.1.0"
edition = "2024"

[workspace]
resolver = "3"

[dependencies]
nephos-core = {{ path = "{core}" }}

{profiles}"""

LIB = """\
//! Generated kinds.
#![allow(missing_docs, dead_code)]

{modules}

use nephos_core::{{Code, ErrorKind, Operation, Record, Resource, Text, shape::{{Protocol, ServiceShape}}}};

static INVALID: Code = Code {{ code: "Invalid", status: 400, kind: ErrorKind::Invalid, meaning: "A wrong parameter.", texts: &[] }};
static ABSENT: Code = Code {{ code: "NotFound", status: 404, kind: ErrorKind::NotFound, meaning: "No such resource.", texts: &[] }};

pub static SERVICE: ServiceShape = ServiceShape {{
    docs: "Generated kinds.",
    protocol: Protocol::AwsQuery {{ namespace: "http://cost.example/" }},
    kinds: &[{kinds}],
    operations: &[{operations}],
    calls: &[{calls}],
    codes: &[&INVALID, &ABSENT],
    invalid: &INVALID,
    ..ServiceShape::named("cost")
}};

/// Pagination of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Page {{
    /// Pagination token of the previous page.
    #[field(page_token)]
    marker: Option<Text>,
    /// Maximum number of results on a page.
    #[field(page_size, range(1..=400))]
    page_size: Option<i64>,
}}
"""

# One file, as services have it: the kind, its operations on the wire, and two calls of several operations.
KIND = """\
//! Kind {n}.

use crate::{{ABSENT, Page, SERVICE}};
use nephos_core::{{
    Empty, FromModel, Map, Record, Resource, Result, Slot, ManagerOperation, WorkflowContext, Tag, Text, Timestamp, choices, operation,
}};

choices! {{
    /// The status of a kind.
    pub enum Status{n} {{
        /// It can be used.
        Active = "ACTIVE",
        /// It is being created.
        Creating = "CREATING",
        /// It belongs to the provider.
        Provided = "PROVIDED" => "AWS_PROVIDED",
    }}
}}

/// A part.
#[derive(Record)]
pub struct Part{n} {{
    /// Name.
    #[field(required, length(1..=64))]
    name: Option<Text>,
    /// Size.
    #[field(range(1..=9))]
    size: Option<i64>,
    /// Status.
    status: Option<Status{n}>,
}}

/// A kind.
#[derive(Resource)]
#[resource(
    service = SERVICE, absent = ABSENT, arn = "Arn", name = "Name", pk = "Arn", saved_when = "Arn", tags = "Tags",
)]
pub struct Kind{n} {{
    /// Name, unique within account and Region.
    #[field(required, fixed, length(1..=64), pattern = "[a-z]+{n}?")]
    name: Option<Text>,
    /// ARN.
    #[field(service_set)]
    arn: Option<Text>,
    /// Status.
    #[field(service_set)]
    status: Option<Status{n}>,
{fields}
    /// Tags.
    #[field(not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}}

/// Creates a kind.
#[operation(
    service = SERVICE, of = Kind{n}, needs(name, field_0), takes(settable, tags(length(1..))), leaves(name, field_0),
    call = "create", model, beside(tags), gives(kinds: Vec<Kind{n}>),
    effect = write, output = Kinds{n}, subject = "kind/{{Name}}"
)]
pub struct CreateKind{n} {{}}

/// Describes kinds.
#[operation(
    service = SERVICE, of = Kind{n}, call = "list", pages, gives(kinds, next_marker), find(arn in arns, name in names),
    also(Page), effect = read, output = Kinds{n}, subject = "kind/*"
)]
pub struct DescribeKind{n} {{
    /// ARNs of the kinds.
    pub arns: Option<Vec<Text>>,
    /// Names of the kinds.
    pub names: Option<Vec<Text>>,
}}

nephos_core::page! {{
    /// A page of kinds.
    pub struct Kinds{n} {{ kinds: Kind{n}, next_marker }}
}}

/// Changes a kind.
#[operation(
    service = SERVICE, of = Kind{n}, needs(arn), takes(changeable), leaves(tags),
    effect = write, output = Kinds{n}, subject = "{{Arn}}"
)]
pub struct ModifyKind{n} {{}}

/// Deletes a kind.
#[operation(
    service = SERVICE, of = Kind{n}, call = "delete", instance, needs(arn),
    effect = write, output = Empty, subject = "{{Arn}}"
)]
pub struct DeleteKind{n} {{}}

/// Starts a kind.
#[operation(
    service = SERVICE, of = Kind{n}, call = "start", instance, needs(arn), takes(field_1, field_2),
    effect = write, output = Empty, subject = "{{Arn}}"
)]
pub struct StartKind{n} {{}}

/// Stops a kind.
#[operation(
    service = SERVICE, of = Kind{n}, call = "stop", instance, needs(arn), effect = write, output = Empty, subject = "{{Arn}}"
)]
pub struct StopKind{n} {{
    /// Does not wait for requests to end.
    pub force: Option<bool>,
}}

/// Resizes a kind.
#[operation(
    service = SERVICE, of = Kind{n}, call = "resize", instance, needs(arn, field_1), takes(field_4),
    gives(kinds: Vec<Kind{n}>), effect = write, output = Kinds{n}, subject = "{{Arn}}"
)]
pub struct ResizeKind{n} {{}}

/// Describes the parts of a kind.
#[operation(
    service = SERVICE, of = Kind{n}, call = "parts", instance, needs(arn), gives(parts: Vec<Part{n}>, next_marker),
    also(Page), effect = read, output = Parts{n}, subject = "{{Arn}}"
)]
pub struct DescribeParts{n} {{}}

nephos_core::page! {{
    /// A page of parts.
    pub struct Parts{n} {{ parts: Part{n}, next_marker }}
}}

/// Adds parts to a kind.
#[operation(service = SERVICE, of = Kind{n}, needs(arn), effect = write, output = Parts{n}, subject = "{{Arn}}")]
pub struct AddParts{n} {{
    /// The parts.
    #[field(length(1..=20))]
    pub parts: Vec<Part{n}>,
}}

/// Removes parts from a kind.
#[operation(service = SERVICE, of = Kind{n}, needs(arn), effect = write, output = Empty, subject = "{{Arn}}")]
pub struct RemoveParts{n} {{
    /// Names of the parts.
    #[field(length(1..=20))]
    pub part_names: Vec<Text>,
}}

/// Tags kinds.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "{{Arns}}")]
pub struct AddTags{n} {{
    /// ARNs of the kinds.
    #[field(length(1..=20))]
    pub arns: Vec<Text>,
    /// The tags.
    #[field(length(1..))]
    pub tags: Vec<Tag>,
}}

/// Removes tags of kinds.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "{{Arns}}")]
pub struct RemoveTags{n} {{
    /// ARNs of the kinds.
    #[field(length(1..=20))]
    pub arns: Vec<Text>,
    /// Keys of the tags.
    #[field(length(1..))]
    pub tag_keys: Vec<Text>,
}}

/// Changes a kind: the fields that differ from what the model was read with.
#[operation(kind = Kind{n}, call = "update", effect = write, output = Vec<Kind{n}>)]
pub struct Update{n} {{
    /// The kind.
    #[field(model, name = "model")]
    pub model: Kind{n},
}}

impl ManagerOperation for Update{n} {{
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Kind{n}>> {{
        match ModifyKind{n}::changes_of(&self.model)? {{
            Some(modify) => Ok(context.call(modify).await?.kinds.unwrap_or_default()),
            None => Ok(vec![self.model.clone()]),
        }}
    }}
}}

/// Restarts a kind.
#[operation(kind = Kind{n}, of = Kind{n}, call = "restart", instance, needs(arn), effect = write, output = Option<Kind{n}>)]
pub struct Restart{n} {{}}

impl ManagerOperation for Restart{n} {{
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Kind{n}>> {{
        context.call(StopKind{n}::new(self.arn.clone())).await?;
        context.call(StartKind{n}::new(self.arn.clone())).await?;
        context.run(Kind{n}Get::new().arn(self.arn.clone())).await
    }}
}}
"""

ON_THE_WIRE = [
    "CreateKind", "DescribeKind", "ModifyKind", "DeleteKind", "StartKind", "StopKind", "ResizeKind", "DescribeParts",
    "AddParts", "RemoveParts", "AddTags", "RemoveTags",
]

CALLS = ["Update", "Restart"]

FIELD_TYPES = [
    ("length(1..=255)", "Text"),
    ("range(1..=65535)", "i64"),
    ("", "bool"),
    ("", "Timestamp"),
    ("", "f64"),
    ("each(length(1..=64))", "Vec<Text>"),
    ("", "Map<Text>"),
    ("", "Status{n}"),
    ("", "Part{n}"),
    ("length(0..=10)", "Vec<Part{n}>"),
]


def kind(n):
    lines = []
    # The template has the name, the ARN, the status and the tags.
    for f in range(FIELDS - 4):
        rules, rust_type = FIELD_TYPES[f % len(FIELD_TYPES)]
        lines.append(f"    /// Field {f}.")
        if rules:
            lines.append(f"    #[field({rules})]")
        lines.append(f"    field_{f}: Option<{rust_type.format(n=n)}>,")
    return KIND.format(n=n, fields="\n".join(lines))


def library():
    each = range(KINDS)
    return LIB.format(
        modules="\n".join(f"pub mod kind_{n};" for n in each),
        kinds=", ".join(f"kind_{n}::Kind{n}::KIND" for n in each),
        operations=", ".join(f"kind_{n}::{name}{n}::OPERATION" for n in each for name in ON_THE_WIRE),
        calls=", ".join(f"kind_{n}::{name}{n}::CALLS" for n in each for name in [*ON_THE_WIRE, *CALLS]),
    )


def dev_profiles():
    """The workspace's dev profile, with its settings for single packages."""
    text = (ROOT / "Cargo.toml").read_text()
    return "".join(re.findall(r"^\[profile\.dev\b.*?(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL))


def write_crate(folder):
    """Writes the generated crate, and returns its number of lines."""
    manifest = MANIFEST.format(core=(ROOT / "crates/nephos-core").as_posix(), profiles=dev_profiles())
    (folder / "Cargo.toml").write_text(manifest)
    # The versions that the workspace builds with.
    (folder / "Cargo.lock").write_text((ROOT / "Cargo.lock").read_text())
    sources = {f"kind_{n}.rs": kind(n) for n in range(KINDS)} | {"lib.rs": library()}
    (folder / "src").mkdir()
    for name, text in sources.items():
        (folder / "src" / name).write_text(text)
    return sum(text.count("\n") for text in sources.values())


def build(folder, package):
    """Builds a package, and returns the CPU seconds of that."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "target")}
    # The time of a compiler that a wrapper starts elsewhere would not be seen.
    environment |= {"RUSTC_WRAPPER": "", "RUSTC_WORKSPACE_WRAPPER": ""}
    command = ["cargo", "build", "--quiet", "--manifest-path", folder / "Cargo.toml", "--package", package]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if subprocess.run(command, cwd=ROOT, env=environment).returncode != 0:
        sys.exit(f"{package} does not build")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description="CPU time that kinds cost to build.")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="exit with 1 above so many CPU seconds")
    limit = parser.parse_args().limit
    with tempfile.TemporaryDirectory(prefix="build-cost-") as folder:
        folder = pathlib.Path(folder)
        lines = write_crate(folder)
        build(folder, "nephos-core")
        seconds = build(folder, "build-cost")
    print(f"{KINDS} kinds of {FIELDS} fields, {KINDS * OPERATIONS} operations, {lines} lines: {seconds:.1f} s CPU")
    if limit is not None and seconds > limit:
        sys.exit(f"building them must take at most {limit:g} s CPU, took {seconds:.1f} s")


main()
