"""What kinds cost to build: generates a crate of 40 kinds with 22 fields each and 120 operations, and builds it.

Prints the CPU seconds of building that crate alone, in release; what it depends on is built before.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

KINDS, FIELDS = 40, 22
ROOT = pathlib.Path(__file__).resolve().parents[3]

HEAD = '''//! Generated kinds.
#![allow(missing_docs, dead_code)]
use nephos_core::{
    Choice, Code, ErrorKind, Listing, Map, Operation, Page, PageRequest, Record, Resource, Result, Slot, Steppable,
    Steps, Tag, Text, Timestamp, shape::{Protocol, ServiceShape},
};
static INVALID: Code = Code { code: "Invalid", status: 400, kind: ErrorKind::Invalid, meaning: "Wrong." };
pub static SERVICE: ServiceShape = ServiceShape {
    name: "cost", docs: "Kinds.", api_version: "1", protocol: Protocol::RestJson, endpoint: "cost", signing: "cost",
    global: false, kinds: &[%s], operations: &[], codes: &[&INVALID], invalid: &INVALID,
};
'''

KIND = '''
/// A state.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum State{n} {{
    /// On.
    #[choice("ON{n}")] On,
    /// Off.
    #[choice("PROVIDER_OFF", wire = "AWS_OFF")] Off,
    /// Unknown.
    #[choice(unknown)] Unknown(Text),
}}
/// A part.
#[derive(Record)]
pub struct Part{n} {{
    /// Name.
    #[field(required)] name: Option<Text>,
    /// Size.
    #[field(range(1..=9))] size: Option<i64>,
    /// State.
    state: Option<State{n}>,
}}
/// A kind.
#[derive(Resource)]
#[resource(service = SERVICE, name = "Name", arn = "Arn", pk = "Arn", mark = "Arn", tags = "Tags",
    calls(Create{n}, List{n}), create = Create{n})]
pub struct Kind{n} {{
    /// Resource name.
    #[field(service_set)] arn: Option<Text>,
    /// Name.
    #[field(required, length(1..=64), pattern = "[a-z]+{n}?")] name: Option<Text>,
{fields}
    /// Tags.
    tags: Option<Vec<Tag>>,
    slot: Slot,
}}
/// An answer.
#[derive(Record)]
pub struct Answer{n} {{
    /// The kinds.
    kinds: Option<Vec<Kind{n}>>,
    /// The next page.
    next_token: Option<Text>,
}}
/// Puts one.
#[derive(Operation)]
#[operation(service = SERVICE, effect = write, output = Answer{n})]
pub struct Put{n} {{
    /// The kind.
    pub kind: Kind{n},
}}
/// Creates one.
#[derive(Operation)]
#[operation(kind = Kind{n}, call = "create", effect = write, output = Option<Kind{n}>)]
pub struct Create{n} {{
    /// The kind.
    #[field(model)] pub model: Kind{n},
    /// Tags.
    pub tags: Option<Map<Text>>,
}}
impl Steppable for Create{n} {{
    async fn run(&self, steps: &Steps) -> Result<Option<Kind{n}>> {{
        let answer = steps.call(Put{n}::new(self.model.clone())).await?;
        Ok(answer.kinds.and_then(|kinds| kinds.into_iter().next()))
    }}
}}
/// Lists them.
#[derive(Operation)]
#[operation(kind = Kind{n}, call = "list", effect = read, output = Page<Kind{n}>, pages)]
pub struct List{n} {{
    /// How they begin.
    pub prefix: Option<Text>,
}}
impl Listing for List{n} {{
    type Model = Kind{n};
    async fn page(&self, _steps: &Steps, _request: &PageRequest) -> Result<Page<Kind{n}>> {{
        Ok(Page::default())
    }}
}}
'''

TYPES = ["Text", "i64", "bool", "Timestamp", "f64", "Vec<Text>", "Map<Text>", "State{n}", "Part{n}", "Vec<Part{n}>"]


def source():
    kinds = ", ".join(f"Kind{n}::KIND" for n in range(KINDS))
    text = [HEAD % kinds]
    for n in range(KINDS):
        fields = "\n".join(
            f"    /// Field {f}.\n    field_{f}: Option<{TYPES[f % len(TYPES)].format(n=n)}>," for f in range(FIELDS - 3)
        )
        text.append(KIND.format(n=n, fields=fields))
    return "".join(text)


def build(folder, package):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["cargo", "build", "--release", "--quiet", "--package", package], cwd=folder, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as folder:
        folder = pathlib.Path(folder)
        (folder / "src").mkdir()
        (folder / "Cargo.toml").write_text(
            '[package]\nname = "build-cost"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n'
            f'[dependencies]\nnephos-core = {{ path = "{ROOT / "crates/nephos-core"}" }}\n'
            # As in the workspace itself.
            '[profile.release]\nlto = "thin"\ncodegen-units = 4\n'
        )
        (folder / "Cargo.lock").write_text((ROOT / "Cargo.lock").read_text())
        (folder / "src/lib.rs").write_text(source())
        os.environ["CARGO_TARGET_DIR"] = str(ROOT / "target" / "build-cost")
        build(folder, "nephos-core")
        seconds = build(folder, "build-cost")
    lines = source().count("\n")
    print(f"{KINDS} kinds of {FIELDS} fields, {KINDS * 3} operations, {lines} lines: {seconds:.1f} s CPU")
    sys.exit(0 if seconds < 60 else 1)


main()
