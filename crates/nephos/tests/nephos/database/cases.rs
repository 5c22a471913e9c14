//! The behaviour cases of all services on a database.

use nephos::{Cloud, CloudKey, Kernel, prelude::*};
use nephos_store_testing::postgres::Server;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Number of cases that run at the same time.
const THREADS: usize = 4;

/// Cases of what is different on a database, with the reason.
const DIFFERENT: [&str; 5] = [
    // Unused blobs stay, because another server may be about to use one.
    "ecr::images::layers_are_removed_with_their_last_image",
    "ecr::images::repository_with_images_is_deleted_by_force",
    "ecr::layers::unused_layers_and_uploads_expire",
    // The row that identifies the key is there from the beginning.
    "iam::mfa_devices::deactivated_device_can_be_enabled_or_deleted",
    "iam::users::every_row_belongs_to_a_listed_table",
];

/// Every tenth case, or all with `NEPHOS_POSTGRES_CASES=all`, or those whose name contains the variable.
#[test]
#[expect(clippy::disallowed_methods, reason = "the variable chooses what is tested")]
fn behaviour_cases_pass_on_a_database() {
    let Some(server) = Server::start_with("synchronous_commit = on\nfsync = off") else { return };
    let wanted = std::env::var("NEPHOS_POSTGRES_CASES").unwrap_or_default();
    let cases = nephos_cases::cases().filter(|case| !DIFFERENT.contains(&case.name));
    let cases: Vec<_> = match wanted.as_str() {
        "" => cases.step_by(10).collect(),
        "all" => cases.collect(),
        name => cases.filter(|case| case.name.contains(name)).collect(),
    };
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((number, case)) = Some(next.fetch_add(1, Ordering::Relaxed))
                    .and_then(|number| Some((number, cases.get(number)?)))
                {
                    let run = || {
                        let options = nephos_testing::options()
                            .key(CloudKey::new([7; 32]))
                            .blobs_folder(server.folder().join(format!("blobs-{number}")));
                        let cloud: Cloud = options.connect(&server.url(&format!("case_{number}")))?;
                        (case.run)(nephos_testing::World::new(Kernel::from(cloud.clone())))?;
                        cloud.check()?;
                        cloud.close()
                    };
                    match catch_unwind(AssertUnwindSafe(run)) {
                        Ok(Ok(())) => {}
                        Ok(Err(error)) => failed.lock().unwrap().push(format!("{}: {error}", case.name)),
                        Err(panic) => {
                            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                            failed.lock().unwrap().push(format!("{}: panicked: {text}", case.name));
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    println!("{} cases on a database, {} failed", cases.len(), failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
