//! Facts about log groups and destinations that decisions about access need.

use super::{Destination, LogGroup, policy::resource};
use nephos_cloud::{Addressed, ResourceFacts, Tx};
use nephos_core::{Arn, Result, Text, tags};

/// Finds the tags and policies of the log group or destination with this ARN. A log stream has those of its group.
pub(super) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let Some((kind, rest)) = arn.resource().split_once(':') else { return Ok(None) };
    let name = rest.split(':').next().unwrap_or_default();
    match kind {
        "log-group" => {
            let group = LogGroup::find_by(cx, &[name])?;
            let tags = group.map(|group| tags::known(&group)).unwrap_or_default();
            let policies = resource::documents(cx, name)?;
            Ok(Some(ResourceFacts { policies, ..ResourceFacts::tagged(tags) }))
        }
        "destination" => {
            let Some(found) = Destination::find_by(cx, &[name])? else { return Ok(None) };
            let facts = ResourceFacts::tagged(tags::known(&found));
            // The policy decides about accounts that send log events.
            let context = vec![("aws:SourceAccount".into(), cx.caller().account().into())];
            let policies = found.access_policy().map(Text::from).into_iter().collect();
            Ok(Some(ResourceFacts { policies, context, ..facts }))
        }
        _ => Ok(None),
    }
}
