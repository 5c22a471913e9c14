//! Callers of operations: the root of an account, a user, or a temporary session.

use super::{
    identity::{Identity, LongTermKey},
    temporary::{self, TemporarySession, account_of_access_key},
};
use crate::{Kernel, Principal, Scope, Tx, kernel::Inner};
use nephos_core::{Credentials, Error, ErrorKind, Result, Secret, Session, Text, field_value::FieldType};
use std::{net::IpAddr, sync::Arc};

/// Caller of an operation. A clone is cheap.
#[derive(Clone, Debug)]
pub struct Caller(Who);

#[derive(Clone, Debug)]
enum Who {
    /// The root of an account, without credentials of its own.
    Root(Text),
    Known(Arc<Known>),
}

/// A caller with credentials.
#[derive(Debug)]
struct Known {
    principal: Principal,
    user_id: Text,
    identity: Option<Text>,
    access_key_id: Text,
    session: Option<TemporarySession>,
}

impl Caller {
    /// The root of an account.
    pub fn root(account: impl Into<Text>) -> Self {
        Self(Who::Root(account.into()))
    }

    fn from_key(access_key_id: &str, key: LongTermKey) -> Self {
        let LongTermKey { account, arn, user_id, identity, .. } = key;
        let principal = Principal::new(account, arn);
        let access_key_id = access_key_id.into();
        Self(Who::Known(Arc::new(Known { principal, user_id, identity, access_key_id, session: None })))
    }

    /// Creates the caller of a session.
    pub(super) fn from_session(access_key_id: &str, session: TemporarySession) -> Self {
        let text = |field: &Option<Text>| field.clone().unwrap_or_default();
        let known = Known {
            principal: Principal::new(text(&session.account), text(&session.arn)),
            user_id: text(&session.user_id),
            identity: session.identity.clone(),
            access_key_id: access_key_id.into(),
            session: Some(session),
        };
        Self(Who::Known(Arc::new(known)))
    }

    /// Creates the caller with an ARN, for questions about requests that are not made.
    pub(super) fn described(principal: &Principal, identity: Option<&Identity>) -> Self {
        let Some(identity) = identity else { return Self::root(principal.account.clone()) };
        let session_name =
            principal.arn.split_once(":assumed-role/").and_then(|(_, rest)| rest.split_once('/'));
        let (user_id, session) = match session_name {
            None => (identity.id.clone(), None),
            Some((_, name)) => {
                let mut session = TemporarySession::blank();
                session.arn = Some(principal.arn.clone());
                (identity.id.clone() + ":" + name, Some(session))
            }
        };
        let (principal, identity) = (principal.clone(), Some(identity.id.clone()));
        let known = Known { principal, user_id, identity, access_key_id: Text::default(), session };
        Self(Who::Known(Arc::new(known)))
    }

    /// Account of the caller.
    pub fn account(&self) -> &str {
        match &self.0 {
            Who::Root(account) => account,
            Who::Known(known) => &known.principal.account,
        }
    }

    /// Account and ARN of the caller.
    pub fn principal(&self) -> Principal {
        match &self.0 {
            Who::Root(account) => Principal::root(account),
            Who::Known(known) => known.principal.clone(),
        }
    }

    /// Unique ID: that of a user, `AROA…:session` for the session of a role, the account for a root.
    pub fn user_id(&self) -> &str {
        match &self.0 {
            Who::Root(account) => account,
            Who::Known(known) => &known.user_id,
        }
    }

    /// Unique ID of the user or role whose policies apply; `None` for the root of an account.
    pub fn identity(&self) -> Option<&str> {
        self.known()?.identity.as_deref()
    }

    /// ID of the access key that the request was signed with; `None` for a root without credentials.
    pub fn access_key_id(&self) -> Option<&str> {
        Some(&self.known()?.access_key_id)
    }

    /// The temporary session of the caller, if it has one.
    pub fn session(&self) -> Option<&TemporarySession> {
        self.known()?.session.as_ref()
    }

    fn known(&self) -> Option<&Known> {
        match &self.0 {
            Who::Root(_) => None,
            Who::Known(known) => Some(known),
        }
    }
}

/// Source of a request that came over the network.
#[derive(Clone, Debug)]
pub struct RequestSource {
    /// Caller of the operation.
    pub caller: Caller,
    /// Region of the request.
    pub region: Text,
    /// Address of the client.
    pub address: Option<IpAddr>,
    /// Name of the client's software.
    pub user_agent: Option<Text>,
    /// True if the connection is encrypted.
    pub is_encrypted: bool,
}

impl RequestSource {
    /// Creates the source of a request of a caller in a Region, without an address.
    pub fn new(caller: Caller, region: impl Into<Text>) -> Self {
        Self { caller, region: region.into(), address: None, user_agent: None, is_encrypted: false }
    }
}

/// An access key with its secret and caller, for the verification of signatures.
#[derive(Clone, Debug)]
pub struct KnownKey {
    /// Secret access key.
    pub secret: Secret,
    /// Caller with this key.
    pub caller: Caller,
}

/// Error for credentials that are not known.
fn unknown_credentials() -> Error {
    Error::new(ErrorKind::Denied, "The security token included in the request is invalid.")
        .with_wire_code("InvalidClientTokenId", 403)
}

/// Error for credentials that have expired.
fn expired_credentials() -> Error {
    Error::new(ErrorKind::Expired, "The security token included in the request is expired")
        .with_wire_code("ExpiredToken", 403)
}

impl Inner {
    /// Returns the caller of a session: that of its credentials, or else the root of its account.
    pub(crate) fn caller_of(&self, session: &Session, tx: &mut Tx<'_>) -> Result<Caller> {
        let has_identities = tx.identities().is_some();
        let Some(credentials) = session.credentials().filter(|_| has_identities) else {
            return Ok(Caller::root(session.account()));
        };
        let Credentials { access_key_id, secret_access_key, session_token, .. } = credentials;
        let token = session_token.as_ref().map(Secret::expose);
        let known = self.find_key(access_key_id, token, tx)?.ok_or_else(unknown_credentials)?;
        if known.secret != *secret_access_key {
            return Err(unknown_credentials());
        }
        Ok(known.caller)
    }

    /// Finds an access key; `None` if it is not known. Temporary credentials need their token.
    fn find_key(&self, id: &str, token: Option<&str>, tx: &mut Tx<'_>) -> Result<Option<KnownKey>> {
        if let Some(token) = token {
            let Some((session, secret)) = temporary::open(tx, id, token) else { return Ok(None) };
            if session.expiration.is_none_or(|expiration| expiration <= tx.now()) {
                return Err(expired_credentials());
            }
            return Ok(Some(KnownKey { secret, caller: Caller::from_session(id, session) }));
        }
        let Some(identities) = tx.identities() else { return Ok(None) };
        let found = identities.find_key(tx, id)?;
        if found.as_ref().is_some_and(|key| !key.is_active) {
            return Err(unknown_credentials());
        }
        Ok(found.map(|key| KnownKey { secret: key.secret.clone(), caller: Caller::from_key(id, key) }))
    }
}

impl Kernel {
    /// Finds an access key with its secret and caller, for the verification of signatures; `None` if it is not known.
    /// Temporary credentials need their token.
    ///
    /// # Errors
    ///
    /// Refused with the kind `Denied` if the key is not active, and `Expired` if the credentials have expired.
    pub fn find_key(&self, access_key_id: &str, token: Option<&str>) -> Result<Option<KnownKey>> {
        // The ID of a key contains its account: others need not be looked up.
        if token.is_none() && account_of_access_key(access_key_id).is_none() {
            return Ok(None);
        }
        let scope = Scope::new("", "");
        let now = self.0.time.now();
        self.read_in(scope, now, |inner, tx| inner.find_key(access_key_id, token, tx)).0
    }
}
