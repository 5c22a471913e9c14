//! Facts about resources that decisions about access need.

use super::{
    Instance, Subnet, Vpc,
    network::{self, Member},
    security_group::SecurityGroupRow,
    tagging,
};
use nephos_cloud::{ResourceFacts, Tx};
use nephos_core::{Arn, Result};

/// Finds the tags and condition keys of the resource with this ARN.
pub(super) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    match arn.resource().split_once('/') {
        Some((Vpc::RESOURCE_TYPE, id)) => find_member::<Vpc>(cx, id),
        Some((Subnet::RESOURCE_TYPE, id)) => find_member::<Subnet>(cx, id),
        Some((SecurityGroupRow::RESOURCE_TYPE, id)) => find_member::<SecurityGroupRow>(cx, id),
        Some((Instance::RESOURCE_TYPE, id)) => find_member::<Instance>(cx, id),
        Some((tagging::RULE_TYPE, id)) => {
            let has_rule =
                |group: &SecurityGroupRow| group.rules.iter().flatten().any(|rule| rule.has_id(id));
            let rules =
                network::find_all(cx, has_rule)?.into_iter().filter_map(|group| group.rules).flatten();
            let rule = rules.into_iter().find(|rule| rule.has_id(id));
            let tags = rule.and_then(|rule| rule.tags).unwrap_or_default();
            Ok(Some(ResourceFacts::tagged(tagging::to_map(&tags))))
        }
        _ => Ok(None),
    }
}

fn find_member<M: Member>(cx: &Tx<'_>, id: &str) -> Result<Option<ResourceFacts>> {
    let Some(mut found) = network::find::<M>(cx, id)? else { return Ok(None) };
    let keys = found.condition_values(cx.scope()).into_iter();
    let context = keys.filter_map(|(key, value)| Some((key.into(), value?))).collect();
    let tags = found.tags().take().unwrap_or_default();
    Ok(Some(ResourceFacts { context, ..ResourceFacts::tagged(tagging::to_map(&tags)) }))
}
