//! The account: its alias, summary, password policy and reports.

pub(crate) mod account_alias;
pub(crate) mod account_summary;
pub(crate) mod authorization_details;
pub(crate) mod credential_report;
pub(crate) mod last_accessed;
pub(crate) mod password_policy;

pub use account_alias::*;
pub use account_summary::*;
pub use authorization_details::*;
pub use credential_report::*;
pub use last_accessed::*;
pub use password_policy::*;
