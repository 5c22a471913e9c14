//! Operations on security groups.

use super::{
    DEFAULT, SecurityGroup, SecurityGroupManager, SecurityGroupRow, check_text, find_by_name,
    permissions::Rule, require_by_id_or_name,
};
use crate::{
    calls::{DryRun, Filtered, Paged, Tagged},
    check_dry_run, errors, filters,
    network::{self, Member, ids, interface},
    tagging,
    vpc::{self, Vpc},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Creates a security group, which allows all outbound and no inbound traffic.
#[operation(
    of = SecurityGroup, call = "create", model, read_back,
    needs(description(wire = "GroupDescription"), group_name(wire = "GroupName")),
    takes(settable), except(tags), answers(group_id, tags, security_group_arn), include(Tagged, DryRun), effect = write,
    subject = "security-group/* + VpcId? vpc/{VpcId}", also_requires("CreateTags" = "TagSpecifications? security-group/*")
)]
pub struct CreateSecurityGroup {}

impl Handler for CreateSecurityGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = &self.group_name;
        check_text(name, "security group name", "GroupName")?;
        check_text(&self.description, "security group description", "Description")?;
        let reserved = match name.as_str() {
            DEFAULT => Some(errors::group_name_reserved()),
            name if name.starts_with("sg-") => Some(errors::group_name_like_id(name)),
            _ => None,
        };
        if let Some(error) = reserved {
            return Err(error.with_field("GroupName"));
        }
        let vpc: Vpc = match &self.vpc_id {
            Some(id) => network::require(cx, id, "VpcId")?,
            None => vpc::find_default(cx)?.ok_or_else(errors::vpc_not_specified)?,
        };
        if find_by_name(cx, vpc.id(), name)?.is_some() {
            return Err(errors::group_exists(name, vpc.id()).with_field("GroupName"));
        }
        let tags = tagging::read_specifications::<SecurityGroupRow>(self.tag_specifications.as_deref())?;
        check_dry_run(self.dry_run)?;
        let mut group = SecurityGroupRow::from_given(self);
        (group.group_id, group.vpc_id, group.tags) =
            (Some(ids::new(cx, SecurityGroupRow::ID_PREFIX)), vpc.vpc_id, tags);
        group.rules = Some(vec![Rule::allow_all_outbound(ids::new(cx, "sgr"))]);
        cx.put(group.clone())?;
        Ok(group.described(cx)?.into())
    }
}

/// Describes security groups, in order of their IDs.
#[operation(
    of = SecurityGroup, call = "list",
    page(security_groups(wire = "securityGroupInfo"), next_token(wire = "nextToken")),
    find(group_id in group_ids), pushdown(filters = filters::with_pushed::<SecurityGroup>),
    include(Filtered, Paged, DryRun), effect = read, access = list
)]
pub struct DescribeSecurityGroups {
    /// IDs of the security groups.
    #[field(wire = "GroupId")]
    pub group_ids: Option<Vec<Text>>,
    /// Names of the security groups, in the default VPC.
    #[field(wire = "GroupName")]
    pub group_names: Option<Vec<Text>>,
}

impl Handler for DescribeSecurityGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut ids = self.group_ids.clone();
        for name in self.group_names.iter().flatten() {
            let group = require_by_id_or_name(cx, None, Some(name))
                .map_err(|error| error.with_field("GroupNames"))?;
            ids.get_or_insert_default().push(group.id().into());
        }
        let (ids, filters) = (("GroupIds", ids.as_deref()), self.filters.as_deref());
        Ok(network::page::<SecurityGroupRow>(cx, &self, ids, filters, self.dry_run)?.into())
    }
}

/// Deletes a security group that nothing uses.
#[operation(
    of = SecurityGroup, takes(group_id(condition = "ec2:SecurityGroupID")), include(DryRun),
    effect = write, output = DeleteSecurityGroupResult
)]
pub struct DeleteSecurityGroup {
    /// Name of the security group, in the default VPC.
    pub group_name: Option<Text>,
}

/// Answer of `DeleteSecurityGroup`.
#[derive(Record)]
#[record(answer, wire = "camel")]
pub struct DeleteSecurityGroupResult {
    /// Success; always true.
    r#return: Option<bool>,
    /// ID of the security group.
    group_id: Option<Text>,
}

impl Handler for DeleteSecurityGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<DeleteSecurityGroupResult> {
        let group = require_by_id_or_name(cx, self.group_id.as_ref(), self.group_name.as_ref())?;
        if group.is_default() {
            return Err(errors::default_group_protected(group.id()));
        }
        let refers = |other: &SecurityGroupRow| other.id() != group.id() && other.refers_to(group.id());
        let used_by = match interface::find_owner_with_group(cx, group.id())? {
            None => network::find_all(cx, refers)?.first().map(|other| other.id().into()),
            owner => owner,
        };
        if let Some(owner) = used_by {
            return Err(errors::has_dependent_object(group.id()).with_hint(owner));
        }
        check_dry_run(self.dry_run)?;
        network::remove(cx, &group)?;
        Ok(DeleteSecurityGroupResult { r#return: Some(true), group_id: group.group_id })
    }
}

/// Updates the tags that differ from those that the model was loaded with.
#[operation(kind = SecurityGroup, call = "update", changes(), effect = write)]
pub struct SecurityGroupUpdate {}

/// Deletes a security group that nothing uses.
#[operation(
    kind = SecurityGroup, of = SecurityGroup, call = "delete", on_model, needs(group_id), effect = write,
    runs = DeleteSecurityGroup
)]
pub struct SecurityGroupDelete {}
