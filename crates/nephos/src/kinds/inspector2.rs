//! Kinds of findings about vulnerabilities.

/// Finding about a vulnerability of packages in a container image, from its scan.
///
/// ```
/// # use nephos::{Cloud, Finding, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let high = Finding::objects(&session).list().results().filter(Finding::FIELDS.inspector_score.ge(7.0));
/// assert_eq!(high.all().wait()?.len(), 0);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::inspector2::Finding;
