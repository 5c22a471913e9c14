//! Secrets of connections, which the secrets service of the cloud keeps.

use crate::errors;
use nephos_cloud::{ManagedSecrets, NewSecret, Tx};
use nephos_core::{Map, Result, Text, Value};

/// The secrets of connections.
pub(crate) const SECRETS: ManagedSecrets = ManagedSecrets {
    owner: "events",
    for_callers_of: None,
    unavailable: errors::secrets_not_available,
    refused: |reason| errors::secret_not_stored(reason),
};

/// Creates the secret of a connection; returns its ARN.
pub(crate) fn create(
    cx: &mut Tx<'_>,
    connection: &str,
    crypto_key: Option<&Text>,
    content: &Map<Value>,
) -> Result<Text> {
    let name = format!("events!connection/{connection}/{}", cx.ids().uuid());
    SECRETS.create(cx, NewSecret { name: &name, description: None, crypto_key, content })
}
