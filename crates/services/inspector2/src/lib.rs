//! Findings about vulnerabilities of container images. They are those of the scans of the service `ecr`.
//!
//! ```
//! use nephos::{Cloud, Finding, prelude::*};
//!
//! let findings = Finding::objects(&Cloud::in_memory().session());
//! assert!(findings.list().results().all().wait()?.is_empty());
//! # Ok::<(), nephos::Error>(())
//! ```

pub mod errors;
mod finding;

pub use finding::*;

use nephos_core::shape::Protocol;

nephos_cloud::service! {
    INSPECTOR2 = "inspector2", "Findings about vulnerabilities of container images.";
    shape {
        api_version: "2020-06-08",
        protocol: Protocol::RestJson,
        invalid: &errors::VALIDATION,
        invalid_token: errors::invalid_next_token,
    }
    kinds { Finding }
    operations { ListFindings }
    calls {}
    tables {}
}
