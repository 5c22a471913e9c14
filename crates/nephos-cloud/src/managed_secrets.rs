//! Secrets that a service manages for its users: they can read such a secret, and only the service changes it. The secrets service of
//! the cloud keeps them.

use crate::Tx;
use nephos_core::{
    Error, ErrorKind, Map, Result, Secret, Text, Value,
    json::{self, Writing},
    shape::ServiceShape,
};

/// Name of the secrets service.
const SERVICE: &str = "secretsmanager";

/// The secrets that a service manages.
#[derive(Clone, Copy, Debug)]
pub struct ManagedSecrets {
    /// Name of the service as their owner.
    pub owner: &'static str,
    /// The service, if callers need the permissions to create a secret.
    pub for_callers_of: Option<&'static ServiceShape>,
    /// Error of a cloud without the secrets service.
    pub unavailable: fn() -> Error,
    /// Error for a secret that could not be stored, with the reason.
    pub refused: fn(&str) -> Error,
}

/// A secret to create.
#[derive(Clone, Copy, Debug)]
pub struct NewSecret<'n> {
    /// Name of the secret.
    pub name: &'n str,
    /// Description of the secret, if it has one.
    pub description: Option<&'n str>,
    /// Crypto key that encrypts it, if not the one that the provider manages.
    pub crypto_key: Option<&'n Text>,
    /// Content of the secret, which is a JSON object.
    pub content: &'n Map<Value>,
}

fn to_text(content: &Map<Value>) -> Secret {
    Secret::from(json::write(Value::Map(content.clone()).view(), Writing::EXPOSED))
}

fn is_failure(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Internal | ErrorKind::Corrupt)
}

impl ManagedSecrets {
    /// Calls an operation of the secrets service.
    fn call(&self, cx: &mut Tx<'_>, operation: &str, values: &[(&str, Value)]) -> Result<Value> {
        let answer = cx.call_service_for_value(SERVICE, operation, values)?;
        answer.ok_or_else(self.unavailable)
    }

    /// Returns the error for a secret that could not be stored.
    fn to_refusal(self, error: Error) -> Error {
        if is_failure(&error) || error.kind() == ErrorKind::Unsupported {
            return error;
        }
        (self.refused)(error.message())
    }

    /// Sets the owner of a secret: the service, or nobody while the service changes it.
    fn set_owner(&self, cx: &mut Tx<'_>, arn: &str, owner: Option<&str>) -> Result<()> {
        let values = [("SecretId", arn.into()), ("OwningService", owner.into())];
        self.call(cx, "SetSecretOwner", &values).map(drop)
    }

    /// Calls an operation that changes a secret.
    fn change(&self, cx: &mut Tx<'_>, arn: &str, operation: &str, values: &[(&str, Value)]) -> Result<()> {
        self.set_owner(cx, arn, None)?;
        self.call(cx, operation, values)?;
        self.set_owner(cx, arn, Some(self.owner))
    }

    /// Creates a secret; returns its ARN.
    pub fn create(&self, cx: &mut Tx<'_>, new: NewSecret<'_>) -> Result<Text> {
        let values = [
            ("Name", Value::from(new.name)),
            ("Description", new.description.into()),
            ("CryptoKeyId", new.crypto_key.cloned().into()),
            ("SecretString", to_text(new.content).into()),
            ("ClientRequestToken", cx.ids().uuid().into()),
        ];
        let created = match self.for_callers_of {
            None => self.call(cx, "CreateSecret", &values),
            Some(called) => self.create_for_caller(cx, called, new.name, &values),
        };
        let created = created.map_err(|error| match error.kind() {
            ErrorKind::Denied if self.for_callers_of.is_some() => error,
            _ => self.to_refusal(error),
        })?;
        let arn = Text::from(created["ARN"].as_text().unwrap_or_default());
        self.set_owner(cx, &arn, Some(self.owner))?;
        Ok(arn)
    }

    fn create_for_caller(
        &self,
        cx: &mut Tx<'_>,
        called: &'static ServiceShape,
        name: &str,
        values: &[(&str, Value)],
    ) -> Result<Value> {
        // AWS tags the secret with what it belongs to.
        let arn = cx.scope().arn(SERVICE, &["secret:", name]);
        cx.check_action(called, "secretsmanager:TagResource", arn.as_str(), "")?;
        let created = cx.call_service_for_caller(called, SERVICE, "CreateSecret", values)?;
        created.ok_or_else(self.unavailable)
    }

    /// Reads the content of a secret; `None` if it was deleted, or does not contain a JSON object.
    pub fn read(&self, cx: &mut Tx<'_>, arn: &str) -> Result<Option<Map<Value>>> {
        let found = match self.call(cx, "GetSecretValue", &[("SecretId", arn.into())]) {
            Ok(found) => found,
            Err(error) if is_failure(&error) => return Err(error),
            Err(_) => return Ok(None),
        };
        let text = found["SecretString"].as_secret().map_or("", Secret::expose);
        Ok(match json::parse(text.as_bytes()) {
            Ok(Value::Map(content)) => Some(content),
            _ => None,
        })
    }

    /// Replaces the content of a secret, unless it is the same.
    pub fn replace(&self, cx: &mut Tx<'_>, arn: &str, content: &Map<Value>) -> Result<()> {
        if self.read(cx, arn)?.is_some_and(|current| is_same_content(&current, content)) {
            return Ok(());
        }
        let values = [
            ("SecretId", arn.into()),
            ("SecretString", to_text(content).into()),
            ("ClientRequestToken", cx.ids().uuid().into()),
        ];
        self.change(cx, arn, "PutSecretValue", &values).map_err(|error| self.to_refusal(error))
    }

    /// Changes the crypto key of a secret; an empty one means the default.
    pub fn set_crypto_key(&self, cx: &mut Tx<'_>, arn: &str, crypto_key: &Text) -> Result<()> {
        let values = [("SecretId", arn.into()), ("CryptoKeyId", crypto_key.clone().into())];
        self.change(cx, arn, "UpdateSecret", &values).map_err(|error| self.to_refusal(error))
    }

    /// Deletes a secret at once. No effect if it does not exist.
    pub fn delete(&self, cx: &mut Tx<'_>, arn: &str) -> Result<()> {
        let values = [("SecretId", arn.into()), ("ForceDeleteWithoutRecovery", true.into())];
        match self.set_owner(cx, arn, None).and_then(|()| self.call(cx, "DeleteSecret", &values)) {
            Err(error) if is_failure(&error) => Err(error),
            // A secret that its users protected from deletion stays.
            _ => Ok(()),
        }
    }
}

/// True if two contents of secrets are the same.
pub fn is_same_content(one: &Map<Value>, other: &Map<Value>) -> bool {
    to_text(one) == to_text(other)
}
