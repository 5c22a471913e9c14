//! Kinds of crypto keys.

/// Crypto key: it encrypts, signs, authenticates or agrees on secrets, and its material never leaves the cloud.
///
/// ```
/// # use nephos::{Cloud, CryptoKey, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let keys = CryptoKey::objects(&session);
/// let key = keys.create(&CryptoKey::builder().description("web").build()?).wait()?;
/// keys.create_alias("alias/web", key.key_id().expect("it has an ID")).wait()?;
/// assert_eq!(keys.get("alias/web").wait()?, Some(key));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::kms::CryptoKey;

/// Name of a crypto key, which can be changed to name another key.
///
/// ```
/// # use nephos::{Cloud, CryptoKey, KeyAlias, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let key = CryptoKey::objects(&session).create(&CryptoKey::builder().build()?).wait()?;
/// let alias = KeyAlias::builder().alias_name("alias/web").target_key_id(key.key_id().expect("it has an ID")).build()?;
/// let alias = KeyAlias::objects(&session).create(&alias).wait()?;
/// assert_eq!(alias.crypto_key().wait()?.as_deref(), Some(&key));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::kms::KeyAlias;

/// Permission of a principal to use a crypto key, beside the policy of the key.
///
/// ```
/// # use nephos::{Cloud, CryptoKey, KeyGrant, User, prelude::*, services::kms::GrantOperation};
/// # let session = Cloud::in_memory().session();
/// let ann = User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let key = CryptoKey::objects(&session).create(&CryptoKey::builder().build()?).wait()?;
/// let grant = KeyGrant::builder()
///     .key_id(key.key_id().expect("it has an ID"))
///     .grantee_principal(ann.require_arn()?)
///     .operations([GrantOperation::Encrypt, GrantOperation::Decrypt])
///     .build()?;
/// let grant = KeyGrant::objects(&session).create(&grant).wait()?;
/// grant.delete().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::kms::KeyGrant;
