//! The identity of the caller, and the account of an access key.

use super::errors;
use nephos_cloud::{Handler, Tx, account_of_access_key};
use nephos_core::{Extra, Resource, Result, Slot, Text, field_value::FieldType, operation};

/// The identity of the caller: account, unique ID and ARN.
#[derive(Resource)]
#[resource(arn = "Arn", name = "UserId", pk = "Account", frozen, extras)]
pub struct CallerIdentity {
    /// Unique ID of the caller. Its form depends on the kind of caller; that of an account's root is the account.
    user_id: Option<Text>,
    /// Account of the caller.
    account: Option<Text>,
    /// ARN of the caller.
    arn: Option<Text>,
    extra: Extra,
    slot: Slot,
}

/// Returns the identity of the caller, which needs no permission.
#[operation(
    of = CallerIdentity, call = "get", effect = read, output = CallerIdentity, subject = "*",
    no_permission
)]
pub struct GetCallerIdentity {}

impl Handler for GetCallerIdentity {
    fn run(self, cx: &mut Tx<'_>) -> Result<CallerIdentity> {
        let mut identity = CallerIdentity::blank();
        let caller = cx.caller();
        identity.user_id = Some(caller.user_id().into());
        identity.account = Some(caller.account().into());
        identity.arn = Some(caller.principal().arn);
        Ok(identity)
    }
}

/// Returns the account of an access key. The key need not exist: its ID contains the account.
#[operation(
    of = CallerIdentity, call = "account_of_access_key", wraps(account: Text), effect = read, subject = "*"
)]
pub struct GetAccessKeyInfo {
    /// ID of the access key.
    #[field(length(16..=128), pattern = r"[\w]*")]
    pub access_key_id: Text,
}

impl Handler for GetAccessKeyInfo {
    fn run(self, _: &mut Tx<'_>) -> Result<Self::Output> {
        let account = account_of_access_key(&self.access_key_id);
        let invalid = || errors::value_invalid(&self.access_key_id).with_field("AccessKeyId");
        Ok(account.ok_or_else(invalid)?.into())
    }
}

/// Decodes the encoded message of a refusal to JSON: the decision, the caller, the action, the resource and the context.
#[operation(
    of = CallerIdentity, call = "decode_message", wraps(decoded_message: Text), effect = read, subject = "*",
    access = write
)]
pub struct DecodeAuthorizationMessage {
    /// Encoded message, from the text of the refusal.
    #[field(length(1..=10_240))]
    pub encoded_message: Text,
}

impl Handler for DecodeAuthorizationMessage {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let decoded = cx.decode_message(&self.encoded_message);
        let invalid = || errors::message_invalid().with_field("EncodedMessage");
        Ok(decoded.ok_or_else(invalid)?.into())
    }
}
