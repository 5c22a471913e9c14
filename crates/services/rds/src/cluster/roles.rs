//! Roles with which clusters use other services.

use super::{DBCluster, DBClusterManager, DBClusterRole, require};
use crate::{Empty, errors};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Maximum number of roles of a cluster.
pub(crate) const MAX_ROLES: usize = 15;

/// A role of a new cluster.
#[derive(Record)]
pub struct DBClusterAssociatedRole {
    /// ARN of the role.
    #[field(required, length(20..=2048), pattern = r"arn:aws[a-z-]*:iam::[0-9]*:role/.*")]
    pub(super) role_arn: Option<Text>,
    /// Feature that the role is for.
    pub(super) feature_name: Option<Text>,
}

/// A role and the feature that it is for.
#[derive(Record)]
#[record(shared)]
pub struct RoleOfCluster {
    /// ARN of the role.
    #[field(required, length(20..=2048), pattern = r"arn:aws[a-z-]*:iam::[0-9]*:role/.*")]
    role_arn: Option<Text>,
    /// Feature that the role is for: s3Import or Lambda, for example.
    feature_name: Option<Text>,
}

impl DBCluster {
    /// Adds a role. A cluster has a role once, for one feature.
    pub(super) fn associate_role(&mut self, arn: &Text, feature: Option<&Text>) -> Result<()> {
        let roles = self.associated_roles.get_or_insert_default();
        if roles.iter().any(|role| role.role_arn.as_ref() == Some(arn)) {
            return Err(errors::cluster_role_exists(arn, self.id()).with_field("RoleArn"));
        }
        if roles.len() >= MAX_ROLES {
            return Err(errors::too_many_cluster_roles(self.id()).with_field("RoleArn"));
        }
        roles.push(DBClusterRole {
            role_arn: Some(arn.clone()),
            status: Some("ACTIVE".into()),
            feature_name: feature.cloned(),
        });
        Ok(())
    }
}

/// Adds a role to a cluster.
#[operation(
    of = DBCluster, call = "add_role", on_model(role_arn), needs(db_cluster_identifier), include(RoleOfCluster), effect = write,
    also_requires("iam:PassRole" = "{RoleArn}")
)]
pub struct AddRoleToDBCluster {}

impl Handler for AddRoleToDBCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut cluster = require(cx, &self.db_cluster_identifier, "DBClusterIdentifier")?;
        cluster.check_available()?;
        cluster.associate_role(&self.role_arn, self.feature_name.as_ref())?;
        cx.put(cluster)?;
        Ok(Empty {})
    }
}

/// Removes a role from a cluster.
#[operation(
    of = DBCluster, call = "remove_role", on_model(role_arn), needs(db_cluster_identifier), include(RoleOfCluster), effect = write,
    also_requires("iam:PassRole" = "{RoleArn}")
)]
pub struct RemoveRoleFromDBCluster {}

impl Handler for RemoveRoleFromDBCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut cluster = require(cx, &self.db_cluster_identifier, "DBClusterIdentifier")?;
        cluster.check_available()?;
        let is_meant = |role: &DBClusterRole| {
            role.role_arn.as_ref() == Some(&self.role_arn)
                && (self.feature_name.is_none() || role.feature_name == self.feature_name)
        };
        let roles = cluster.associated_roles.get_or_insert_default();
        let Some(index) = roles.iter().position(is_meant) else {
            return Err(errors::cluster_role_not_found(&self.role_arn, cluster.id()).with_field("RoleArn"));
        };
        roles.remove(index);
        cx.put(cluster)?;
        Ok(Empty {})
    }
}
