//! Operations on the roles of instances.

use super::{DBInstance, DBInstanceManager, DBInstanceRole, features::is_role, require};
use crate::errors;
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Result, Text, operation};

/// Adds a role to an instance, with which it uses a feature.
#[operation(
    of = DBInstance, call = "add_role", on_model(role_arn, feature_name), needs(db_instance_identifier),
    effect = write, also_requires("iam:PassRole" = "{RoleArn}")
)]
pub struct AddRoleToDBInstance {
    /// ARN of the role.
    pub role_arn: Text,
    /// Feature that the role is for: `S3_INTEGRATION`, for example.
    pub feature_name: Text,
}

impl Handler for AddRoleToDBInstance {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut instance = require(cx, &self.db_instance_identifier, "DBInstanceIdentifier")?;
        if instance.status() != "available" {
            let error = errors::instance_not_available().with_hint(instance.status());
            return Err(error.with_field("DBInstanceIdentifier"));
        }
        if !is_role(&self.role_arn) {
            return Err(errors::role_invalid(&self.role_arn).with_field("RoleArn"));
        }
        let id = instance.id().to_owned();
        let roles = instance.associated_roles.get_or_insert_default();
        if roles.iter().any(|role| role.role_arn.as_ref() == Some(&self.role_arn)) {
            return Err(errors::role_exists(&self.role_arn, id).with_field("RoleArn"));
        }
        if roles.iter().any(|role| role.feature_name.as_ref() == Some(&self.feature_name)) {
            return Err(errors::feature_exists(&self.feature_name, id).with_field("FeatureName"));
        }
        roles.push(DBInstanceRole {
            role_arn: Some(self.role_arn),
            feature_name: Some(self.feature_name),
            status: Some("ACTIVE".into()),
        });
        cx.put(instance)?;
        Ok(Empty {})
    }
}

/// Removes a role from an instance.
#[operation(
    of = DBInstance, call = "remove_role", on_model(role_arn, feature_name), needs(db_instance_identifier),
    effect = write, also_requires("iam:PassRole" = "{RoleArn}")
)]
pub struct RemoveRoleFromDBInstance {
    /// ARN of the role.
    pub role_arn: Text,
    /// Feature that the role is for.
    pub feature_name: Text,
}

impl Handler for RemoveRoleFromDBInstance {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut instance = require(cx, &self.db_instance_identifier, "DBInstanceIdentifier")?;
        let roles = instance.associated_roles.get_or_insert_default();
        let is_meant = |role: &DBInstanceRole| {
            role.role_arn.as_ref() == Some(&self.role_arn)
                && role.feature_name.as_ref() == Some(&self.feature_name)
        };
        let Some(found) = roles.iter().position(is_meant) else {
            let error = errors::role_not_found(&self.role_arn, instance.id());
            return Err(error.with_field("RoleArn"));
        };
        roles.remove(found);
        cx.put(instance)?;
        Ok(Empty {})
    }
}
