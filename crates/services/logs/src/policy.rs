//! Policies: access to destinations, data protection of accounts and log groups, and access of other services to log groups.

pub(crate) mod access;
pub(crate) mod account;
pub(crate) mod protection;
pub(crate) mod resource;
