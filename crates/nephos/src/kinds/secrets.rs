//! Kinds of secrets.

/// Value that no log, error or debug output shows, in versions with labels.
///
/// ```
/// # use nephos::{Cloud, Secret};
/// # let session = Cloud::in_memory().session();
/// let secrets = Secret::objects(&session);
/// secrets.create(&Secret::builder().name("prod/db").build()?).secret_string("hunter2").wait()?;
/// let value = secrets.get_value("prod/db").wait()?;
/// assert_eq!(value.secret_string().map(|text| text.expose()), Some("hunter2"));
/// assert!(!format!("{value:?}").contains("hunter2"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::secrets::Secret;

/// Version of a secret, with its labels and without its value. Read-only.
///
/// ```
/// # use nephos::{Cloud, Secret, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let secret = Secret::builder().name("prod/db").build()?;
/// let secret = Secret::objects(&session).create(&secret).secret_string("hunter2").wait()?;
/// let versions = secret.versions().wait()?;
/// assert_eq!(versions.len(), 1);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::secrets::SecretVersion;
