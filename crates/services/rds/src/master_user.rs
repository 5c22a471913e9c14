//! The master user of a database: its name, its password, and the secret with the password that the service manages.

use crate::{Credentials, MasterUserAuthenticationType, MasterUserSecret, engine::Engine, errors};
use nephos_cloud::{ManagedSecrets, NewSecret, Scope, Stored, Tx};
use nephos_core::{
    Arn, Blob, Error, Map, Record, Result, Secret, SignedDuration, Text, Timestamp, Value, WorkflowContext,
    json,
};

/// The secrets of master users.
const SECRETS: ManagedSecrets = ManagedSecrets {
    owner: "rds",
    for_callers_of: Some(&crate::SERVICE),
    unavailable: errors::secrets_not_available,
    refused: |reason| errors::secret_not_stored(reason),
};

/// Characters of the passwords that the service makes.
const PASSWORD_ALPHABET: &[u8] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%()*+-.:<=>?[]_{|}~";

/// Mask of a password in answers.
pub(crate) const MASK: &str = "****";

/// Days after which a managed password is rotated.
const ROTATION_DAYS: i64 = 7;

/// Row of the password of a master user.
#[derive(Record)]
#[record(row)]
pub(crate) struct MasterPasswordRow {
    /// Resource ID of the database.
    resource_id: Option<Text>,
    /// Password, sealed.
    #[field(sensitive)]
    password: Option<Blob>,
}

nephos_cloud::stored!(MasterPasswordRow in "rds/master-password" by resource_id);

/// Refuses the name of a master user that is malformed or reserved.
pub(crate) fn check_name(engine: &Engine, name: &str) -> Result<()> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let max = engine.max_username();
    let error = if name.is_empty() {
        errors::parameter_blank("MasterUsername")
    } else if !name.starts_with(|first: char| first.is_ascii_alphabetic()) || !name.bytes().all(is_part) {
        errors::master_name_invalid()
    } else if name.len() > max {
        errors::master_name_long(max)
    } else if engine.reserved_names.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
        errors::master_name_reserved(name)
    } else {
        return Ok(());
    };
    Err(error.with_field("MasterUsername"))
}

/// Refuses a password that the engine does not take.
pub(crate) fn check_password(engine: &Engine, password: &Secret) -> Result<()> {
    let password = password.expose();
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && !b"/@\"".contains(&byte);
    let error = if password.is_empty() {
        errors::parameter_blank("MasterUserPassword")
    } else if !password.bytes().all(is_allowed) {
        errors::password_characters()
    } else if password.len() < 8 {
        errors::password_short()
    } else if password.len() > engine.max_password {
        errors::password_long(engine.max_password)
    } else {
        return Ok(());
    };
    Err(error.with_field("MasterUserPassword"))
}

/// How the master user of a new database signs in.
pub(crate) struct NewMasterUser<'n> {
    /// Name of the user.
    pub(crate) name: Option<&'n Text>,
    /// Password of the user.
    pub(crate) password: Option<&'n Secret>,
    /// True for a password that the service manages.
    pub(crate) is_managed: Option<bool>,
    /// Crypto key of the managed secret.
    pub(crate) crypto_key: Option<&'n Text>,
    /// How the user signs in.
    pub(crate) authentication: Option<&'n MasterUserAuthenticationType>,
}

impl NewMasterUser<'_> {
    /// Refuses a user that cannot sign in, or in several ways.
    pub(crate) fn check(&self, engine: &Engine) -> Result<()> {
        let name = self.name.map(Text::as_str).unwrap_or_default();
        check_name(engine, name)?;
        let is_managed = self.is_managed == Some(true);
        if self.crypto_key.is_some() && self.is_managed.is_none() {
            let error = errors::secret_key_without_managed_password();
            return Err(error.with_field("MasterUserSecretCryptoKeyId"));
        }
        let uses_account = self.authentication == Some(&MasterUserAuthenticationType::IamDbAuth);
        match self.password {
            Some(_) if is_managed || uses_account => {
                Err(errors::password_with_managed_password().with_field("MasterUserPassword"))
            }
            Some(password) => check_password(engine, password),
            None if is_managed && uses_account => {
                Err(errors::password_with_managed_password().with_field("ManageMasterUserPassword"))
            }
            None if is_managed || uses_account => Ok(()),
            None => Err(errors::parameter_blank("MasterUserPassword").with_field("MasterUserPassword")),
        }
    }

    /// Refuses a managed password of a restored database, unless its engine is Oracle.
    pub(crate) fn check_restored(&self, engine: &str) -> Result<()> {
        if self.crypto_key.is_some() && self.is_managed.is_none() {
            let error = errors::secret_key_without_managed_password();
            return Err(error.with_field("MasterUserSecretCryptoKeyId"));
        }
        let field = "ManageMasterUserPassword";
        if self.is_managed == Some(true) && !engine.starts_with("oracle") {
            return Err(errors::cluster_parameter_unsupported(field, engine).with_field(field));
        }
        Ok(())
    }

    /// Keeps the password of a new database, or makes its secret, which is returned.
    pub(crate) fn store(&self, cx: &mut Tx<'_>, database: &Database<'_>) -> Result<Option<MasterUserSecret>> {
        if let Some(password) = self.password {
            keep_password(cx, database.resource_id, password)?;
        }
        match self.is_managed {
            Some(true) => create_secret(cx, database, self.name, self.crypto_key).map(Some),
            _ => Ok(None),
        }
    }
}

/// A database whose secret the service manages.
pub(crate) struct Database<'d> {
    /// `db` for an instance, `cluster` for a cluster.
    pub(crate) kind: &'static str,
    /// ARN of the database.
    pub(crate) arn: &'d str,
    /// Resource ID of the database.
    pub(crate) resource_id: &'d str,
}

/// Keeps the password of a master user.
pub(crate) fn keep_password(cx: &mut Tx<'_>, resource_id: &str, password: &Secret) -> Result<()> {
    let sealed = cx.seal(&[MasterPasswordRow::TABLE, resource_id], password.expose().as_bytes())?;
    cx.put(MasterPasswordRow { resource_id: Some(resource_id.into()), password: Some(sealed) })
}

/// Returns the password of the master user of a database: the one in its secret, or the one that was set. None is known of a user
/// that signs in with credentials of the account.
pub(crate) fn read_password(
    cx: &mut Tx<'_>,
    resource_id: &str,
    secret: Option<&MasterUserSecret>,
) -> Result<Option<Secret>> {
    if let Some(arn) = secret.and_then(|secret| secret.secret_arn.as_deref()) {
        let content = SECRETS.read(cx, arn)?.unwrap_or_default();
        return Ok(content.get("password").and_then(Value::as_text).map(Secret::from));
    }
    let row: Option<MasterPasswordRow> = cx.get(&MasterPasswordRow::table(cx.scope()).text(resource_id))?;
    let Some(sealed) = row.and_then(|row| row.password) else { return Ok(None) };
    let opened = cx.open(&[MasterPasswordRow::TABLE, resource_id], &sealed)?;
    Ok(Some(Secret::from(String::from_utf8_lossy(&opened).as_ref())))
}

/// Copies the password of the master user of a database, which may be in another Region, to a new database.
pub(crate) fn copy_password(cx: &mut Tx<'_>, scope: &Scope, from: &str, to: &str) -> Result<()> {
    match cx.in_scope(scope, |cx| read_password(cx, from, None))? {
        Some(password) => keep_password(cx, to, &password),
        None => Ok(()),
    }
}

/// Content of a secret with a new password.
fn new_content(cx: &Tx<'_>, username: Option<&Text>) -> Map<Value> {
    let password = Secret::from(cx.ids().from_alphabet(PASSWORD_ALPHABET, 28).as_str());
    let mut content = Map::default();
    content.insert("username".into(), username.cloned().into());
    content.insert("password".into(), password.into());
    content
}

/// Checks that the caller may describe the crypto key of a managed secret, which is given by ID, alias or ARN.
fn check_key(cx: &mut Tx<'_>, name: &str) -> Result<()> {
    let (scope, name) = match Arn::parts(name) {
        Some([_, _, region, account, resource]) => (Scope::new(account, region), resource),
        None => (cx.scope().clone(), name),
    };
    let arn = scope.arn("kms", &["key/", name.trim_start_matches("key/")]);
    cx.check_action(&crate::SERVICE, "kms:DescribeKey", arn.as_str(), "")
}

/// Creates the secret of a database. Its password is rotated every seven days.
pub(crate) fn create_secret(
    cx: &mut Tx<'_>,
    database: &Database<'_>,
    username: Option<&Text>,
    crypto_key: Option<&Text>,
) -> Result<MasterUserSecret> {
    let name = format!("rds!{}-{}", database.kind, cx.ids().uuid());
    let description = format!("Secret associated with primary RDS DB instance: {}", database.arn);
    let key_name = crypto_key.map_or("alias/aws/secretsmanager", Text::as_str);
    check_key(cx, key_name)?;
    let content = new_content(cx, username);
    let new = NewSecret { name: &name, description: Some(&description), crypto_key, content: &content };
    let arn = SECRETS.create(cx, new)?;
    let key = cx.call_service_for_value("kms", "DescribeKey", &[("KeyId", key_name.into())]);
    let key = key.ok().flatten().and_then(|key| key["KeyMetadata"]["Arn"].as_text().map(Text::from));
    Ok(MasterUserSecret { secret_arn: Some(arn), secret_status: Some("creating".into()), crypto_key_id: key })
}

/// Gives the master user a new password in its secret.
pub(crate) fn rotate(cx: &mut Tx<'_>, secret: &MasterUserSecret, username: Option<&Text>) -> Result<()> {
    let arn = secret.secret_arn.clone().unwrap_or_default();
    let content = new_content(cx, username);
    SECRETS.replace(cx, &arn, &content)
}

/// Reads the name and the password of the master user from a managed secret.
pub(crate) async fn read_credentials(
    context: &WorkflowContext,
    secret: Option<MasterUserSecret>,
) -> Result<Credentials> {
    let Some(arn) = secret.and_then(|secret| secret.secret_arn) else {
        return Err(Error::invalid(
            "MasterUserSecret",
            "the service does not manage the password of the master user",
        ));
    };
    let value = context.call(nephos_secrets::GetSecretValue::new(arn)).await?;
    let text = value.secret_string().map_or("", Secret::expose);
    let Ok(content) = json::parse(text.as_bytes()) else {
        return Err(Error::invalid("MasterUserSecret", "the secret has no credentials"));
    };
    Ok(Credentials {
        username: content["username"].as_text().map(Text::from),
        password: content["password"].as_text().map(Secret::from),
    })
}

/// Deletes the secret of a database.
pub(crate) fn delete_secret(cx: &mut Tx<'_>, secret: Option<&MasterUserSecret>) -> Result<()> {
    match secret.and_then(|secret| secret.secret_arn.as_deref()) {
        Some(arn) => SECRETS.delete(cx, arn),
        None => Ok(()),
    }
}

/// Removes the password and the secret of a deleted database.
pub(crate) fn remove(cx: &mut Tx<'_>, resource_id: &str, secret: Option<&MasterUserSecret>) -> Result<()> {
    let row: Option<MasterPasswordRow> = cx.get(&MasterPasswordRow::table(cx.scope()).text(resource_id))?;
    if let Some(row) = row {
        cx.remove(&row)?;
    }
    delete_secret(cx, secret)
}

/// Time of the next rotation of a managed password.
pub(crate) fn next_rotation(cx: &Tx<'_>) -> Timestamp {
    cx.now().checked_add(SignedDuration::from_hours(24 * ROTATION_DAYS)).unwrap_or(Timestamp::MAX)
}

/// A change of the password of a master user.
pub(crate) struct PasswordChange<'c> {
    /// New password.
    pub(crate) password: Option<&'c Secret>,
    /// True for a password that the service manages, false for one that it no longer does.
    pub(crate) is_managed: Option<bool>,
    /// True to rotate the managed password now.
    pub(crate) rotate: Option<bool>,
    /// Crypto key of a new secret.
    pub(crate) crypto_key: Option<&'c Text>,
    /// True to apply the change at once.
    pub(crate) apply_immediately: bool,
}

impl PasswordChange<'_> {
    /// Refuses a change that does not fit to the current secret.
    pub(crate) fn check(&self, engine: &Engine, current: Option<&MasterUserSecret>) -> Result<()> {
        let (is_managed, turns_on) = (current.is_some(), self.is_managed == Some(true));
        let refuse = |error: nephos_core::Error, field: &str| Err(error.with_field(field));
        if self.crypto_key.is_some() && self.is_managed.is_none() {
            let error = errors::secret_key_without_managed_password();
            return refuse(error, "MasterUserSecretCryptoKeyId");
        }
        if self.crypto_key.is_some() && turns_on && is_managed {
            return refuse(errors::secret_key_not_changeable(), "MasterUserSecretCryptoKeyId");
        }
        if self.is_managed == Some(false) && self.password.is_none() {
            return refuse(errors::password_needed(), "MasterUserPassword");
        }
        if self.password.is_some() && (turns_on || (is_managed && self.is_managed.is_none())) {
            return refuse(errors::password_with_managed_password(), "MasterUserPassword");
        }
        if self.rotate == Some(true) {
            if !is_managed {
                return refuse(errors::rotation_without_managed_password(), "RotateMasterUserPassword");
            }
            if !self.apply_immediately {
                return refuse(errors::rotation_not_immediate(), "RotateMasterUserPassword");
            }
        }
        self.password.map_or(Ok(()), |password| check_password(engine, password))
    }

    /// Applies the change; true if the password is another one now.
    pub(crate) fn apply(
        &self,
        cx: &mut Tx<'_>,
        database: &Database<'_>,
        username: Option<&Text>,
        secret: &mut Option<MasterUserSecret>,
    ) -> Result<bool> {
        if let Some(password) = self.password {
            keep_password(cx, database.resource_id, password)?;
        }
        match self.is_managed {
            Some(true) if secret.is_none() => {
                *secret = Some(create_secret(cx, database, username, self.crypto_key)?);
                return Ok(true);
            }
            Some(false) => delete_secret(cx, secret.take().as_ref())?,
            _ => {}
        }
        if let Some(secret) = secret.as_mut().filter(|_| self.rotate == Some(true)) {
            rotate(cx, secret, username)?;
            secret.secret_status = Some("rotating".into());
            return Ok(true);
        }
        Ok(self.password.is_some())
    }
}

/// Marks the secret of a database as active, when a change of the database ends.
pub(crate) fn activate(secret: Option<&mut MasterUserSecret>) {
    if let Some(secret) = secret {
        secret.secret_status = Some("active".into());
    }
}
