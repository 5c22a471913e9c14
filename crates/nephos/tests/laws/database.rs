//! Clouds in a PostgreSQL in a scratch folder, on which the laws hold, too.

use crate::{generic::options, test_cloud::TestCloud};
use nephos::{Cloud, CloudKey, CloudOptions, prelude::*};
use nephos_store_testing::postgres::Server;
use std::cell::{Cell, OnceCell};

thread_local! {
    /// The server of the test that runs on this thread; it is stopped when the thread ends.
    static SERVER: OnceCell<Option<Server>> = const { OnceCell::new() };
    /// Number of clouds on it.
    static CLOUDS: Cell<usize> = const { Cell::new(0) };
}

/// True if all laws are to be checked on a database.
#[expect(clippy::disallowed_methods, reason = "the variable chooses what is tested")]
pub(crate) fn is_wanted() -> bool {
    std::env::var("NEPHOS_POSTGRES_CASES").is_ok_and(|cases| cases == "all")
}

/// Creates a cloud in a schema of its own.
pub(crate) fn new_cloud(options: CloudOptions) -> Cloud {
    try_new_cloud(options).expect("PostgreSQL is installed")
}

/// Creates a cloud with the examples; none if PostgreSQL is not installed.
pub(crate) fn test_cloud() -> Option<TestCloud> {
    try_new_cloud(options()).map(TestCloud::new)
}

fn try_new_cloud(options: CloudOptions) -> Option<Cloud> {
    SERVER.with(|server| {
        let server = server.get_or_init(|| Server::start_with("fsync = off")).as_ref()?;
        let number = CLOUDS.replace(CLOUDS.get() + 1);
        let options = options.key(CloudKey::new([7; 32]));
        let options = options.blobs_folder(server.folder().join(format!("blobs-{number}")));
        Some(options.connect(&server.url(&format!("law_{number}"))).unwrap())
    })
}
