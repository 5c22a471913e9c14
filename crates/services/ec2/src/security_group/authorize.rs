//! Adding rules to security groups, and taking them away.

use super::{Definition, SecurityGroup, SecurityGroupManager, found, named};
use crate::{
    SERVICE, errors, ids,
    network::{self, Member},
    only_to_try,
    rules::{self, Direction, IpPermission, Rule, SecurityGroupRule},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Steppable, Steps, Text, operation};

/// Rules that were made.
#[derive(Record)]
#[record(name = "AuthorizeSecurityGroupIngressResult")]
pub struct Authorized {
    /// Whether they were.
    #[field(wire = "return")]
    r#return: Option<bool>,
    /// The rules.
    #[field(wire = "securityGroupRuleSet")]
    security_group_rules: Option<Vec<SecurityGroupRule>>,
}

/// Rules that were taken away.
#[derive(Record)]
#[record(name = "RevokeSecurityGroupIngressResult")]
pub struct Revoked {
    /// Whether they were.
    #[field(wire = "return")]
    r#return: Option<bool>,
    /// The rules.
    #[field(wire = "revokedSecurityGroupRuleSet")]
    revoked_security_group_rules: Option<Vec<Rule>>,
}

fn authorize(
    cx: &mut Tx<'_>,
    mut group: Definition,
    direction: Direction,
    permissions: &[IpPermission],
    dry_run: Option<bool>,
) -> Result<Authorized> {
    let mut made = rules::read(cx, &group, direction, permissions)?;
    made.iter_mut().for_each(|rule| rule.security_group_rule_id = Some(ids::new(cx, "sgr")));
    rules::add(&mut group, direction, &made)?;
    only_to_try(dry_run)?;
    let told = made.into_iter().map(|rule| rule.told(cx.scope(), group.id())).collect();
    cx.put(group)?;
    Ok(Authorized { r#return: Some(true), security_group_rules: Some(told) })
}

fn revoke(
    cx: &mut Tx<'_>,
    mut group: Definition,
    direction: Direction,
    permissions: Option<&[IpPermission]>,
    ids: Option<&[Text]>,
    dry_run: Option<bool>,
) -> Result<Revoked> {
    let mut taken = match (permissions, ids) {
        (Some(_), Some(_)) => {
            return Err(errors::COMBINATION.because("say IpPermissions or SecurityGroupRuleIds, not both"));
        }
        (_, Some(ids)) if !ids.is_empty() => rules::take_by_id(&mut group, direction, ids)?,
        (permissions, _) => {
            let wanted = rules::read(cx, &group, direction, permissions.unwrap_or_default())?;
            rules::take(&mut group, &wanted)?
        }
    };
    only_to_try(dry_run)?;
    taken.iter_mut().for_each(|rule| rule.group_id = Some(group.id().into()));
    cx.put(group)?;
    Ok(Revoked { r#return: Some(true), revoked_security_group_rules: Some(taken) })
}

/// The permissions that a call names: in a list, or one without.
fn permissions(
    list: Option<Vec<IpPermission>>,
    (protocol, from, to, range): (Option<Text>, Option<i64>, Option<i64>, Option<Text>),
) -> Result<Option<Vec<IpPermission>>> {
    let single = protocol.is_some() || from.is_some() || to.is_some() || range.is_some();
    match (list, single) {
        (Some(_), true) => Err(errors::COMBINATION
            .because("say IpPermissions, or one of them without a list, not both")
            .with_field("IpPermissions")),
        (None, true) => {
            let range = network::given(range.as_ref(), "CidrIp")?;
            Ok(Some(vec![IpPermission::of_range(protocol, from, to, range)]))
        }
        (list, false) => Ok(list),
    }
}

/// Lets traffic in.
#[operation(service = SERVICE, effect = write, output = Authorized, subject = "security-group/{GroupId}")]
pub struct AuthorizeSecurityGroupIngress {
    /// A range of addresses, for a rule without a list.
    pub cidr_ip: Option<Text>,
    /// The first port, for a rule without a list.
    pub from_port: Option<i64>,
    /// The id of the security group.
    pub group_id: Option<Text>,
    /// The name of the security group, in the default VPC.
    pub group_name: Option<Text>,
    /// The traffic.
    pub ip_permissions: Option<Vec<IpPermission>>,
    /// The protocol, for a rule without a list.
    pub ip_protocol: Option<Text>,
    /// The last port, for a rule without a list.
    pub to_port: Option<i64>,
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
}

impl Handler for AuthorizeSecurityGroupIngress {
    fn run(self, cx: &mut Tx<'_>) -> Result<Authorized> {
        let group = named(cx, self.group_id.as_ref(), self.group_name.as_ref())?;
        let single = (self.ip_protocol, self.from_port, self.to_port, self.cidr_ip);
        let permissions = permissions(self.ip_permissions, single)?.unwrap_or_default();
        authorize(cx, group, Direction::In, &permissions, self.dry_run)
    }
}

/// Lets traffic out.
#[operation(service = SERVICE, effect = write, output = Authorized, subject = "security-group/{GroupId}")]
pub struct AuthorizeSecurityGroupEgress {
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
    /// The id of the security group.
    #[field(wire = "groupId")]
    pub group_id: Text,
    /// The traffic.
    #[field(wire = "ipPermissions")]
    pub ip_permissions: Option<Vec<IpPermission>>,
}

impl Handler for AuthorizeSecurityGroupEgress {
    fn run(self, cx: &mut Tx<'_>) -> Result<Authorized> {
        let group = network::require(cx, &self.group_id, "GroupId")?;
        authorize(cx, group, Direction::Out, &self.ip_permissions.unwrap_or_default(), self.dry_run)
    }
}

/// Lets traffic in no more.
#[operation(service = SERVICE, effect = write, output = Revoked, subject = "security-group/{GroupId}")]
pub struct RevokeSecurityGroupIngress {
    /// A range of addresses, for a rule without a list.
    pub cidr_ip: Option<Text>,
    /// The first port, for a rule without a list.
    pub from_port: Option<i64>,
    /// The id of the security group.
    pub group_id: Option<Text>,
    /// The name of the security group, in the default VPC.
    pub group_name: Option<Text>,
    /// The traffic.
    pub ip_permissions: Option<Vec<IpPermission>>,
    /// The protocol, for a rule without a list.
    pub ip_protocol: Option<Text>,
    /// The last port, for a rule without a list.
    pub to_port: Option<i64>,
    /// The ids of the rules.
    #[field(wire = "SecurityGroupRuleId")]
    pub security_group_rule_ids: Option<Vec<Text>>,
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
}

impl Handler for RevokeSecurityGroupIngress {
    fn run(self, cx: &mut Tx<'_>) -> Result<Revoked> {
        let group = named(cx, self.group_id.as_ref(), self.group_name.as_ref())?;
        let single = (self.ip_protocol, self.from_port, self.to_port, self.cidr_ip);
        let permissions = permissions(self.ip_permissions, single)?;
        let ids = self.security_group_rule_ids.as_deref();
        revoke(cx, group, Direction::In, permissions.as_deref(), ids, self.dry_run)
    }
}

/// Lets traffic out no more.
#[operation(service = SERVICE, effect = write, output = Revoked, subject = "security-group/{GroupId}")]
pub struct RevokeSecurityGroupEgress {
    /// The ids of the rules.
    #[field(wire = "SecurityGroupRuleId")]
    pub security_group_rule_ids: Option<Vec<Text>>,
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
    /// The id of the security group.
    #[field(wire = "groupId")]
    pub group_id: Text,
    /// The traffic.
    #[field(wire = "ipPermissions")]
    pub ip_permissions: Option<Vec<IpPermission>>,
}

impl Handler for RevokeSecurityGroupEgress {
    fn run(self, cx: &mut Tx<'_>) -> Result<Revoked> {
        let group = network::require(cx, &self.group_id, "GroupId")?;
        let (permissions, ids) = (self.ip_permissions.as_deref(), self.security_group_rule_ids.as_deref());
        revoke(cx, group, Direction::Out, permissions, ids, self.dry_run)
    }
}

/// The manager's operations on rules, which differ in the operation of the service that they ask for.
macro_rules! rule_calls {
    ($($(#[$docs:meta])+ $name:ident $call:literal ($group:ident, $permissions:ident) => $step:expr;)+) => {$(
        $(#[$docs])+
        #[operation(kind = SecurityGroup, call = $call, effect = write, output = SecurityGroup)]
        pub struct $name {
            /// The id of the security group.
            pub group_id: Text,
            /// The traffic.
            pub ip_permissions: Vec<IpPermission>,
        }

        impl Steppable for $name {
            async fn run(&self, steps: &Steps) -> Result<SecurityGroup> {
                let ($group, $permissions) = (self.group_id.clone(), self.ip_permissions.clone());
                steps.call($step).await?;
                found(steps, self.group_id.clone()).await
            }
        }
    )+};
}

rule_calls! {
    /// Lets traffic in; gives the security group as it is then.
    AuthorizeIngress "authorize_ingress" (group, permissions) =>
        AuthorizeSecurityGroupIngress::new().group_id(group).ip_permissions(permissions);
    /// Lets traffic out; gives the security group as it is then.
    AuthorizeEgress "authorize_egress" (group, permissions) =>
        AuthorizeSecurityGroupEgress::new(group).ip_permissions(permissions);
    /// Lets traffic in no more; gives the security group as it is then.
    RevokeIngress "revoke_ingress" (group, permissions) =>
        RevokeSecurityGroupIngress::new().group_id(group).ip_permissions(permissions);
    /// Lets traffic out no more; gives the security group as it is then.
    RevokeEgress "revoke_egress" (group, permissions) =>
        RevokeSecurityGroupEgress::new(group).ip_permissions(permissions);
}
