//! Registries of other accounts: operations on them, and their resources in decisions.

use crate::{SERVICE, registry, tagging};
use nephos_cloud::{ResourceFacts, Scope, Tx};
use nephos_core::{Arn, Operation, Place, Record, Request, Result, Text, record::Fields};

/// Parameter that names the registry of an operation.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct RegistryId {
    /// Account whose registry it is; that of the caller if it is not given.
    #[field(from_field = "registryId", pattern = "[0-9]{12}")]
    registry_id: Option<Text>,
}

/// Returns the scope of the registry that the parameters name, if it is that of another account.
fn other_registry(caller: &Scope, params: &dyn Fields) -> Option<Scope> {
    let (at, _) = params.shape().field("registryId")?;
    let value = params.field(at).view();
    let account = value.as_text().filter(|account| *account != caller.account())?;
    Some(caller.with_account(account))
}

/// Calls `body` in the registry that an operation names. The policies of a registry of another account, and of its
/// repositories, must allow the operation.
pub(crate) fn run_in_registry<O: Operation, T>(
    cx: &mut Tx<'_>,
    operation: O,
    body: impl FnOnce(O, &mut Tx<'_>) -> Result<T>,
) -> Result<T> {
    let Some(owner) = other_registry(cx.scope(), &operation) else { return body(operation, cx) };
    let place = Place::new(owner.region(), owner.account());
    let action = format!("ecr:{}", O::OPERATION.name);
    for arn in O::OPERATION.subjects(&SERVICE, &operation, &place) {
        // An operation without resources was decided by the policies of the caller, which do not count for another account.
        if O::OPERATION.subject == "*" {
            cx.check_shared_entry(&SERVICE, &action, arn.as_str(), &[])?;
        } else {
            cx.check_shared_access(&SERVICE, &action, arn.as_str())?;
        }
    }
    cx.in_scope(&owner, |cx| body(operation, cx))
}

/// Finds the facts about a repository: its tags, its policy, and the policy of the registry.
pub(crate) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let mut facts = tagging::find_resource(cx, arn)?.unwrap_or_default();
    facts.policies.extend(registry::policy::find(cx)?);
    Ok(Some(facts))
}

/// Returns the resource of a request in the registry that it names.
pub(crate) fn find_subjects(
    cx: &mut Tx<'_>,
    request: &Request,
    _action: &str,
    arn: &Arn,
) -> Result<Option<Vec<Text>>> {
    let owner = other_registry(cx.scope(), &*request.params);
    Ok(owner.map(|owner| vec![owner.arn(SERVICE.signing, &[arn.resource()]).into()]))
}
