//! Secrets of connections, which the secrets service of the cloud keeps.

use crate::errors;
use nephos_cloud::Tx;
use nephos_core::{
    Error, ErrorKind, Map, Result, Secret, Text, Value,
    json::{self, Writing},
};

/// Name of the service.
const SERVICE: &str = "secretsmanager";

/// Name of this service as the owner of secrets.
const OWNER: &str = "events";

/// Calls an operation of the secrets service.
fn call(cx: &mut Tx<'_>, operation: &str, values: &[(&str, Value)]) -> Result<Value> {
    let answer = cx.call_service_for_value(SERVICE, operation, values)?;
    answer.ok_or_else(errors::secrets_not_available)
}

/// Returns the error for a secret that could not be stored.
fn to_refusal(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Internal | ErrorKind::Corrupt | ErrorKind::Unsupported => error,
        _ => errors::secret_not_stored(error.message()),
    }
}

fn to_text(content: &Map<Value>) -> Secret {
    Secret::from(json::write(Value::Map(content.clone()).view(), Writing::EXPOSED))
}

/// True if two contents are the same.
pub(crate) fn is_same(one: &Map<Value>, other: &Map<Value>) -> bool {
    to_text(one) == to_text(other)
}

/// Sets the owner of a secret: this service, or nobody while this service changes it.
fn set_owner(cx: &mut Tx<'_>, arn: &str, owner: Option<&str>) -> Result<()> {
    let values = [("SecretId", arn.into()), ("OwningService", owner.into())];
    call(cx, "SetSecretOwner", &values).map(drop)
}

/// Calls an operation that changes a secret of this service.
fn change(cx: &mut Tx<'_>, arn: &str, operation: &str, values: &[(&str, Value)]) -> Result<()> {
    set_owner(cx, arn, None)?;
    call(cx, operation, values)?;
    set_owner(cx, arn, Some(OWNER))
}

/// Creates the secret of a connection; returns its ARN.
pub(crate) fn create(
    cx: &mut Tx<'_>,
    connection: &str,
    crypto_key: Option<&Text>,
    content: &Map<Value>,
) -> Result<Text> {
    let id = cx.ids().uuid();
    let values = [
        ("Name", Value::from(format!("events!connection/{connection}/{id}"))),
        ("Description", format!("Authorization of the connection {connection}").into()),
        ("CryptoKeyId", crypto_key.cloned().into()),
        ("SecretString", to_text(content).into()),
        ("ClientRequestToken", cx.ids().uuid().into()),
    ];
    let created = call(cx, "CreateSecret", &values).map_err(to_refusal)?;
    let arn = Text::from(created["ARN"].as_text().unwrap_or_default());
    set_owner(cx, &arn, Some(OWNER))?;
    Ok(arn)
}

/// Reads the content of a secret; `None` if it was deleted, or does not contain a JSON object.
pub(crate) fn read(cx: &mut Tx<'_>, arn: &str) -> Result<Option<Map<Value>>> {
    let found = match call(cx, "GetSecretValue", &[("SecretId", arn.into())]) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::Internal | ErrorKind::Corrupt) => return Err(error),
        Err(_) => return Ok(None),
    };
    let text = found["SecretString"].as_secret().map_or("", Secret::expose);
    Ok(match json::parse(text.as_bytes()) {
        Ok(Value::Map(content)) => Some(content),
        _ => None,
    })
}

/// Replaces the content of a secret, unless it is the same.
pub(crate) fn replace(cx: &mut Tx<'_>, arn: &str, content: &Map<Value>) -> Result<()> {
    let text = to_text(content);
    if read(cx, arn)?.is_some_and(|current| to_text(&current) == text) {
        return Ok(());
    }
    let values = [
        ("SecretId", arn.into()),
        ("SecretString", text.into()),
        ("ClientRequestToken", cx.ids().uuid().into()),
    ];
    change(cx, arn, "PutSecretValue", &values).map_err(to_refusal)
}

/// Changes the crypto key of a secret; an empty one means the default.
pub(crate) fn set_crypto_key(cx: &mut Tx<'_>, arn: &str, crypto_key: &Text) -> Result<()> {
    let values = [("SecretId", arn.into()), ("CryptoKeyId", crypto_key.clone().into())];
    change(cx, arn, "UpdateSecret", &values).map_err(to_refusal)
}

/// Deletes a secret at once. No effect if it does not exist.
pub(crate) fn delete(cx: &mut Tx<'_>, arn: &str) -> Result<()> {
    let values = [("SecretId", arn.into()), ("ForceDeleteWithoutRecovery", true.into())];
    match set_owner(cx, arn, None).and_then(|()| call(cx, "DeleteSecret", &values)) {
        Err(error) if matches!(error.kind(), ErrorKind::Internal | ErrorKind::Corrupt) => Err(error),
        // A secret that its users protected from deletion stays.
        _ => Ok(()),
    }
}
