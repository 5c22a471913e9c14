//! Facts about resources that decisions about access need.

use super::{
    Instance, Subnet, Vpc,
    network::{self, Member},
    security_group::SecurityGroupRow,
    tagging,
};
use nephos_cloud::{ResourceFacts, Tx};
use nephos_core::{Arn, Resource as _, Result, tags};

/// Finds the tags and condition keys of the resource with this ARN.
pub(super) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let kinds =
        [find_member::<Vpc>, find_member::<Subnet>, find_member::<SecurityGroupRow>, find_member::<Instance>];
    for find in kinds {
        if let Some(facts) = find(cx, arn.resource())? {
            return Ok(Some(facts));
        }
    }
    let Some((tagging::RULE_TYPE, id)) = arn.resource().split_once('/') else { return Ok(None) };
    let has_rule = |group: &SecurityGroupRow| group.rules.iter().flatten().any(|rule| rule.has_id(id));
    let rules = network::find_all(cx, has_rule)?.into_iter().filter_map(|group| group.rules).flatten();
    let rule = rules.into_iter().find(|rule| rule.has_id(id));
    Ok(Some(ResourceFacts::tagged(rule.map(|rule| tags::known(&rule)).unwrap_or_default())))
}

/// Finds the facts of a resource by the resource part of its ARN; none if it is no ARN of the kind.
fn find_member<M: Member>(cx: &Tx<'_>, resource: &str) -> Result<Option<ResourceFacts>> {
    let Some(id) = M::Described::KIND.path.read(resource).and_then(|values| values.first().copied()) else {
        return Ok(None);
    };
    let Some(found) = network::find::<M>(cx, id)? else { return Ok(None) };
    let keys = found.condition_values(cx.scope()).into_iter();
    let context = keys.filter_map(|(key, value)| Some((key.into(), value?))).collect();
    Ok(Some(ResourceFacts { context, ..ResourceFacts::tagged(tags::known(&found)) }))
}
