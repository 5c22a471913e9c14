//! Checks of roles: that of the pipeline, which the service assumes, and those of actions.

use super::action_path;
use crate::{errors, pipeline::PipelineDeclaration};
use nephos_cloud::Tx;
use nephos_core::{Arn, ErrorKind, Result, Value};

/// Principal of the service in trust policies.
const PRINCIPAL: &str = "codepipeline.amazonaws.com";

/// Refuses roles that do not exist, and a role of the pipeline that does not trust the service.
pub(super) fn check(cx: &mut Tx<'_>, pipeline: &PipelineDeclaration) -> Result<()> {
    let own_role = pipeline.role_arn.as_deref().unwrap_or_default();
    if !find_trust(cx, own_role)?.trusts_service() {
        return Err(errors::role_not_assumable(own_role).with_field("roleArn"));
    }
    for (at, stage) in pipeline.all_stages().iter().enumerate() {
        for (n, action) in stage.all_actions().iter().enumerate() {
            let Some(role) = action.role_arn.as_deref() else { continue };
            if matches!(find_trust(cx, role)?, Trust::Missing) {
                let refused = errors::action_role_not_assumable(own_role, role);
                return Err(refused.with_field(format!("{}.roleArn", action_path(at, n))));
            }
        }
    }
    Ok(())
}

/// Facts about a role.
enum Trust {
    /// It does not exist.
    Missing,
    /// It is one of another account, or of a cloud without roles.
    NotKnown,
    /// Its trust policy.
    Policy(String),
}

impl Trust {
    fn trusts_service(&self) -> bool {
        match self {
            Self::Missing => false,
            Self::NotKnown => true,
            Self::Policy(policy) => policy.contains(PRINCIPAL),
        }
    }
}

fn find_trust(cx: &mut Tx<'_>, arn: &str) -> Result<Trust> {
    let Some([_, _, _, account, resource]) = Arn::parts(arn) else { return Ok(Trust::Missing) };
    if account != cx.scope().account() {
        return Ok(Trust::NotKnown);
    }
    let name = resource.rsplit('/').next().unwrap_or_default();
    match cx.call_service_for_value("iam", "GetRole", &[("RoleName", Value::from(name))]) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Invalid) => Ok(Trust::Missing),
        Err(error) => Err(error),
        Ok(None) => Ok(Trust::NotKnown),
        Ok(Some(Value::Map(answer))) => {
            let role = match answer.get("Role") {
                Some(Value::Map(role)) => role,
                _ => return Ok(Trust::Missing),
            };
            let policy =
                role.get("AssumeRolePolicyDocument").map(|policy| format!("{policy:?}")).unwrap_or_default();
            Ok(Trust::Policy(policy))
        }
        Ok(Some(_)) => Ok(Trust::Missing),
    }
}
