//! Kinds of temporary credentials.

/// Session of a role: temporary credentials. [`AssumeSession::assume`](crate::AssumeSession::assume) makes a `Session` of it.
///
/// ```
/// # use nephos::{AssumeRole, Cloud, Role, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let trust = r#"{"Version": "2012-10-17", "Statement": [
///     {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": "123456789012"}}]}"#;
/// let role = Role::builder().role_name("web").assume_role_policy_document(trust).build()?;
/// let role = Role::objects(&session).create(&role).wait()?;
/// let assumed = AssumeRole::objects(&session).assume(role.require_arn()?, "deploy").wait()?;
/// assert_eq!(assumed.require_arn()?, "arn:aws:sts::123456789012:assumed-role/web/deploy");
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::sts::AssumeRole;

/// Identity of the caller: account, unique ID and ARN.
///
/// ```
/// # use nephos::{CallerIdentity, Cloud, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let caller = CallerIdentity::objects(&session).get().wait()?;
/// assert_eq!(caller.require_arn()?, "arn:aws:iam::123456789012:root");
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::sts::CallerIdentity;
