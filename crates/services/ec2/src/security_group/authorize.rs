//! Adding rules to security groups, and taking them away.

use super::{Definition, SecurityGroup, SecurityGroupGet, SecurityGroupManager, named};
use crate::{
    SERVICE,
    calls::DryRun,
    errors, ids,
    network::{self, Member},
    only_to_try,
    rules::{self, Direction, IpPermission, Rule, SecurityGroupRule},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Rules that were added.
#[derive(Record)]
#[record(answer, name = "AuthorizeSecurityGroupIngressResult")]
pub struct Authorized {
    /// Success.
    #[field(wire = "return")]
    r#return: Option<bool>,
    /// The rules.
    #[field(wire = "securityGroupRuleSet")]
    security_group_rules: Option<Vec<SecurityGroupRule>>,
}

/// Rules that were removed.
#[derive(Record)]
#[record(answer, name = "RevokeSecurityGroupIngressResult")]
pub struct Revoked {
    /// Success.
    #[field(wire = "return")]
    r#return: Option<bool>,
    /// The rules.
    #[field(wire = "revokedSecurityGroupRuleSet")]
    revoked_security_group_rules: Option<Vec<Rule>>,
}

/// The permissions of a call: in a list, or one without.
fn permissions(
    list: Option<Vec<IpPermission>>,
    (protocol, from, to, range): (Option<Text>, Option<i64>, Option<i64>, Option<Text>),
) -> Result<Option<Vec<IpPermission>>> {
    let single = protocol.is_some() || from.is_some() || to.is_some() || range.is_some();
    match (list, single) {
        (Some(_), true) => Err(errors::COMBINATION
            .with_message("say IpPermissions, or one of them without a list, not both")
            .with_field("IpPermissions")),
        (None, true) => {
            let range = network::given(range.as_ref(), "CidrIp")?;
            Ok(Some(vec![IpPermission::of_range(protocol, from, to, range)]))
        }
        (list, false) => Ok(list),
    }
}

/// A rule that stands in an operation without a list, and the name of the security group.
#[derive(Record)]
#[record(shared)]
pub struct SingleRule {
    /// Range of addresses, for a rule without a list.
    cidr_ip: Option<Text>,
    /// First port, for a rule without a list.
    from_port: Option<i64>,
    /// Name of the security group, in the default VPC.
    group_name: Option<Text>,
    /// Protocol, for a rule without a list.
    ip_protocol: Option<Text>,
    /// Last port, for a rule without a list.
    to_port: Option<i64>,
}

/// Rules that are revoked, by their IDs.
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
    effect = write, output = Authorized, subject = "security-group/{GroupId}"
)]
pub struct AuthorizeSecurityGroupIngress {}

impl Handler for AuthorizeSecurityGroupIngress {
    fn run(self, cx: &mut Tx<'_>) -> Result<Authorized> {
        let group = named(cx, self.group_id.as_ref(), self.group_name.as_ref())?;
        let single = (self.ip_protocol, self.from_port, self.to_port, self.cidr_ip);
        authorize(cx, group, Direction::In, permissions(self.ip_permissions, single)?, self.dry_run)
    }
}

/// Allows outbound traffic.
#[operation(
    service = SERVICE, of = SecurityGroup, needs(group_id), takes(ip_permissions), also(DryRun),
    effect = write, output = Authorized, subject = "security-group/{GroupId}"
)]
pub struct AuthorizeSecurityGroupEgress {}

impl Handler for AuthorizeSecurityGroupEgress {
    fn run(self, cx: &mut Tx<'_>) -> Result<Authorized> {
        let group = network::require(cx, &self.group_id, "GroupId")?;
        authorize(cx, group, Direction::Out, self.ip_permissions, self.dry_run)
    }
}

/// Adds the rules that `permissions` mean.
fn authorize(
    cx: &mut Tx<'_>,
    mut group: Definition,
    direction: Direction,
    permissions: Option<Vec<IpPermission>>,
    dry_run: Option<bool>,
) -> Result<Authorized> {
    let mut made = rules::read(cx, &group, direction, &permissions.unwrap_or_default())?;
    made.iter_mut().for_each(|rule| rule.security_group_rule_id = Some(ids::new(cx, "sgr")));
    rules::add(&mut group, direction, &made)?;
    only_to_try(dry_run)?;
    let told = made.into_iter().map(|rule| rule.described(cx.scope(), group.id())).collect();
    cx.put(group)?;
    Ok(Authorized { r#return: Some(true), security_group_rules: Some(told) })
}

/// No longer allows inbound traffic.
#[operation(
    service = SERVICE, of = SecurityGroup,
    takes(group_id(wire = "GroupId"), ip_permissions(wire = "IpPermissions")), also(SingleRule, RuleIds, DryRun),
    effect = write, output = Revoked, subject = "security-group/{GroupId}"
)]
pub struct RevokeSecurityGroupIngress {}

impl Handler for RevokeSecurityGroupIngress {
    fn run(self, cx: &mut Tx<'_>) -> Result<Revoked> {
        let group = named(cx, self.group_id.as_ref(), self.group_name.as_ref())?;
        let single = (self.ip_protocol, self.from_port, self.to_port, self.cidr_ip);
        let wanted = (permissions(self.ip_permissions, single)?, self.security_group_rule_ids);
        revoke(cx, group, Direction::In, wanted, self.dry_run)
    }
}

/// No longer allows outbound traffic.
#[operation(
    service = SERVICE, of = SecurityGroup, needs(group_id), takes(ip_permissions), also(RuleIds, DryRun),
    effect = write, output = Revoked, subject = "security-group/{GroupId}"
)]
pub struct RevokeSecurityGroupEgress {}

impl Handler for RevokeSecurityGroupEgress {
    fn run(self, cx: &mut Tx<'_>) -> Result<Revoked> {
        let group = network::require(cx, &self.group_id, "GroupId")?;
        let wanted = (self.ip_permissions, self.security_group_rule_ids);
        revoke(cx, group, Direction::Out, wanted, self.dry_run)
    }
}

/// Removes the rules that permissions mean, or those with these IDs.
fn revoke(
    cx: &mut Tx<'_>,
    mut group: Definition,
    direction: Direction,
    wanted: (Option<Vec<IpPermission>>, Option<Vec<Text>>),
    dry_run: Option<bool>,
) -> Result<Revoked> {
    let mut taken = match wanted {
        (Some(_), Some(_)) => {
            return Err(
                errors::COMBINATION.with_message("say IpPermissions or SecurityGroupRuleIds, not both")
            );
        }
        (_, Some(ids)) if !ids.is_empty() => rules::take_by_id(&mut group, direction, &ids)?,
        (permissions, _) => {
            let wanted = rules::read(cx, &group, direction, &permissions.unwrap_or_default())?;
            rules::take(&mut group, &wanted)?
        }
    };
    only_to_try(dry_run)?;
    taken.iter_mut().for_each(|rule| rule.group_id = Some(group.id().into()));
    cx.put(group)?;
    Ok(Revoked { r#return: Some(true), revoked_security_group_rules: Some(taken) })
}

/// The manager's operations on rules, which differ in the operation of the service that they ask for.
macro_rules! rule_calls {
    ($($(#[$docs:meta])+ $name:ident $call:literal ($group:ident, $permissions:ident) => $step:expr;)+) => {$(
        $(#[$docs])+
        #[operation(kind = SecurityGroup, call = $call, effect = write, output = SecurityGroup)]
        pub struct $name {
            /// ID of the security group.
            pub group_id: Text,
            /// The traffic.
            pub ip_permissions: Vec<IpPermission>,
        }

        impl ManagerOperation for $name {
            async fn run(&self, context: &WorkflowContext) -> Result<SecurityGroup> {
                let ($group, $permissions) = (self.group_id.clone(), self.ip_permissions.clone());
                context.call($step).await?;
                let found = SecurityGroupGet::new(self.group_id.clone()).run(context).await?;
                found.ok_or_else(crate::calls::missing::<Definition>)
            }
        }
    )+};
}

rule_calls! {
    /// Allows inbound traffic; returns the security group with the change.
    AuthorizeIngress "authorize_ingress" (group, permissions) =>
        AuthorizeSecurityGroupIngress::new().group_id(group).ip_permissions(permissions);
    /// Allows outbound traffic; returns the security group with the change.
    AuthorizeEgress "authorize_egress" (group, permissions) =>
        AuthorizeSecurityGroupEgress::new(group).ip_permissions(permissions);
    /// No longer allows inbound traffic; returns the security group with the change.
    RevokeIngress "revoke_ingress" (group, permissions) =>
        RevokeSecurityGroupIngress::new().group_id(group).ip_permissions(permissions);
    /// No longer allows outbound traffic; returns the security group with the change.
    RevokeEgress "revoke_egress" (group, permissions) =>
        RevokeSecurityGroupEgress::new(group).ip_permissions(permissions);
}
