//! Security tokens: the identity of the caller.

pub mod errors;
/// Behaviour cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "cases/mod.rs"]
pub mod testing;

use nephos_cloud::{Handler, Service, ServiceAccess, Tx};
use nephos_core::{
    Extra, Resource, Result, Slot, Text,
    field_value::FieldType,
    operation,
    shape::{Protocol, ServiceShape},
};

/// Description of the service.
pub static SERVICE: ServiceShape = ServiceShape {
    name: "sts",
    docs: "Security tokens: the identity of the caller.",
    api_version: "2011-06-15",
    protocol: Protocol::AwsQuery { namespace: "https://sts.amazonaws.com/doc/2011-06-15/" },
    endpoint: "sts",
    signing: "sts",
    global: false,
    kinds: &[CallerIdentity::KIND],
    operations: OPERATIONS,
    codes: errors::ALL,
    invalid: &errors::INVALID,
    invalid_token: errors::invalid_token,
    resource_keys: &[],
};

nephos_cloud::handlers! { GetCallerIdentity }

/// The service for clouds: handlers and tables.
pub static STS: Service = Service {
    shape: &SERVICE,
    handlers: HANDLERS,
    controls: &[],
    views: &[],
    works: &[],
    tables: &[],
    access: ServiceAccess::NONE,
};

/// The identity of the caller: account, unique ID and ARN.
#[derive(Resource)]
#[resource(
    service = SERVICE, arn = "Arn", name = "UserId", pk = "Account", frozen, extras,
    calls(GetCallerIdentity),
)]
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
    service = SERVICE, of = CallerIdentity, call = "get", effect = read, output = CallerIdentity, subject = "*",
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
