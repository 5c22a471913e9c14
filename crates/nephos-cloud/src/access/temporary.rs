//! Temporary credentials. Their token contains the session, sealed with the key of the cloud, so that issuing them writes
//! nothing and any number can exist.

use crate::{Tx, rows};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use nephos_core::{Credentials, Ids, Map, Record, Result, Secret, Text, Timestamp};

/// Characters of IDs: five bits each.
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Characters of secret access keys.
const SECRET_ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Number of characters of a secret access key.
const SECRET_LENGTH: usize = 40;

/// Number of characters of the ID of an access key after its prefix.
const ID_LENGTH: u32 = 16;

/// Number of random bits of the ID of an access key. The account is above them, and one bit above the account.
const RANDOM_BITS: u32 = 39;

/// Prefix of the IDs of keys that do not expire.
const LONG_TERM: &str = "AKIA";

/// Prefix of the IDs of temporary keys.
const TEMPORARY: &str = "ASIA";

/// Associated data of tokens.
const PLACE: &[u8] = b"nephos: a session token";

/// Creates the ID of an access key that does not expire. It contains the account.
pub fn new_access_key_id(ids: &Ids, account: &str) -> Text {
    new_id(ids, LONG_TERM, account)
}

/// Creates a secret access key.
pub fn new_secret_access_key(ids: &Ids) -> Secret {
    Secret::from(ids.from_alphabet(SECRET_ALPHABET, SECRET_LENGTH))
}

fn new_id(ids: &Ids, prefix: &str, account: &str) -> Text {
    let account: u128 = account.parse().unwrap_or_default();
    let bits = (1 << 79) | (account << RANDOM_BITS) | u128::from(ids.below(1 << RANDOM_BITS));
    let digit = |n: u32| char::from(ALPHABET[(bits >> (5 * n)) as usize % ALPHABET.len()]);
    Text::new(prefix) + &(0..ID_LENGTH).rev().map(digit).collect::<String>()
}

/// Returns the account that the ID of an access key contains; `None` if it is not such an ID.
pub fn account_of_access_key(id: &str) -> Option<Text> {
    let digits = [LONG_TERM, TEMPORARY].into_iter().find_map(|prefix| id.strip_prefix(prefix))?;
    if digits.len() != ID_LENGTH as usize {
        return None;
    }
    let mut bits: u128 = 0;
    for digit in digits.bytes() {
        bits = bits << 5 | ALPHABET.iter().position(|known| *known == digit)? as u128;
    }
    let account = (bits & !(1 << 79)) >> RANDOM_BITS;
    (account < 1_000_000_000_000).then(|| format!("{account:012}").into())
}

/// A temporary session: its caller, and the facts that decisions about its requests need.
#[derive(Record)]
#[record(row)]
pub struct TemporarySession {
    /// Account of the session.
    pub account: Option<Text>,
    /// ARN of the caller.
    pub arn: Option<Text>,
    /// Unique ID of the caller: `AROA…:name` for the session of a role.
    pub user_id: Option<Text>,
    /// Unique ID of the user or role whose policies apply; absent for the root of an account.
    pub identity: Option<Text>,
    /// Secret access key.
    #[field(sensitive)]
    secret: Option<Secret>,
    /// Time at which the session was created.
    pub issued: Option<Timestamp>,
    /// Time at which the session expires.
    pub expiration: Option<Timestamp>,
    /// Policy documents that limit the session.
    pub policies: Option<Vec<Text>>,
    /// ARNs of managed policies that limit the session.
    pub policy_arns: Option<Vec<Text>>,
    /// Tags of the session.
    pub tags: Option<Map<Text>>,
    /// Keys of the tags that pass on to sessions that this one creates.
    pub transitive_tag_keys: Option<Vec<Text>>,
    /// Identity that the first session of a chain was created with.
    pub source_identity: Option<Text>,
    /// True if the caller used a device of multi-factor authentication.
    pub has_mfa: Option<bool>,
    /// Issuer of the token or assertion that the session was created with.
    pub federated_provider: Option<Text>,
    /// Condition keys of the token or assertion that the session was created with, and their values.
    pub federated_context: Option<Map<Text>>,
}

impl TemporarySession {
    /// True for the session of a role.
    pub fn is_of_role(&self) -> bool {
        self.arn.as_ref().is_some_and(|arn| arn.contains(":assumed-role/"))
    }
}

impl Tx<'_> {
    /// Creates credentials for a session. Nothing is written: the token contains the session, sealed.
    pub fn issue_credentials(&self, mut session: TemporarySession) -> Result<Credentials> {
        let id = new_id(self.ids(), TEMPORARY, session.account.as_deref().unwrap_or_default());
        let secret = new_secret_access_key(self.ids());
        session.secret = Some(secret.clone());
        let sealed = self.seal_unbound(&place(&id), &rows::encode(&session))?;
        Ok(Credentials {
            access_key_id: id,
            secret_access_key: secret,
            session_token: Some(STANDARD.encode(sealed).into()),
            expiration: session.expiration,
        })
    }
}

/// Associated data of the token of a key.
fn place(access_key_id: &str) -> Vec<u8> {
    [PLACE, access_key_id.as_bytes()].concat()
}

/// Opens the token of temporary credentials: the session and its secret. `None` if it does not belong to this key or cloud.
pub(super) fn open(cx: &Tx<'_>, access_key_id: &str, token: &str) -> Option<(TemporarySession, Secret)> {
    let sealed = STANDARD.decode(token).ok()?;
    let opened = cx.open_unbound(&place(access_key_id), &sealed).ok()?;
    let mut session: TemporarySession = rows::decode(&opened).ok()?;
    let secret = session.secret.take()?;
    Some((session, secret))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cloud;
    use nephos_core::field_value::FieldType;

    #[test]
    fn access_key_ids_contain_the_account() {
        let ids = Ids::seeded(1);
        for account in ["000000000000", "123456789012", "999999999999"] {
            for id in [new_access_key_id(&ids, account), new_id(&ids, TEMPORARY, account)] {
                assert_eq!(id.len(), 20);
                assert_eq!(account_of_access_key(&id).as_deref(), Some(account));
            }
        }
        for id in ["", "AKIA", "123456789012", "AKIAIOSFODNN7EXAMPL", "BKIAQAAAAAAAAAAAAAAA"] {
            assert_eq!(account_of_access_key(id), None, "{id}");
        }
    }

    #[test]
    fn a_token_opens_only_with_its_key_and_in_its_cloud_and_forks() {
        let cloud = Cloud::<()>::in_memory();
        let before = cloud.rows().unwrap();
        let credentials = cloud.run_in_transaction(|cx| {
            let mut session = TemporarySession::blank();
            session.account = Some("123456789012".into());
            session.policies = Some(vec!["{}".into()]);
            cx.issue_credentials(session)
        });
        let Credentials { access_key_id: id, secret_access_key: secret, session_token, .. } =
            credentials.unwrap();
        assert_eq!(cloud.rows().unwrap(), before, "nothing is written");
        let token = session_token.unwrap();
        let opened = |cloud: &crate::Kernel, id: &str, token: &str| {
            let (id, token) = (id.to_owned(), token.to_owned());
            cloud.run_in_transaction(move |cx| Ok(open(cx, &id, &token))).unwrap()
        };
        let (session, found) = opened(&cloud, &id, token.expose()).unwrap();
        assert_eq!((session.policies, found), (Some(vec!["{}".into()]), secret.clone()));
        assert!(opened(&cloud, "ASIAOTHER", token.expose()).is_none());
        assert!(opened(&cloud.fork().unwrap(), &id, token.expose()).is_some());
        assert!(opened(&Cloud::<()>::in_memory(), &id, token.expose()).is_none());
        assert!(opened(&cloud, &id, &token.expose()[4..]).is_none());
        assert!(!token.expose().contains(secret.expose()));
    }

    #[test]
    fn a_token_of_a_fork_opens_only_in_it_and_its_forks() {
        let cloud = Cloud::<()>::in_memory();
        let fork = cloud.fork().unwrap();
        let (sibling, inner) = (cloud.fork().unwrap(), fork.fork().unwrap());
        let clouds = [&*cloud, &sibling, &fork, &inner];
        for (issuer, expected) in [
            (&*cloud, [true, true, true, true]),
            (&sibling, [false, true, false, false]),
            (&fork, [false, false, true, true]),
            (&inner, [false, false, false, true]),
        ] {
            let issued = issuer.run_in_transaction(|cx| {
                let mut session = TemporarySession::blank();
                session.account = Some("123456789012".into());
                cx.issue_credentials(session)
            });
            let issued = issued.unwrap();
            let is_valid = |cloud: &crate::Kernel| {
                let (id, token) = (issued.access_key_id.clone(), issued.session_token.clone().unwrap());
                cloud.run_in_transaction(move |cx| Ok(open(cx, &id, token.expose()).is_some())).unwrap()
            };
            assert_eq!(clouds.map(is_valid), expected);
        }
    }
}
