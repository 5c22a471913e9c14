//! Authentication of callers.

use crate::{RootKey, forks::FORK_HEADER, front::Client};
use nephos::{
    Clock, DEFAULT_ACCOUNT, DEFAULT_REGION, ErrorKind, Kernel, KnownKey, Permissions, SecretText, Text,
};
use nephos_wire::{
    HttpRequest,
    sigv4::{self, Key, Keys, SignatureError, SignatureParts, Verifier},
};
use std::sync::Arc;

/// Verification of signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Auth {
    /// Accepts any well-formed credentials, and unsigned requests: for development on one machine.
    #[default]
    Open,
    /// Accepts only requests that are signed with a known access key.
    Strict,
}

/// Caller of a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) caller: nephos::Caller,
    /// Region of the request.
    pub(crate) region: Text,
}

impl Caller {
    /// The root of the account of `client`.
    fn root(client: &Client, region: Text) -> Self {
        Self { caller: nephos::Caller::root(account_of(client)), region }
    }
}

/// Returns the account of callers of `client` whose access key is not known.
fn account_of(client: &Client) -> Text {
    client.account.clone().unwrap_or(Text::const_new(DEFAULT_ACCOUNT))
}

/// Authenticates requests.
pub(crate) struct Authenticator {
    pub(crate) auth: Auth,
    pub(crate) clock: Clock,
    key_ring: KeyRing,
    verifier: Verifier<KeyRing>,
}

/// All known access keys.
#[derive(Clone)]
struct KeyRing(Arc<KnownKeys>);

#[derive(Clone, Default)]
struct KnownKeys {
    root: Option<RootKey>,
    others: Vec<Arc<dyn Keys>>,
}

impl Keys for KeyRing {
    fn find_key(&self, access_key_id: &str) -> Option<Key> {
        let KnownKeys { root, others } = &*self.0;
        let root = root.as_ref().filter(|root| root.access_key_id == access_key_id).map(to_key);
        root.or_else(|| others.iter().find_map(|keys| keys.find_key(access_key_id)))
    }
}

/// Converts the root key for the verifier.
fn to_key(root: &RootKey) -> Key {
    Key {
        secret: root.secret_access_key.clone(),
        session_token: None,
        account: Text::const_new(DEFAULT_ACCOUNT),
    }
}

impl Authenticator {
    /// Creates an authenticator that accepts any well-formed credentials.
    pub(crate) fn new(clock: Clock) -> Self {
        let key_ring = KeyRing(Arc::default());
        Self { auth: Auth::Open, clock, verifier: Verifier::new(key_ring.clone()), key_ring }
    }

    fn update_keys(&mut self, change: impl FnOnce(&mut KnownKeys)) {
        let mut known = KnownKeys::clone(&self.key_ring.0);
        change(&mut known);
        self.key_ring = KeyRing(Arc::new(known));
        self.verifier = Verifier::new(self.key_ring.clone());
    }

    /// Sets the root key.
    pub(crate) fn set_root(&mut self, root: RootKey) {
        self.update_keys(|known| known.root = Some(root));
    }

    /// Adds a source of access keys.
    pub(crate) fn add_keys(&mut self, keys: Arc<dyn Keys>) {
        self.update_keys(|known| known.others.push(keys));
    }

    /// True if there is a root key.
    pub(crate) fn has_root(&self) -> bool {
        self.key_ring.0.root.is_some()
    }

    /// Returns the caller of `message` with the signature `parts`, whose keys are in `cloud`. `service` is the expected service
    /// of the credential scope; without one, any service is accepted.
    pub(crate) fn authenticate(
        &self,
        cloud: &Kernel,
        client: &Client,
        message: &HttpRequest,
        parts: Result<&SignatureParts, &SignatureError>,
        service: Option<&str>,
    ) -> Result<Caller, SignatureError> {
        let parts = match (parts, self.auth) {
            (Ok(parts), _) => parts,
            (Err(SignatureError::Missing), Auth::Open) => {
                return Ok(Caller::root(client, Text::const_new(DEFAULT_REGION)));
            }
            (Err(refused), _) => return Err(refused.clone()),
        };
        let caller = match self.auth {
            Auth::Open => self.caller(cloud, client, parts)?,
            Auth::Strict => self.verify_caller(cloud, message, parts, service)?.0,
        };
        Ok(Caller { caller, region: parts.scope.region.clone() })
    }

    /// Returns the caller of an operation whose requests are not signed; a signature that there is nevertheless is not verified.
    pub(crate) fn caller_without_signature(
        client: &Client,
        parts: Result<&SignatureParts, &SignatureError>,
    ) -> Caller {
        let region = parts.map_or(Text::const_new(DEFAULT_REGION), |parts| parts.scope.region.clone());
        Caller::root(client, region)
    }

    /// Returns the caller of a control request, whose signature for `service` is verified in both modes; none for the root key.
    pub(crate) fn authenticate_control(
        &self,
        cloud: &Kernel,
        message: &HttpRequest,
        parts: Result<&SignatureParts, &SignatureError>,
        service: &str,
    ) -> Result<Option<Caller>, SignatureError> {
        let parts = parts.map_err(SignatureError::clone)?;
        let (caller, access_key_id) = self.verify_caller(cloud, message, parts, Some(service))?;
        let root = self.key_ring.0.root.as_ref();
        let is_root = root.is_some_and(|root| root.access_key_id == access_key_id);
        Ok((!is_root).then(|| Caller { caller, region: parts.scope.region.clone() }))
    }

    /// Verifies a signature; returns the caller, and the ID of its access key. The keys are those of the server and of `cloud`.
    fn verify_caller(
        &self,
        cloud: &Kernel,
        message: &HttpRequest,
        parts: &SignatureParts,
        service: Option<&str>,
    ) -> Result<(nephos::Caller, Text), SignatureError> {
        let mut known = None;
        let verified = self.verify(message, parts, service, || {
            let found = find_verifier_key(cloud, parts)?;
            Ok(found.map(|(key, caller)| {
                known = Some(caller);
                key
            }))
        })?;
        let caller = known.unwrap_or_else(|| nephos::Caller::root(verified.account));
        Ok((caller, verified.access_key_id))
    }

    /// Verifies a signature with the key in the key ring, or else the one that `find` returns.
    fn verify(
        &self,
        message: &HttpRequest,
        parts: &SignatureParts,
        service: Option<&str>,
        find: impl FnOnce() -> Result<Option<Key>, SignatureError>,
    ) -> Result<nephos_wire::sigv4::Caller, SignatureError> {
        check_fork_header(message, parts)?;
        let service = service.unwrap_or(&parts.scope.service);
        let find = || self.key_or_else(parts, find);
        self.verifier.verify_with(message, parts, service, self.clock.now(), find)
    }

    /// Checks all of the signature of `message` that does not depend on its body.
    pub(crate) fn check_head(
        &self,
        cloud: &Kernel,
        message: &HttpRequest,
        parts: Result<&SignatureParts, &SignatureError>,
        service: Option<&str>,
    ) -> Result<(), SignatureError> {
        let parts = parts.map_err(SignatureError::clone)?;
        check_fork_header(message, parts)?;
        let service = service.unwrap_or(&parts.scope.service);
        let find = || find_verifier_key(cloud, parts).map(|found| found.map(|(key, _)| key));
        let find = || self.key_or_else(parts, find);
        sigv4::check_head(message, parts, service, self.clock.now(), find).map(drop)
    }

    /// Returns the key in the key ring, or else the one that `find` returns.
    fn key_or_else(
        &self,
        parts: &SignatureParts,
        find: impl FnOnce() -> Result<Option<Key>, SignatureError>,
    ) -> Result<Key, SignatureError> {
        match self.key_ring.find_key(&parts.access_key_id) {
            Some(key) => Ok(key),
            None => find()?.ok_or(SignatureError::UnknownKey),
        }
    }

    /// Returns the caller with an access key without verification: that of a known key; the root of an account if the ID is
    /// the account; the root of the account of the client. Where policies are enforced, an ID of the provider's form must be known.
    fn caller(
        &self,
        cloud: &Kernel,
        client: &Client,
        parts: &SignatureParts,
    ) -> Result<nephos::Caller, SignatureError> {
        let id = &parts.access_key_id;
        if let Some(key) = self.key_ring.find_key(id) {
            return Ok(nephos::Caller::root(key.account));
        }
        if let Some(known) = find_key(cloud, parts)? {
            return Ok(known.caller);
        }
        let has_form_of_provider = nephos::account_of_access_key(id).is_some();
        if has_form_of_provider && cloud.permissions() == Permissions::Enforce {
            return Err(SignatureError::UnknownKey);
        }
        let is_account = id.len() == 12 && id.bytes().all(|byte| byte.is_ascii_digit());
        Ok(nephos::Caller::root(if is_account { id.clone() } else { account_of(client) }))
    }
}

/// Rejects a fork header that is not signed. Headers of the provider must be signed anyway, and this one is as important.
fn check_fork_header(message: &HttpRequest, parts: &SignatureParts) -> Result<(), SignatureError> {
    let header = FORK_HEADER.as_str();
    if message.headers().contains_key(header) && !parts.signed_header_names().any(|name| name == header) {
        let error = format!("'{header}' must be a 'SignedHeader' in the AWS Authorization.");
        return Err(SignatureError::WrongScope(error));
    }
    Ok(())
}

/// Finds the access key of a signature in a cloud, in the form for the verifier, and its caller. The cloud has checked the
/// session token.
fn find_verifier_key(
    cloud: &Kernel,
    parts: &SignatureParts,
) -> Result<Option<(Key, nephos::Caller)>, SignatureError> {
    let found = find_key(cloud, parts)?;
    Ok(found.map(|KnownKey { secret, caller }| {
        let account = caller.account().into();
        (Key { secret, session_token: parts.session_token.clone(), account }, caller)
    }))
}

/// Finds the access key of a signature in a cloud.
fn find_key(cloud: &Kernel, parts: &SignatureParts) -> Result<Option<KnownKey>, SignatureError> {
    let token = parts.session_token.as_ref().map(SecretText::expose);
    cloud.find_key(&parts.access_key_id, token).map_err(|error| match error.kind() {
        ErrorKind::Expired => SignatureError::TokenExpired,
        _ => SignatureError::UnknownKey,
    })
}

impl std::fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authenticator").field("auth", &self.auth).finish_non_exhaustive()
    }
}
