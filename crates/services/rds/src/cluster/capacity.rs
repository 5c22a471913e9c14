//! Capacity of the serverless instances of clusters.

use super::{DBCluster, ServerlessV2ScalingConfiguration};
use crate::{engine::Engine, errors};
use nephos_core::{Error, Result};

/// Parameter with the capacity.
const FIELD: &str = "ServerlessV2ScalingConfiguration";

/// Least and largest capacity of an engine: the least minimum, the least maximum, and the largest maximum.
pub(crate) fn limits(engine: &Engine) -> (f64, f64, f64) {
    match engine.name {
        "neptune" => (1.0, 2.5, 128.0),
        "docdb" => (0.5, 1.0, 256.0),
        _ => (0.0, 1.0, 256.0),
    }
}

/// Writes a capacity with one decimal place, as the service does.
fn text(capacity: f64) -> String {
    format!("{capacity:.1}")
}

/// Refuses a capacity that the engine does not have.
fn check(engine: &Engine, min: f64, max: f64) -> std::result::Result<(), Error> {
    let (least_min, least_max, most) = limits(engine);
    if let Some(odd) = [min, max].into_iter().find(|capacity| (capacity * 2.0).fract() != 0.0) {
        return Err(errors::capacity_step(odd));
    }
    if max < least_max {
        return Err(errors::max_capacity_small(text(max), text(least_max)));
    }
    if max > most {
        return Err(errors::max_capacity_large(text(max), text(most)));
    }
    if min < least_min {
        return Err(errors::min_capacity_small(text(min), text(least_min)));
    }
    if min > max {
        return Err(errors::min_capacity_large());
    }
    Ok(())
}

impl DBCluster {
    /// Sets the capacity of serverless instances, after checking it. What is not given stays.
    pub(super) fn set_capacity(
        &mut self,
        engine: &Engine,
        given: Option<&ServerlessV2ScalingConfiguration>,
    ) -> Result<()> {
        let Some(given) = given else { return Ok(()) };
        let before = self.serverless_v2_scaling_configuration.take();
        let kept = before.as_ref();
        let min = given.min_capacity.or(kept.and_then(|kept| kept.min_capacity));
        let max = given.max_capacity.or(kept.and_then(|kept| kept.max_capacity));
        let (Some(min), Some(max)) = (min, max) else {
            return Err(errors::capacity_incomplete().with_field(FIELD));
        };
        check(engine, min, max).map_err(|error| error.with_field(FIELD))?;
        let pause = given.seconds_until_auto_pause.or(kept.and_then(|kept| kept.seconds_until_auto_pause));
        let pauses = min == 0.0;
        let is_wrong = |seconds: i64| !pauses || !(300..=86_400).contains(&seconds);
        if given.seconds_until_auto_pause.is_some_and(is_wrong) {
            return Err(errors::auto_pause_invalid().with_field(FIELD));
        }
        self.serverless_v2_scaling_configuration = Some(ServerlessV2ScalingConfiguration {
            min_capacity: Some(min),
            max_capacity: Some(max),
            seconds_until_auto_pause: pauses.then(|| pause.unwrap_or(300)),
        });
        Ok(())
    }
}
