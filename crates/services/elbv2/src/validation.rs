//! Validation of ARNs and parameters.

use super::{Listener, LoadBalancer, Rule, TargetGroup, TrustStore, errors};
use nephos_core::{Error, Result, record::Fields};

/// Name of the service in ARNs.
pub(super) const SERVICE_NAME: &str = "elasticloadbalancing";

nephos_cloud::by_arn! {
    invalid errors::invalid_arn;
    LoadBalancer: "load balancer", "loadbalancer", 3 parts, key [1], errors::load_balancers_not_found;
    Listener: "listener", "listener", 4 parts, key [1, 3], errors::listeners_not_found;
    Rule: "rule", "listener-rule", 5 parts, key [1, 3, 4], errors::rules_not_found;
    TargetGroup: "target group", "targetgroup", 2 parts, key [0], errors::target_groups_not_found;
    TrustStore: "trust store", "truststore", 2 parts, key [0], errors::trust_stores_not_found;
}

/// Returns the error for an invalid parameter.
pub(super) fn invalid(field: &str, message: impl Into<String>) -> Error {
    errors::INVALID.with_message(message).with_field(field)
}

/// Returns the error for a parameter that conflicts with others.
pub(super) fn invalid_configuration(field: &str, message: impl Into<String>) -> Error {
    errors::INVALID_CONFIGURATION.with_message(message).with_field(field)
}

/// Refuses an invalid regular expression.
pub(super) fn check_regex(text: &str, field: &str) -> Result<()> {
    match regex::Regex::new(text) {
        Ok(_) => Ok(()),
        Err(_) => Err(invalid(field, format!("{text:?} is not a valid regular expression"))),
    }
}

/// Refuses the first of these fields that has a value, with the error `refusal(field)`.
pub(super) fn refuse_fields(
    record: &dyn Fields,
    fields: &[&'static str],
    refusal: impl Fn(&'static str) -> Error,
) -> Result<()> {
    match fields.iter().find(|field| is_set(record, field)) {
        Some(field) => Err(refusal(field)),
        None => Ok(()),
    }
}

/// True if the field has a value.
pub(super) fn is_set(record: &dyn Fields, field: &str) -> bool {
    let found = record.shape().field(field);
    debug_assert!(found.is_some(), "{} has no field {field}", record.shape().name);
    found.is_some_and(|(index, _)| !record.field(index).view().is_null())
}
