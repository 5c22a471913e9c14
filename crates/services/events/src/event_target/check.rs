//! Checks of targets: their ARNs, input and parameters.

use crate::{
    AssignPublicIp, DeadLetterConfig, EventTarget, InputTransformer, LaunchType, PlacementConstraintType,
    delivery, errors,
    input::{InputPath, Template, TemplateError},
};
use nephos_core::{Arn, Result, json};

/// Services whose resources are invoked with a role.
const WITH_ROLE: &[&str] = &["batch", "codebuild", "codepipeline", "ecs", "firehose", "kinesis", "states"];

/// Checks a target of a request.
pub(crate) fn check(target: &EventTarget) -> Result<()> {
    let (id, arn) = (target.id.as_deref().unwrap_or_default(), target.arn.as_deref().unwrap_or_default());
    let Some([_, service, .., resource]) = Arn::parts(arn) else {
        return Err(errors::target_arn_invalid(arn).with_field("Targets").with_hint(id));
    };
    let has_role = WITH_ROLE.contains(&service) || delivery::destination_call::is_destination(arn);
    if has_role && target.role_arn.is_none() {
        return Err(errors::role_required(arn).with_field("Targets").with_hint(id));
    }
    let has_group = target.sqs_parameters.as_ref().is_some_and(|queue| queue.message_group_id.is_some());
    if service == "sqs" && arn.ends_with(".fifo") && !has_group {
        return Err(errors::target_parameters_missing("SqsParameters", id).with_field("Targets"));
    }
    let missing = match (service, resource) {
        ("batch", _) if target.batch_parameters.is_none() => Some("BatchParameters"),
        ("redshift" | "redshift-serverless", _) if target.redshift_data_parameters.is_none() => {
            Some("RedshiftDataParameters")
        }
        ("ssm", document) if document.starts_with("document/") && target.run_command_parameters.is_none() => {
            Some("RunCommandParameters")
        }
        _ => None,
    };
    if let Some(name) = missing {
        return Err(errors::target_parameters_missing(name, id).with_field("Targets"));
    }
    check_dead_letter_queue(target.dead_letter_config.as_ref())
        .map_err(|error| error.with_field("Targets"))?;
    check_ecs(target, service, id)?;
    check_input(target, id)
}

/// Refuses a dead-letter queue that is not a standard queue.
pub(crate) fn check_dead_letter_queue(queue: Option<&DeadLetterConfig>) -> Result<()> {
    let Some(arn) = queue.and_then(|queue| queue.arn.as_deref()) else { return Ok(()) };
    let refused = match Arn::parts(arn) {
        Some([_, "sqs", _, _, name]) if name.ends_with(".fifo") => errors::dead_letter_queue_is_fifo(),
        Some([_, "sqs", ..]) => return Ok(()),
        _ => errors::dead_letter_queue_invalid(),
    };
    Err(refused.with_hint(arn))
}

fn check_ecs(target: &EventTarget, service: &str, id: &str) -> Result<()> {
    let refused = |reason: &str| errors::ecs_parameters_invalid(id, reason).with_field("Targets");
    let Some(tasks) = &target.ecs_parameters else {
        return match service {
            "ecs" => Err(errors::target_parameters_missing("EcsParameters", id).with_field("Targets")),
            _ => Ok(()),
        };
    };
    let network = tasks.network_configuration.as_ref().and_then(|network| network.vpc_configuration.as_ref());
    let is_fargate = tasks.launch_type == Some(LaunchType::Fargate);
    if is_fargate && network.is_none() {
        return Err(refused("NetworkConfiguration is required for the launch type FARGATE"));
    }
    let has_address =
        network.is_some_and(|network| network.assign_public_ip == Some(AssignPublicIp::Enabled));
    let has_providers =
        tasks.capacity_provider_strategy.as_ref().is_some_and(|providers| !providers.is_empty());
    // The capacity providers may be those of FARGATE.
    if has_address && !is_fargate && !has_providers {
        return Err(refused("AssignPublicIp can be ENABLED only for the launch type FARGATE"));
    }
    if has_providers && tasks.launch_type.is_some() {
        return Err(refused("LaunchType cannot be specified with CapacityProviderStrategy"));
    }
    let distinct = tasks.placement_constraints.iter().flatten().find(|constraint| {
        constraint.r#type == Some(PlacementConstraintType::DistinctInstance)
            && constraint.expression.is_some()
    });
    if distinct.is_some() {
        return Err(refused("an expression cannot be specified with the constraint distinctInstance"));
    }
    match tasks.placement_strategy.iter().flatten().find(|strategy| !strategy.has_valid_field()) {
        Some(_) => Err(refused("the field of the strategy binpack must be cpu or memory")),
        None => Ok(()),
    }
}

fn check_input(target: &EventTarget, id: &str) -> Result<()> {
    let given = [target.input.is_some(), target.input_path.is_some(), target.input_transformer.is_some()];
    if given.into_iter().filter(|is_given| *is_given).count() > 1 {
        return Err(errors::inputs_given(id).with_field("Targets"));
    }
    if let Some(input) = &target.input
        && let Err(reason) = json::parse(input.as_bytes())
    {
        return Err(errors::input_not_json(id).with_field("Targets").with_hint(reason.message()));
    }
    let key_path = target.kinesis_parameters.as_ref().and_then(|stream| stream.partition_key_path.as_ref());
    for (name, path) in [("InputPath", &target.input_path.as_ref()), ("PartitionKeyPath", &key_path)] {
        if let Some(path) = path
            && InputPath::parse(path).is_none()
        {
            return Err(errors::path_invalid(name, id).with_field("Targets").with_hint(path.as_str()));
        }
    }
    target.input_transformer.as_ref().map_or(Ok(()), |transformer| check_transformer(transformer, id))
}

/// True for names that variables of a transformer can have.
fn is_variable_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=256).contains(&name.len())
        && name.bytes().all(is_allowed)
        && !name.to_ascii_uppercase().starts_with("AWS")
}

fn check_transformer(transformer: &InputTransformer, id: &str) -> Result<()> {
    let paths = transformer.input_paths_map.as_ref();
    for (name, path) in paths.into_iter().flatten() {
        if !is_variable_name(name) {
            return Err(errors::variable_name_invalid(id, name).with_field("Targets"));
        }
        if InputPath::parse(path).is_none() {
            return Err(errors::path_invalid("InputPathsMap", id)
                .with_field("Targets")
                .with_hint(path.as_str()));
        }
    }
    let find_path = |name: &str| paths.and_then(|paths| InputPath::parse(paths.get(name)?));
    let template = transformer.input_template.as_deref().unwrap_or_default();
    let refused = match Template::parse(template, find_path) {
        Ok(_) => return Ok(()),
        Err(TemplateError::UnknownPlaceholder(name)) => errors::placeholder_invalid(id, name),
        Err(TemplateError::ObjectNeeded(name)) => errors::placeholder_needs_object(id, name),
        Err(TemplateError::NotJson) => errors::template_invalid(id),
    };
    Err(refused.with_field("Targets"))
}
