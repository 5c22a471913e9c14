//! Authorizing and revoking rules of security groups.

use super::{SecurityGroup, SecurityGroupGet, SecurityGroupManager, SecurityGroupRow, require_by_id_or_name};
use crate::{
    SERVICE,
    calls::DryRun,
    check_dry_run, errors, ids,
    network::{self, Member},
    permissions::{self, Direction, IpPermission, Rule, SecurityGroupRule},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Answer of `AuthorizeSecurityGroupIngress` and `AuthorizeSecurityGroupEgress`.
#[derive(Record)]
#[record(answer)]
pub struct AuthorizeSecurityGroupIngressResult {
    /// Success; always true.
    #[field(wire = "return")]
    r#return: Option<bool>,
    /// Rules that were added.
    #[field(wire = "securityGroupRuleSet")]
    security_group_rules: Option<Vec<SecurityGroupRule>>,
}

/// Answer of `RevokeSecurityGroupIngress` and `RevokeSecurityGroupEgress`.
#[derive(Record)]
#[record(answer)]
pub struct RevokeSecurityGroupIngressResult {
    /// Success; always true.
    #[field(wire = "return")]
    r#return: Option<bool>,
    /// Rules that were removed.
    #[field(wire = "revokedSecurityGroupRuleSet")]
    revoked_security_group_rules: Option<Vec<Rule>>,
}

/// Returns the permissions of a call: the list, or the single rule of the parameters beside it.
fn read_permissions(
    list: Option<Vec<IpPermission>>,
    (protocol, from, to, range): (Option<Text>, Option<i64>, Option<i64>, Option<Text>),
) -> Result<Option<Vec<IpPermission>>> {
    let single = protocol.is_some() || from.is_some() || to.is_some() || range.is_some();
    match (list, single) {
        (Some(_), true) => Err(errors::COMBINATION
            .with_message(
                "The parameter IpPermissions cannot be used with IpProtocol, FromPort, ToPort and CidrIp",
            )
            .with_field("IpPermissions")),
        (None, true) => {
            let range = network::require_parameter(range.as_ref(), "CidrIp")?;
            Ok(Some(vec![IpPermission::for_range(protocol, from, to, range)]))
        }
        (list, false) => Ok(list),
    }
}

/// Parameters of a single rule, instead of a list of permissions, and the name of the security group.
#[derive(Record)]
#[record(shared)]
pub struct SingleRule {
    /// IPv4 CIDR block of a single rule.
    cidr_ip: Option<Text>,
    /// First port of a single rule.
    from_port: Option<i64>,
    /// Name of the security group, in the default VPC.
    group_name: Option<Text>,
    /// Protocol of a single rule.
    ip_protocol: Option<Text>,
    /// Last port of a single rule.
    to_port: Option<i64>,
}

/// IDs of the rules to revoke.
#[derive(Record)]
#[record(shared)]
pub struct RuleIds {
    /// IDs of the rules.
    #[field(wire = "SecurityGroupRuleId")]
    security_group_rule_ids: Option<Vec<Text>>,
}

/// Allows inbound traffic.
#[operation(
    service = SERVICE, of = SecurityGroup,
    takes(group_id(wire = "GroupId"), ip_permissions(wire = "IpPermissions")), also(SingleRule, DryRun),
    effect = write, output = AuthorizeSecurityGroupIngressResult, subject = "security-group/{GroupId}"
)]
pub struct AuthorizeSecurityGroupIngress {}

impl Handler for AuthorizeSecurityGroupIngress {
    fn run(self, cx: &mut Tx<'_>) -> Result<AuthorizeSecurityGroupIngressResult> {
        let group = require_by_id_or_name(cx, self.group_id.as_ref(), self.group_name.as_ref())?;
        let single = (self.ip_protocol, self.from_port, self.to_port, self.cidr_ip);
        authorize(cx, group, Direction::Ingress, read_permissions(self.ip_permissions, single)?, self.dry_run)
    }
}

/// Allows outbound traffic.
#[operation(
    service = SERVICE, of = SecurityGroup, needs(group_id), takes(ip_permissions), also(DryRun),
    effect = write, output = AuthorizeSecurityGroupIngressResult, subject = "security-group/{GroupId}"
)]
pub struct AuthorizeSecurityGroupEgress {}

impl Handler for AuthorizeSecurityGroupEgress {
    fn run(self, cx: &mut Tx<'_>) -> Result<AuthorizeSecurityGroupIngressResult> {
        let group = network::require(cx, &self.group_id, "GroupId")?;
        authorize(cx, group, Direction::Egress, self.ip_permissions, self.dry_run)
    }
}

/// Adds the rules of `permissions` to a security group.
fn authorize(
    cx: &mut Tx<'_>,
    mut group: SecurityGroupRow,
    direction: Direction,
    permissions: Option<Vec<IpPermission>>,
    dry_run: Option<bool>,
) -> Result<AuthorizeSecurityGroupIngressResult> {
    let mut added = permissions::to_rules(cx, &group, direction, &permissions.unwrap_or_default())?;
    added.iter_mut().for_each(|rule| rule.security_group_rule_id = Some(ids::new(cx, "sgr")));
    permissions::add_rules(&mut group, direction, &added)?;
    check_dry_run(dry_run)?;
    let described = added.into_iter().map(|rule| rule.described(cx.scope(), group.id())).collect();
    cx.put(group)?;
    Ok(AuthorizeSecurityGroupIngressResult { r#return: Some(true), security_group_rules: Some(described) })
}

/// No longer allows inbound traffic.
#[operation(
    service = SERVICE, of = SecurityGroup,
    takes(group_id(wire = "GroupId"), ip_permissions(wire = "IpPermissions")), also(SingleRule, RuleIds, DryRun),
    effect = write, output = RevokeSecurityGroupIngressResult, subject = "security-group/{GroupId}"
)]
pub struct RevokeSecurityGroupIngress {}

impl Handler for RevokeSecurityGroupIngress {
    fn run(self, cx: &mut Tx<'_>) -> Result<RevokeSecurityGroupIngressResult> {
        let group = require_by_id_or_name(cx, self.group_id.as_ref(), self.group_name.as_ref())?;
        let single = (self.ip_protocol, self.from_port, self.to_port, self.cidr_ip);
        let wanted = (read_permissions(self.ip_permissions, single)?, self.security_group_rule_ids);
        revoke(cx, group, Direction::Ingress, wanted, self.dry_run)
    }
}

/// No longer allows outbound traffic.
#[operation(
    service = SERVICE, of = SecurityGroup, needs(group_id), takes(ip_permissions), also(RuleIds, DryRun),
    effect = write, output = RevokeSecurityGroupIngressResult, subject = "security-group/{GroupId}"
)]
pub struct RevokeSecurityGroupEgress {}

impl Handler for RevokeSecurityGroupEgress {
    fn run(self, cx: &mut Tx<'_>) -> Result<RevokeSecurityGroupIngressResult> {
        let group = network::require(cx, &self.group_id, "GroupId")?;
        let wanted = (self.ip_permissions, self.security_group_rule_ids);
        revoke(cx, group, Direction::Egress, wanted, self.dry_run)
    }
}

/// Removes the rules of permissions, or the rules with these IDs.
fn revoke(
    cx: &mut Tx<'_>,
    mut group: SecurityGroupRow,
    direction: Direction,
    wanted: (Option<Vec<IpPermission>>, Option<Vec<Text>>),
    dry_run: Option<bool>,
) -> Result<RevokeSecurityGroupIngressResult> {
    let mut removed = match wanted {
        (Some(_), Some(_)) => {
            return Err(errors::COMBINATION.with_message(
                "The parameter SecurityGroupRuleIds cannot be used with the parameter IpPermissions",
            ));
        }
        (_, Some(ids)) if !ids.is_empty() => permissions::remove_rules_by_id(&mut group, direction, &ids)?,
        (permissions, _) => {
            let wanted = permissions::to_rules(cx, &group, direction, &permissions.unwrap_or_default())?;
            permissions::remove_rules(&mut group, &wanted)?
        }
    };
    check_dry_run(dry_run)?;
    removed.iter_mut().for_each(|rule| rule.group_id = Some(group.id().into()));
    cx.put(group)?;
    Ok(RevokeSecurityGroupIngressResult { r#return: Some(true), revoked_security_group_rules: Some(removed) })
}

/// Declares the calls of the manager that authorize and revoke rules.
macro_rules! rule_calls {
    ($($(#[$docs:meta])+ $name:ident $call:literal ($group:ident, $permissions:ident) => $operation:expr;)+) => {$(
        $(#[$docs])+
        #[operation(kind = SecurityGroup, call = $call, effect = write, output = SecurityGroup)]
        pub struct $name {
            /// ID of the security group.
            pub group_id: Text,
            /// Traffic that is allowed, or no longer allowed.
            pub ip_permissions: Vec<IpPermission>,
        }

        impl ManagerOperation for $name {
            async fn run(&self, context: &WorkflowContext) -> Result<SecurityGroup> {
                let ($group, $permissions) = (self.group_id.clone(), self.ip_permissions.clone());
                context.call($operation).await?;
                let found = SecurityGroupGet::new(self.group_id.clone()).run(context).await?;
                found.ok_or_else(crate::calls::not_found::<SecurityGroupRow>)
            }
        }
    )+};
}

rule_calls! {
    /// Allows inbound traffic; returns the security group with the change.
    SecurityGroupAuthorizeIngress "authorize_ingress" (group, permissions) =>
        AuthorizeSecurityGroupIngress::new().group_id(group).ip_permissions(permissions);
    /// Allows outbound traffic; returns the security group with the change.
    SecurityGroupAuthorizeEgress "authorize_egress" (group, permissions) =>
        AuthorizeSecurityGroupEgress::new(group).ip_permissions(permissions);
    /// No longer allows inbound traffic; returns the security group with the change.
    SecurityGroupRevokeIngress "revoke_ingress" (group, permissions) =>
        RevokeSecurityGroupIngress::new().group_id(group).ip_permissions(permissions);
    /// No longer allows outbound traffic; returns the security group with the change.
    SecurityGroupRevokeEgress "revoke_egress" (group, permissions) =>
        RevokeSecurityGroupEgress::new(group).ip_permissions(permissions);
}
