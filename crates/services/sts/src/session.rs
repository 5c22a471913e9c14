//! Sessions with the credentials of a role: `session.assume(role_arn, name)`.

use super::{
    AssumeRole,
    operations::{self, AssumeRoleCall},
};
use nephos_core::{Arn, Error, ErrorKind, IntoOptional, QueryFuture, Result, Session, Text, wait};
use std::future::IntoFuture;

/// Extension of `Session`: a session of a role.
pub trait AssumeSession {
    /// Assumes a role; the answer is a session with its credentials, in the account of the role.
    ///
    /// # Examples
    ///
    /// ```
    /// use nephos::{CallerIdentity, Cloud, Role, prelude::*};
    ///
    /// let session = Cloud::in_memory().session();
    /// let trust = r#"{"Version": "2012-10-17", "Statement": [
    ///     {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": "123456789012"}}]}"#;
    /// let role = Role::builder().role_name("web").assume_role_policy_document(trust).build()?;
    /// let role = Role::objects(&session).create(&role).wait()?;
    ///
    /// let web = session.assume(role.require_arn()?, "deploy").duration_seconds(900).wait()?;
    /// let caller = CallerIdentity::objects(&web).get().wait()?;
    /// assert_eq!(caller.require_arn()?, "arn:aws:sts::123456789012:assumed-role/web/deploy");
    /// # Ok::<(), nephos::Error>(())
    /// ```
    fn assume(&self, role_arn: impl Into<Text>, name: impl Into<Text>) -> Assume;
}

impl AssumeSession for Session {
    fn assume(&self, role_arn: impl Into<Text>, name: impl Into<Text>) -> Assume {
        let (role_arn, name) = (role_arn.into(), name.into());
        let account = Arn::parts(&role_arn).map_or("", |[_, _, _, account, _]| account).into();
        let call = AssumeRole::objects(self).assume(&role_arn, &name);
        Assume { session: self.clone(), account, call }
    }
}

/// A role being assumed: await it or `wait()` for it to get a session.
#[must_use = "a call runs when it is awaited or waited for"]
#[derive(Clone, Debug)]
pub struct Assume {
    session: Session,
    account: Text,
    call: AssumeRoleCall,
}

impl Assume {
    /// Sets the identifier that the trust policy of the role requires.
    pub fn external_id(mut self, id: impl IntoOptional<Text>) -> Self {
        self.call = self.call.external_id(id);
        self
    }

    /// Sets the duration of the session in seconds; an hour by default.
    pub fn duration_seconds(mut self, seconds: impl IntoOptional<i64>) -> Self {
        self.call = self.call.duration_seconds(seconds);
        self
    }

    /// Takes all parameters from `record`.
    pub fn with(mut self, record: operations::AssumeRole) -> Self {
        self.call = self.call.with(record);
        self
    }

    /// Runs the call and blocks this thread until it is done. No async runtime is needed.
    ///
    /// # Errors
    ///
    /// `Denied` if the trust policy of the role does not allow it, `Invalid` for a parameter that breaks its rules.
    pub fn wait(self) -> Result<Session> {
        wait(self.into_future())
    }
}

impl IntoFuture for Assume {
    type Output = Result<Session>;
    type IntoFuture = QueryFuture<'static, Session>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { session, account, call } = self;
        QueryFuture::new(async move {
            let missing = || Error::new(ErrorKind::Internal, "the answer has no credentials");
            let credentials = call.await?.to_credentials().ok_or_else(missing)?;
            Ok(session.with_account(account).with_credentials(credentials))
        })
    }
}
