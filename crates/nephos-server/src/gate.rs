//! Who calls, and whether that has to be proved.

use crate::{RootKey, forks::HEADER};
use nephos::{Clock, DEFAULT_ACCOUNT, DEFAULT_REGION, Text};
use nephos_wire::{
    HttpRequest,
    sigv4::{Key, Keys, SignatureError, SignatureParts, Verifier},
};
use std::sync::Arc;

/// Whether callers have to prove who they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Auth {
    /// Any well-formed credentials are taken, and none, too: for development on one machine.
    #[default]
    Open,
    /// Every request has to be signed with a key that the server knows.
    Strict,
}

/// Who calls, as far as the gate believes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The account that acts.
    pub(crate) account: Text,
    /// The Region it acts in.
    pub(crate) region: Text,
}

/// What lets requests in.
pub(crate) struct Gate {
    pub(crate) auth: Auth,
    pub(crate) clock: Clock,
    ring: Ring,
    verifier: Verifier<Ring>,
}

/// All keys that are known.
#[derive(Clone)]
struct Ring(Arc<Known>);

#[derive(Clone, Default)]
struct Known {
    root: Option<RootKey>,
    others: Vec<Arc<dyn Keys>>,
}

impl Keys for Ring {
    fn find_key(&self, access_key_id: &str) -> Option<Key> {
        let Known { root, others } = &*self.0;
        let root = root.as_ref().filter(|root| root.access_key_id == access_key_id).map(key_of);
        root.or_else(|| others.iter().find_map(|keys| keys.find_key(access_key_id)))
    }
}

/// The root key as signatures are checked with it.
fn key_of(root: &RootKey) -> Key {
    Key {
        secret: root.secret_access_key.clone(),
        session_token: None,
        account: Text::const_new(DEFAULT_ACCOUNT),
    }
}

impl Gate {
    /// A gate that takes any well-formed credentials.
    pub(crate) fn new(clock: Clock) -> Self {
        let ring = Ring(Arc::default());
        Self { auth: Auth::Open, clock, verifier: Verifier::new(ring.clone()), ring }
    }

    fn know(&mut self, change: impl FnOnce(&mut Known)) {
        let mut known = Known::clone(&self.ring.0);
        change(&mut known);
        self.ring = Ring(Arc::new(known));
        self.verifier = Verifier::new(self.ring.clone());
    }

    /// Knows `root` from now on.
    pub(crate) fn set_root(&mut self, root: RootKey) {
        self.know(|known| known.root = Some(root));
    }

    /// Looks for keys there, too.
    pub(crate) fn add_keys(&mut self, keys: Arc<dyn Keys>) {
        self.know(|known| known.others.push(keys));
    }

    /// Whether there is anybody who could get in.
    pub(crate) fn has_root(&self) -> bool {
        self.ring.0.root.is_some()
    }

    /// Who sent `message`, which says `parts` of its signature. `service` is the one that the signature has to be for;
    /// without one, what it says itself.
    pub(crate) fn admit(
        &self,
        message: &HttpRequest,
        parts: Result<&SignatureParts, &SignatureError>,
        service: Option<&str>,
    ) -> Result<Caller, SignatureError> {
        let parts = match (parts, self.auth) {
            (Ok(parts), _) => parts,
            (Err(SignatureError::Missing), Auth::Open) => {
                let (account, region) = (Text::const_new(DEFAULT_ACCOUNT), Text::const_new(DEFAULT_REGION));
                return Ok(Caller { account, region });
            }
            (Err(refused), _) => return Err(refused.clone()),
        };
        let account = match self.auth {
            Auth::Open => self.account(&parts.access_key_id),
            Auth::Strict => self.verify(message, parts, service)?.account,
        };
        Ok(Caller { account, region: parts.scope.region.clone() })
    }

    /// Whether `message` is signed with the root key, for `service`.
    pub(crate) fn admit_root(
        &self,
        message: &HttpRequest,
        parts: Result<&SignatureParts, &SignatureError>,
        service: &str,
    ) -> Result<(), SignatureError> {
        let parts = parts.map_err(SignatureError::clone)?;
        let caller = self.verify(message, parts, Some(service))?;
        match &self.ring.0.root {
            Some(root) if root.access_key_id == caller.access_key_id => Ok(()),
            _ => Err(SignatureError::UnknownKey),
        }
    }

    fn verify(
        &self,
        message: &HttpRequest,
        parts: &SignatureParts,
        service: Option<&str>,
    ) -> Result<nephos_wire::sigv4::Caller, SignatureError> {
        // The provider's headers have to be signed in any case, and ours decides as much as they do.
        let ours = HEADER.as_str();
        if message.headers().contains_key(ours) && !parts.signed_header_names().any(|name| name == ours) {
            let why = format!("'{ours}' must be a 'SignedHeader' in the AWS Authorization.");
            return Err(SignatureError::WrongScope(why));
        }
        let service = service.unwrap_or(&parts.scope.service);
        self.verifier.verify(message, parts, service, self.clock.now())
    }

    /// The account of a key: its owner if it is known, itself if it is twelve digits.
    fn account(&self, access_key_id: &Text) -> Text {
        let is_account = access_key_id.len() == 12 && access_key_id.bytes().all(|byte| byte.is_ascii_digit());
        match self.ring.find_key(access_key_id) {
            Some(key) => key.account,
            None if is_account => access_key_id.clone(),
            None => Text::const_new(DEFAULT_ACCOUNT),
        }
    }
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gate").field("auth", &self.auth).finish_non_exhaustive()
    }
}
