//! Actions that forward requests.

use super::Action;
use crate::errors;
use nephos_core::{Record, Result, Text, field_value::FieldType};

/// Target groups that requests are forwarded to, with weights.
#[derive(Record)]
pub struct ForwardConfig {
    /// Target groups.
    pub(super) target_groups: Option<Vec<TargetGroupTuple>>,
    /// Stickiness: a client stays with one target group.
    pub(super) target_group_stickiness_config: Option<TargetGroupStickinessConfig>,
}

/// A target group and its weight.
#[derive(Record)]
pub struct TargetGroupTuple {
    /// ARN of the target group.
    #[field(required)]
    pub(super) target_group_arn: Option<Text>,
    /// Weight of the target group, relative to the others.
    #[field(range(0..=999))]
    pub(super) weight: Option<i64>,
}

/// Target group stickiness: a client stays with one target group.
#[derive(Record)]
#[record(check = check_stickiness)]
pub struct TargetGroupStickinessConfig {
    /// True if stickiness is enabled.
    pub(super) enabled: Option<bool>,
    /// Duration in seconds; required if stickiness is enabled.
    #[field(range(1..=604800))]
    pub(super) duration_seconds: Option<i64>,
}

fn check_stickiness(config: &TargetGroupStickinessConfig) -> Result<()> {
    if config.enabled == Some(true) && config.duration_seconds.is_none() {
        return Err(errors::stickiness_duration_missing().with_field("DurationSeconds"));
    }
    Ok(())
}

impl ForwardConfig {
    /// Returns the ARNs of the target groups.
    pub(super) fn arns(&self) -> impl Iterator<Item = &Text> {
        self.target_groups.iter().flatten().filter_map(|group| group.target_group_arn.as_ref())
    }
}

impl Action {
    /// Fills in defaults of a forward action. A single target group is in both `TargetGroupArn` and `ForwardConfig`.
    pub(super) fn with_forward_defaults(mut self) -> Self {
        let config = self.forward_config.get_or_insert_with(ForwardConfig::blank);
        let groups = config.target_groups.get_or_insert_default();
        if groups.is_empty() {
            let one = |arn| TargetGroupTuple { target_group_arn: Some(arn), weight: None };
            groups.extend(self.target_group_arn.clone().map(one));
        }
        for group in groups.iter_mut() {
            group.weight.get_or_insert(1);
        }
        self.target_group_arn = match groups.as_slice() {
            [only] => only.target_group_arn.clone(),
            _ => None,
        };
        let stickiness =
            config.target_group_stickiness_config.get_or_insert_with(TargetGroupStickinessConfig::blank);
        stickiness.enabled.get_or_insert(false);
        self
    }
}
