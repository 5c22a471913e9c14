//! Routes: rows that record which rules forward to which target groups.

use super::action;
use crate::{
    Listener, LoadBalancer, LoadBalancerType, TargetGroup, errors, listener, rule, target_group::targets,
};
use nephos_cloud::{Addressed, Direction, Stored, StoredResource, Tx};
use nephos_core::{Record, Result, Text, Timestamp};

/// Row of a rule that forwards to a target group.
#[derive(Record)]
#[record(row)]
pub(crate) struct RouteRow {
    /// Name of the target group.
    group: Option<Text>,
    /// Name of the load balancer.
    balancer: Option<Text>,
    /// ARN of the load balancer.
    load_balancer_arn: Option<Text>,
    /// ARN of the rule.
    rule_arn: Option<Text>,
}

nephos_cloud::stored!(RouteRow in "elbv2/route" by group, balancer, rule_arn);

/// Row of the time since when a target group is in use and its targets are checked.
#[derive(Record)]
#[record(row)]
pub(crate) struct TargetGroupUseRow {
    /// Name of the target group.
    group: Option<Text>,
    /// Start of use.
    since: Option<Timestamp>,
}

nephos_cloud::stored!(TargetGroupUseRow in "elbv2/use" by group);

fn routes_to(cx: &Tx<'_>, group: &str) -> Result<Vec<RouteRow>> {
    cx.all(&RouteRow::table(cx.scope()).text(group))
}

/// Returns the ARNs of the load balancers that route to the target group.
pub(crate) fn balancer_arns(cx: &Tx<'_>, group: &str) -> Result<Vec<Text>> {
    let mut arns: Vec<_> =
        routes_to(cx, group)?.into_iter().filter_map(|route| route.load_balancer_arn).collect();
    arns.dedup();
    Ok(arns)
}

/// True if any rule forwards to the target group.
pub(crate) fn is_used(cx: &Tx<'_>, group: &str) -> Result<bool> {
    let range = RouteRow::table(cx.scope()).text(group).prefix_range();
    Ok(cx.first::<RouteRow>(&range, Direction::Ascending)?.is_some())
}

/// Returns the time since when the target group is in use; `None` if it is not.
pub(crate) fn used_since(cx: &Tx<'_>, group: &str) -> Result<Option<Timestamp>> {
    let using: Option<TargetGroupUseRow> = cx.get(&TargetGroupUseRow::table(cx.scope()).text(group))?;
    Ok(using.and_then(|using| using.since))
}

/// Returns the names of the target groups that the load balancer routes to, in order.
pub(crate) fn group_names(cx: &Tx<'_>, balancer: &str) -> Result<Vec<Text>> {
    let mut names = Vec::new();
    for listener in listener::listeners_of(cx, balancer)? {
        names.extend(action::group_names(listener.default_actions.as_deref()));
    }
    for rule in rule::rules_of_balancer(cx, balancer)? {
        names.extend(action::group_names(rule.actions.as_deref()));
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Checks a rule that changes its target groups from `before` to `after`: refuses target groups of another load balancer, and
/// more target groups or registrations than a load balancer can have.
pub(crate) fn check_groups(
    cx: &Tx<'_>,
    balancer: &LoadBalancer,
    before: &[Text],
    after: &[Text],
) -> Result<()> {
    for group in after {
        if let Some(other) = balancer_arns(cx, group)?.iter().find(|other| *other != balancer.own_arn()) {
            let arn = TargetGroup::find_by(cx, &[group])?.and_then(|group| group.target_group_arn);
            return Err(errors::group_used_by_other_balancer(arn.unwrap_or_default())
                .with_hint(format!("it is used by {other}")));
        }
    }
    let mut all = group_names(cx, balancer.own_name())?;
    let new: Vec<_> = after.iter().filter(|group| !all.contains(group)).cloned().collect();
    if new.is_empty() {
        return Ok(());
    }
    for removed in before.iter().filter(|group| !after.contains(group)) {
        if routes_to(cx, removed)?.len() == 1 {
            all.retain(|group| group != removed);
        }
    }
    all.extend(new);
    if all.len() > MAX_TARGET_GROUPS {
        let hint = format!(
            "{} can route to at most {MAX_TARGET_GROUPS} target groups, got {}",
            balancer.own_name(),
            all.len()
        );
        return Err(errors::too_many_groups_of_balancer().with_hint(hint));
    }
    if balancer.own_type() == LoadBalancerType::Application {
        targets::check_registration_limit(cx, balancer, &all)?;
    }
    Ok(())
}

/// Maximum number of target groups of a load balancer.
pub(crate) const MAX_TARGET_GROUPS: usize = 100;

/// Records that a rule of the listener forwards to the target groups `after`, no longer to those `before`.
pub(crate) fn update(
    cx: &mut Tx<'_>,
    listener: &Listener,
    rule_arn: &str,
    before: &[Text],
    after: &[Text],
) -> Result<()> {
    let route = |group: &Text| RouteRow {
        group: Some(group.clone()),
        balancer: Some(listener.balancer_name().into()),
        load_balancer_arn: listener.load_balancer_arn.clone(),
        rule_arn: Some(rule_arn.into()),
    };
    for group in after.iter().filter(|group| !before.contains(group)) {
        if !is_used(cx, group)? {
            cx.put(TargetGroupUseRow { group: Some(group.clone()), since: Some(cx.now()) })?;
        }
        cx.put(route(group))?;
    }
    for group in before.iter().filter(|group| !after.contains(group)) {
        cx.remove(&route(group))?;
        if !is_used(cx, group)? {
            cx.remove_row(&TargetGroupUseRow::table(cx.scope()).text(group))?;
        }
    }
    Ok(())
}
