//! Values of versions: sealed in their rows, opened when they are read.

use crate::{
    Secret, SecretManager, SecretRow, SecretVersion,
    cross_account::SecretHandler,
    errors,
    secret::{NewVersion, SecretId, access, secret_row},
    version::{self, VersionRow, labels},
};
use nephos_cloud::{DataKey, Key, Scope, Stored, Tx};
use nephos_core::{Blob, Error, Result, Text, operation, record_of};

/// Maximum length of a value in bytes.
const MAX_VALUE_BYTES: usize = 65_536;

/// A decrypted value.
pub(crate) enum Plaintext {
    Text(nephos_core::Secret),
    Binary(Blob),
}

impl Plaintext {
    /// Returns the value that the parameters give, if any.
    pub(crate) fn from_parameters(
        text: Option<nephos_core::Secret>,
        binary: Option<Blob>,
    ) -> Result<Option<Self>> {
        let (plain, field) = match (text, binary) {
            (None, None) => return Ok(None),
            (Some(text), None) => (Self::Text(text), "SecretString"),
            (None, Some(binary)) => (Self::Binary(binary), "SecretBinary"),
            (Some(_), Some(_)) => return Err(errors::text_and_binary_given()),
        };
        if plain.bytes().len() > MAX_VALUE_BYTES {
            let hint = format!("got {}", plain.bytes().len());
            return Err(errors::value_too_long(MAX_VALUE_BYTES).with_field(field).with_hint(hint));
        }
        Ok(Some(plain))
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.expose().as_bytes(),
            Self::Binary(binary) => &binary.0,
        }
    }

    fn is_binary(&self) -> bool {
        matches!(self, Self::Binary(_))
    }

    /// Compares two values in constant time.
    fn is_same_value(&self, other: &Self) -> bool {
        let (a, b) = (self.bytes(), other.bytes());
        let differ = a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b));
        self.is_binary() == other.is_binary() && a.len() == b.len() && differ == 0
    }
}

/// Row of a sealed value.
#[record_of(of = SecretVersion, takes(version_id), row, hot, name = "SecretValue")]
pub(crate) struct ValueRow {
    /// Name of the secret.
    name: Option<Text>,
    /// Value, sealed with the data key of the secret.
    #[field(sensitive)]
    value: Option<Blob>,
}

nephos_cloud::stored!(ValueRow in "secretsmanager/value" by name, version_id);

/// Returns the key prefix of the values of a secret.
pub(crate) fn key_prefix(scope: &Scope, name: &str) -> Key {
    ValueRow::table(scope).text(name)
}

/// Opens the value of a version; `None` if it has no value yet.
pub(crate) fn open(cx: &mut Tx<'_>, secret: &SecretRow, version: &VersionRow) -> Result<Option<Plaintext>> {
    let Some(binary) = version.binary else { return Ok(None) };
    let id = version.version_id.as_deref().unwrap_or_default();
    let sealed = cx.get_stripped::<ValueRow>(&key_prefix(cx.scope(), secret.own_name()).text(id))?;
    let sealed = sealed.and_then(|sealed| sealed.value);
    let sealed = sealed.ok_or_else(|| secret_row::decryption_error("the value of a version is missing"))?;
    let key = match &version.data_key {
        Some(own) => secret.open_own_key(cx, own)?,
        None => secret.open_data_key(cx)?,
    };
    let opened = key.open(cx, &[secret.arn(cx.scope()).as_str(), id], &sealed);
    let opened = opened.map_err(|error| secret_row::decryption_error(error.message()))?;
    if binary {
        return Ok(Some(Plaintext::Binary(Blob(opened.to_vec()))));
    }
    let text = std::str::from_utf8(&opened)
        .map_err(|_| secret_row::decryption_error("the value is not valid UTF-8"))?;
    Ok(Some(Plaintext::Text(text.into())))
}

/// Seals a value with `key`, and stores it with its version.
pub(crate) fn put(
    cx: &mut Tx<'_>,
    secret: &SecretRow,
    key: &DataKey,
    mut version: VersionRow,
    plain: &Plaintext,
) -> Result<()> {
    let id = version.version_id.clone();
    let of = [secret.arn(cx.scope())];
    let sealed = key.seal(cx, &[of[0].as_str(), id.as_deref().unwrap_or_default()], plain.bytes())?;
    version.binary = Some(plain.is_binary());
    version.data_key = None;
    cx.put(version)?;
    cx.put(ValueRow { name: secret.name.clone(), version_id: id, value: Some(sealed) })
}

/// Removes a version of a secret and its value.
pub(crate) fn remove_version(cx: &mut Tx<'_>, secret: &SecretRow, id: &str) -> Result<()> {
    let (version, value) =
        (version::key_prefix(cx.scope(), secret.own_name()), key_prefix(cx.scope(), secret.own_name()));
    cx.remove_row(&version.text(id))?;
    cx.remove_row(&value.text(id))
}

/// Adds a version with this value and moves the labels to it. The secret itself is not stored.
pub(crate) fn add_version(
    cx: &mut Tx<'_>,
    secret: &mut SecretRow,
    id: &Text,
    plain: &Plaintext,
    stages: &[Text],
) -> Result<()> {
    let version = match version::find(cx, secret, id)? {
        // A rotation has already created the version.
        Some(version) => version,
        None => {
            version::versions_to_remove(cx, secret)?;
            VersionRow::new(cx, secret, id)
        }
    };
    let first = secret.version_with_label(labels::CURRENT).is_none();
    stages.iter().try_for_each(|stage| secret.move_label(stage, id))?;
    // The first value is always current, whatever labels were given.
    if first {
        secret.move_label(labels::CURRENT, id)?;
    }
    for old in version::versions_to_remove(cx, secret)? {
        remove_version(cx, secret, old.version_id.as_deref().unwrap_or_default())?;
    }
    let key = secret.open_or_create_data_key(cx)?;
    put(cx, secret, &key, version, plain)
}

/// True if a version with this ID and the same value exists; a version with another value is an error.
pub(crate) fn is_repeated_request(
    cx: &mut Tx<'_>,
    secret: &SecretRow,
    id: &str,
    plain: &Plaintext,
) -> Result<bool> {
    let Some(version) = version::find(cx, secret, id)? else { return Ok(false) };
    match open(cx, secret, &version)? {
        None => Ok(false),
        Some(known) if known.is_same_value(plain) => Ok(true),
        Some(_) => Err(version::token_in_use(cx, secret, id)),
    }
}

/// Returns the error for a version that does not exist or has no value: by its ID, if it was given, else by its label.
fn value_not_found(secret: &SecretRow, id: Option<&Text>, stage: Option<&str>) -> Error {
    let error = match id {
        Some(id) => errors::version_not_found(id),
        None => errors::label_not_found(labels::wire_spelling(stage.unwrap_or(labels::CURRENT))),
    };
    error.with_hint(secret.own_name())
}

/// Finds the version with the ID, the label, or both; the current one if neither is given.
fn resolve_version(
    cx: &Tx<'_>,
    secret: &SecretRow,
    id: Option<&Text>,
    stage: Option<&str>,
) -> Result<VersionRow> {
    let label = labels::canonical_spelling(stage.unwrap_or(labels::CURRENT));
    let on = secret.version_with_label(label);
    let Some(id) = id.or(on) else { return Err(value_not_found(secret, None, stage)) };
    let version = version::find(cx, secret, id)?.ok_or_else(|| errors::version_not_found(id))?;
    if stage.is_some() && on != Some(id) {
        return Err(errors::label_of_other_version().with_field("VersionStage"));
    }
    Ok(version)
}

/// Reads the value of a version, and records the access.
pub(crate) fn read_value(
    cx: &mut Tx<'_>,
    secret: &SecretRow,
    id: Option<&Text>,
    stage: Option<&str>,
) -> Result<GetSecretValueResponse> {
    secret.check_active()?;
    let version = resolve_version(cx, secret, id, stage)?;
    let Some(plain) = open(cx, secret, &version)? else { return Err(value_not_found(secret, id, stage)) };
    let id = version.version_id.clone().unwrap_or_default();
    access::record_access(cx, secret, &id)?;
    let (secret_string, secret_binary) = match plain {
        Plaintext::Text(text) => (Some(text), None),
        Plaintext::Binary(binary) => (None, Some(binary)),
    };
    Ok(GetSecretValueResponse {
        arn: Some(secret.arn(cx.scope()).into()),
        name: secret.name.clone(),
        version_stages: Some(secret.labels_of(&id)).filter(|labels| !labels.is_empty()),
        version_id: Some(id),
        secret_binary,
        secret_string,
        created_date: version.created_date,
    })
}

/// Reads the value of the version with this ID, label, or both; of the current version by default.
#[operation(
    of = Secret, include(SecretId), hot, call = "get_value", on_model,
    effect = read, output = GetSecretValueResponse, subject = "secret:{SecretId}"
)]
pub struct GetSecretValue {
    /// ID of the version.
    #[field(length(32..=64), condition = "secretsmanager:VersionId")]
    pub version_id: Option<Text>,
    /// Label of the version.
    #[field(length(1..=256), spellings = labels::SPELLINGS, condition = "secretsmanager:VersionStage")]
    pub version_stage: Option<Text>,
}

/// Value of a version.
#[record_of(of = SecretVersion, takes(version_id, version_stages, created_date), answer, hot)]
pub struct GetSecretValueResponse {
    /// ARN of the secret.
    #[field(name = "ARN")]
    pub(crate) arn: Option<Text>,
    /// Name of the secret.
    pub(crate) name: Option<Text>,
    /// Value, if it is binary.
    #[field(sensitive)]
    pub(crate) secret_binary: Option<Blob>,
    /// Value, if it is text.
    pub(crate) secret_string: Option<nephos_core::Secret>,
}

impl SecretHandler for GetSecretValue {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<GetSecretValueResponse> {
        let secret = secret_row::require(cx, &self.secret_id)?;
        read_value(cx, &secret, self.version_id.as_ref(), self.version_stage.as_deref())
    }
}

/// Stores a value as a new version of a secret, which becomes current unless labels are given. A repeated call with the
/// same token and value creates no second version.
#[operation(
    of = Secret, include(SecretId, NewVersion), call = "set_value", on_model,
    effect = write, output = PutSecretValueResponse, subject = "secret:{SecretId}"
)]
pub struct PutSecretValue {
    /// Labels to move to the new version; the label of the current version by default.
    #[field(length(1..=20), each(length(1..=256)), spellings = labels::SPELLINGS)]
    pub version_stages: Option<Vec<Text>>,
    /// Token that the rotation function received with its event.
    #[field(sensitive, length(36..=256), pattern = r"[a-zA-Z0-9\-]+")]
    pub rotation_token: Option<Text>,
}

/// Version that was created.
#[record_of(of = Secret, takes(arn, name), answer)]
pub struct PutSecretValueResponse {
    /// ID of the version.
    version_id: Option<Text>,
    /// Labels of the version.
    #[field(spellings = labels::SPELLINGS)]
    version_stages: Option<Vec<Text>>,
}

impl SecretHandler for PutSecretValue {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<PutSecretValueResponse> {
        let id = version::new_id(cx, self.client_request_token, errors::client_token_missing)?;
        let mut secret = secret_row::require_changeable(cx, &self.secret_id)?;
        let Some(plain) = Plaintext::from_parameters(self.secret_string, self.secret_binary)? else {
            return Err(errors::value_missing().with_hint(secret.own_name()));
        };
        if let Some(token) = &self.rotation_token
            && secret.rotation_token(cx)?.is_none_or(|own| own != nephos_core::Secret::from(token.as_str()))
        {
            let error = errors::rotation_token_invalid().with_field("RotationToken");
            return Err(error.with_hint("it must be the token of the rotation in progress"));
        }
        let stages = self.version_stages.unwrap_or_else(|| vec![labels::CURRENT.into()]);
        let stages: Vec<_> =
            stages.iter().map(|stage| Text::new(labels::canonical_spelling(stage))).collect();
        let arn = secret.arn(cx.scope()).into();
        let name = secret.name.clone();
        let version_stages = if is_repeated_request(cx, &secret, &id, &plain)? {
            secret.labels_of(&id)
        } else {
            add_version(cx, &mut secret, &id, &plain, &stages)?;
            let labels = secret.labels_of(&id);
            secret.put_changed(cx)?;
            labels
        };
        let version_stages = Some(version_stages).filter(|labels| !labels.is_empty());
        Ok(PutSecretValueResponse { arn: Some(arn), name, version_id: Some(id), version_stages })
    }
}
