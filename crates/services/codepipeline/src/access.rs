//! Resources of permission decisions: stages and actions have the tags of their pipeline.

use crate::tagging;
use nephos_cloud::{ResourceFacts, Tx};
use nephos_core::{Arn, Result};

/// Finds the facts about a pipeline, one of its stages or actions, a custom action type or a webhook.
pub fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let of_pipeline = arn.resource().split_once('/').filter(|(pipeline, _)| !pipeline.contains(':'));
    match of_pipeline {
        Some((pipeline, _)) => {
            let pipeline = Arn::new(arn.service(), arn.region(), arn.account(), pipeline);
            tagging::find_resource(cx, &pipeline)
        }
        None => tagging::find_resource(cx, arn),
    }
}
