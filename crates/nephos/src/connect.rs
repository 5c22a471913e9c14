//! Clouds in a PostgreSQL-compatible database, which several machines share.

use crate::{Cloud, CloudOptions};
use nephos_cloud::from_store_error;
use nephos_core::Result;

/// Opens clouds in a database.
///
/// ```no_run
/// use nephos::{Cloud, prelude::*};
///
/// let cloud = Cloud::options().key_file("key").connect("postgres://nephos@db.example.com/nephos")?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub trait ConnectOptions {
    /// Opens the cloud in the database at `url`, such as `postgres://nephos@db.example.com/nephos`; its tables are created if they
    /// do not exist. Any number of programs can open it at the same time. They need the same key, by `CloudOptions::key` or
    /// `key_file`: without one, the cloud opens, and refuses what needs the key.
    fn connect(self, url: &str) -> Result<Cloud>;
}

impl ConnectOptions for CloudOptions {
    fn connect(self, url: &str) -> Result<Cloud> {
        let address = url.parse().map_err(from_store_error)?;
        let store = nephos_postgres::open(&address, self.store_options()).map_err(from_store_error)?;
        self.open_shared_store(store)
    }
}

/// Opens clouds in a database with the default options.
pub trait Connect {
    /// Opens the cloud in the database at `url`, without a key; see [`ConnectOptions::connect`].
    fn connect(url: &str) -> Result<Cloud>;
}

impl Connect for Cloud {
    fn connect(url: &str) -> Result<Cloud> {
        Self::options().connect(url)
    }
}
