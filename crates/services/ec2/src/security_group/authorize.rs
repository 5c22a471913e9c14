//! Authorizing and revoking rules of security groups.

use super::{
    SecurityGroup, SecurityGroupManager, SecurityGroupRow,
    permissions::{self, Direction, IpPermission, Rule, SecurityGroupRule},
    require_by_id_or_name,
};
use crate::{
    TagSpecification,
    calls::{DryRun, Tagged},
    check_dry_run, errors,
    network::{self, Member, ids},
    tagging, vpc,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation, record::Fields as _, shape::FieldShape};

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
    /// Permissions that the security group, which is in the default VPC, did not have.
    #[field(wire = "unknownIpPermissionSet")]
    unknown_ip_permissions: Option<Vec<IpPermission>>,
}

/// Parameters of a single inbound rule, instead of a list of permissions. Operations on outbound rules refuse them.
#[derive(Record)]
#[record(shared)]
pub struct SingleRule {
    /// IPv4 CIDR block of a single rule.
    cidr_ip: Option<Text>,
    /// First port of a single rule.
    from_port: Option<i64>,
    /// Protocol of a single rule.
    ip_protocol: Option<Text>,
    /// Name of a security group in the default VPC that all TCP, UDP and ICMP traffic may come from.
    source_security_group_name: Option<Text>,
    /// Account of the source security group.
    source_security_group_owner_id: Option<Text>,
    /// Last port of a single rule.
    to_port: Option<i64>,
}

/// Name of a security group, instead of its ID.
#[derive(Record)]
#[record(shared)]
pub struct GroupName {
    /// Name of the security group, in the default VPC.
    group_name: Option<Text>,
}

/// Returns the permissions of a call for inbound rules: the list, or those of the parameters beside it.
fn read_permissions(
    list: Option<Vec<IpPermission>>,
    single: SingleRule,
) -> Result<Option<Vec<IpPermission>>> {
    let has_traffic = single.ip_protocol.is_some() || single.from_port.is_some() || single.to_port.is_some();
    let has_range = has_traffic || single.cidr_ip.is_some();
    let (name, account) = (single.source_security_group_name, single.source_security_group_owner_id);
    let has_group = name.is_some() || account.is_some();
    match list {
        Some(_) if has_range || has_group => {
            let other = if has_range { "CidrIp" } else { "SourceSecurityGroupName" };
            Err(errors::parameters_combined("IpPermissions", other).with_field("IpPermissions"))
        }
        None if has_range && has_group => {
            let other = if has_traffic { "IpProtocol" } else { "CidrIp" };
            let error = errors::parameters_combined("SourceSecurityGroupName", other);
            Err(error.with_field("SourceSecurityGroupName"))
        }
        None if has_group => {
            let name = network::require_parameter(name.as_ref(), "SourceSecurityGroupName")?;
            Ok(Some(IpPermission::for_group(&name, account.as_ref())))
        }
        None if has_range => {
            let range = single.cidr_ip.ok_or_else(|| errors::source_missing().with_field("CidrIp"))?;
            let (from, to) = (single.from_port, single.to_port);
            Ok(Some(vec![IpPermission::for_range(single.ip_protocol, from, to, range)]))
        }
        list => Ok(list),
    }
}

/// Refuses the parameters of a single rule, which operations on outbound rules do not take.
fn refuse_single(single: &SingleRule) -> Result<()> {
    let is_given = |(index, _): &(usize, &FieldShape)| !single.field(*index).view().is_null();
    match SingleRule::SHAPE.fields.iter().enumerate().find(is_given) {
        Some((_, field)) => {
            let name = field.name;
            Err(errors::parameter_unknown(name).with_hint("use IpPermissions").with_field(name))
        }
        None => Ok(()),
    }
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
    of = SecurityGroup, takes(group_id(condition = "ec2:SecurityGroupID"), ip_permissions),
    include(SingleRule, GroupName, Tagged, DryRun),
    effect = write, output = AuthorizeSecurityGroupIngressResult,
    subject = "security-group/{GroupId} + TagSpecifications? security-group-rule/*",
    also_requires("CreateTags" = "TagSpecifications? security-group-rule/*")
)]
pub struct AuthorizeSecurityGroupIngress {}

impl Handler for AuthorizeSecurityGroupIngress {
    fn run(self, cx: &mut Tx<'_>) -> Result<AuthorizeSecurityGroupIngressResult> {
        let group = require_by_id_or_name(cx, self.group_id.as_ref(), self.group_name.as_ref())?;
        let single = SingleRule::from_given(self.clone());
        let permissions =
            (read_permissions(self.ip_permissions, single)?, self.tag_specifications.as_deref());
        authorize(cx, group, Direction::Ingress, permissions, self.dry_run)
    }
}

/// Allows outbound traffic.
#[operation(
    of = SecurityGroup, needs(group_id(condition = "ec2:SecurityGroupID")), takes(ip_permissions),
    include(SingleRule, Tagged, DryRun),
    effect = write, output = AuthorizeSecurityGroupIngressResult,
    subject = "security-group/{GroupId} + TagSpecifications? security-group-rule/*",
    also_requires("CreateTags" = "TagSpecifications? security-group-rule/*")
)]
pub struct AuthorizeSecurityGroupEgress {}

impl Handler for AuthorizeSecurityGroupEgress {
    fn run(self, cx: &mut Tx<'_>) -> Result<AuthorizeSecurityGroupIngressResult> {
        let group = network::require(cx, &self.group_id, "GroupId")?;
        refuse_single(&SingleRule::from_given(self.clone()))?;
        let permissions = (self.ip_permissions, self.tag_specifications.as_deref());
        authorize(cx, group, Direction::Egress, permissions, self.dry_run)
    }
}

/// Adds the rules of `permissions` to a security group, each with the tags of `specifications`.
fn authorize(
    cx: &mut Tx<'_>,
    mut group: SecurityGroupRow,
    direction: Direction,
    (permissions, specifications): (Option<Vec<IpPermission>>, Option<&[TagSpecification]>),
    dry_run: Option<bool>,
) -> Result<AuthorizeSecurityGroupIngressResult> {
    let mut added = permissions::to_rules(cx, &group, direction, &permissions.unwrap_or_default())?;
    let tags = tagging::read_specifications_for(tagging::RULE_TYPE, specifications)?;
    for rule in &mut added {
        (rule.security_group_rule_id, rule.tags) = (Some(ids::new(cx, tagging::RULE_PREFIX)), tags.clone());
    }
    permissions::add_rules(&mut group, direction, &added)?;
    check_dry_run(dry_run)?;
    let described = added.into_iter().map(|rule| rule.described(cx.scope(), group.id())).collect();
    cx.put(group)?;
    Ok(AuthorizeSecurityGroupIngressResult { r#return: Some(true), security_group_rules: Some(described) })
}

/// No longer allows inbound traffic.
#[operation(
    of = SecurityGroup, takes(group_id(condition = "ec2:SecurityGroupID"), ip_permissions),
    include(SingleRule, GroupName, RuleIds, DryRun),
    effect = write, output = RevokeSecurityGroupIngressResult
)]
pub struct RevokeSecurityGroupIngress {}

impl Handler for RevokeSecurityGroupIngress {
    fn run(self, cx: &mut Tx<'_>) -> Result<RevokeSecurityGroupIngressResult> {
        let group = require_by_id_or_name(cx, self.group_id.as_ref(), self.group_name.as_ref())?;
        let single = SingleRule::from_given(self.clone());
        let wanted = (read_permissions(self.ip_permissions, single)?, self.security_group_rule_ids);
        revoke(cx, group, Direction::Ingress, wanted, self.dry_run)
    }
}

/// No longer allows outbound traffic.
#[operation(
    of = SecurityGroup, needs(group_id(condition = "ec2:SecurityGroupID")), takes(ip_permissions),
    include(SingleRule, RuleIds, DryRun),
    effect = write, output = RevokeSecurityGroupIngressResult
)]
pub struct RevokeSecurityGroupEgress {}

impl Handler for RevokeSecurityGroupEgress {
    fn run(self, cx: &mut Tx<'_>) -> Result<RevokeSecurityGroupIngressResult> {
        let group = network::require(cx, &self.group_id, "GroupId")?;
        refuse_single(&SingleRule::from_given(self.clone()))?;
        let wanted = (self.ip_permissions, self.security_group_rule_ids);
        revoke(cx, group, Direction::Egress, wanted, self.dry_run)
    }
}

/// Removes the rules of permissions, or the rules with these IDs. Permissions that do not exist are returned for a group of
/// the default VPC, and refused for others.
fn revoke(
    cx: &mut Tx<'_>,
    mut group: SecurityGroupRow,
    direction: Direction,
    wanted: (Option<Vec<IpPermission>>, Option<Vec<Text>>),
    dry_run: Option<bool>,
) -> Result<RevokeSecurityGroupIngressResult> {
    let (mut removed, unknown) = match wanted {
        (Some(_), Some(_)) => {
            return Err(errors::parameters_combined("SecurityGroupRuleId", "IpPermissions"));
        }
        (_, Some(ids)) if !ids.is_empty() => {
            (permissions::remove_rules_by_id(&mut group, direction, &ids)?, Vec::new())
        }
        (permissions, _) => {
            let wanted = permissions::to_rules(cx, &group, direction, &permissions.unwrap_or_default())?;
            permissions::remove_rules(&mut group, wanted)
        }
    };
    if vpc::find_default(cx)?.is_none_or(|vpc| vpc.id() != group.vpc()) {
        permissions::check_known(&unknown)?;
    }
    check_dry_run(dry_run)?;
    removed.iter_mut().for_each(|rule| (rule.group_id, rule.tags) = (Some(group.id().into()), None));
    if !removed.is_empty() {
        cx.put(group)?;
    }
    let unknown = permissions::from_rules(cx.scope(), &unknown, direction);
    Ok(RevokeSecurityGroupIngressResult {
        r#return: Some(true),
        revoked_security_group_rules: Some(removed),
        unknown_ip_permissions: Some(unknown).filter(|unknown| !unknown.is_empty()),
    })
}

/// Allows inbound traffic; returns the security group with the change.
#[operation(
    kind = SecurityGroup, of = SecurityGroup, call = "authorize_ingress", needs(group_id, ip_permissions), effect = write,
    runs = AuthorizeSecurityGroupIngress, read_back
)]
pub struct SecurityGroupAuthorizeIngress {}

/// Allows outbound traffic; returns the security group with the change.
#[operation(
    kind = SecurityGroup, of = SecurityGroup, call = "authorize_egress", needs(group_id, ip_permissions), effect = write,
    runs = AuthorizeSecurityGroupEgress, read_back
)]
pub struct SecurityGroupAuthorizeEgress {}

/// No longer allows inbound traffic; returns the security group with the change.
#[operation(
    kind = SecurityGroup, of = SecurityGroup, call = "revoke_ingress", needs(group_id, ip_permissions), effect = write,
    runs = RevokeSecurityGroupIngress, read_back
)]
pub struct SecurityGroupRevokeIngress {}

/// No longer allows outbound traffic; returns the security group with the change.
#[operation(
    kind = SecurityGroup, of = SecurityGroup, call = "revoke_egress", needs(group_id, ip_permissions), effect = write,
    runs = RevokeSecurityGroupEgress, read_back
)]
pub struct SecurityGroupRevokeEgress {}
