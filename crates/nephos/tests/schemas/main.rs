//! The event schema registry on the cloud: each case runs in memory and in a file.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test, in its helpers too")]

mod discoverers;
mod discovery;
mod documents;
mod exports;
mod laws;
mod paging;
mod registries;
mod schemas;
mod tags;
mod versions;

use nephos::{Cloud, Result};

/// A case: what a user does, and what they notice.
type Case = fn(&Cloud) -> Result<()>;

fn in_memory(case: Case) {
    case(&Cloud::in_memory()).unwrap();
}

fn in_a_file(case: Case) {
    let folder = tempfile::tempdir().unwrap();
    let cloud = Cloud::options().durable(false).open(folder.path().join("cloud")).unwrap();
    case(&cloud).unwrap();
    cloud.close().unwrap();
}

/// Runs cases in memory and in a file.
macro_rules! cases {
    ($($case:ident),+ $(,)?) => {
        mod memory {
            $(#[test] fn $case() { crate::in_memory(super::$case); })+
        }
        mod file {
            $(#[test] fn $case() { crate::in_a_file(super::$case); })+
        }
    };
}

pub(crate) use cases;

/// The code and field of a refusal, which must leave everything as it was.
#[track_caller]
fn refused<T: std::fmt::Debug>(cloud: &Cloud, call: impl FnOnce() -> Result<T>) -> (String, Option<String>) {
    let before = cloud.rows().unwrap();
    let error = call().unwrap_err();
    assert!(cloud.rows().unwrap() == before, "a refusal changed the rows: {error}");
    let codes = nephos::services::schemas::errors::ALL;
    assert!(codes.iter().any(|code| code.code == error.code()), "{error} is not in the table");
    (error.code().to_owned(), error.field().map(str::to_owned))
}

/// A refusal as [`refused`] tells it.
fn told(code: &str, field: &str) -> (String, Option<String>) {
    (code.to_owned(), (!field.is_empty()).then(|| field.to_owned()))
}

const BAD: &str = "BadRequestException";
const MISSING: &str = "NotFoundException";
const CONFLICT: &str = "ConflictException";
