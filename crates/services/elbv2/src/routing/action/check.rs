//! Validation of actions and their combination.

use super::{Action, ActionType, AuthenticateUserPoolConfig};
use crate::{
    Listener, LoadBalancer, LoadBalancerType, Protocol, TargetGroup, TargetType, errors, limits,
    routing::routes,
    validation::{is_set, wire_field, wire_name},
};
use nephos_cloud::{Addressed, StoredResource, Tx};
use nephos_core::{Error, Result};

/// The properties of a listener that its actions are validated against.
pub(crate) struct ListenerContext<'a> {
    balancer: &'a LoadBalancer,
    protocol: Protocol,
    port: Option<i64>,
    /// Name of the parameter with the actions, for errors.
    field: &'static str,
}

impl<'a> ListenerContext<'a> {
    pub(crate) fn new(balancer: &'a LoadBalancer, listener: &Listener, field: &'static str) -> Self {
        Self { balancer, protocol: listener.own_protocol(), port: listener.port, field }
    }

    /// Sorts the actions by order, fills in defaults and validates them; `before` are the current actions.
    pub(crate) fn normalize_actions(
        &self,
        cx: &Tx<'_>,
        actions: &[Action],
        before: Option<&[Action]>,
    ) -> Result<Vec<Action>> {
        let ordered = sort_actions(actions, self.field)?;
        self.check_composition(ordered.iter().map(|(_, action)| action))?;
        let mut normalized = Vec::with_capacity(ordered.len());
        for (n, action) in ordered {
            let in_action = |error: Error| error.in_field(&format!("{}[{n}]", self.field));
            normalized.push(self.normalize_action(cx, action, before).map_err(in_action)?);
        }
        routes::check_groups(
            cx,
            self.balancer,
            &super::group_names(before),
            &super::group_names(Some(&normalized)),
        )?;
        Ok(normalized)
    }

    /// Refuses stored actions that are invalid for the changed listener.
    pub(crate) fn recheck_actions(&self, cx: &Tx<'_>, actions: Option<&[Action]>) -> Result<()> {
        let actions = actions.unwrap_or_default();
        self.check_composition(actions.iter())?;
        for arn in actions.iter().flat_map(Action::group_arns) {
            self.check_group(&TargetGroup::require(cx, arn, "TargetGroupArn")?)?;
        }
        for config in actions.iter().filter_map(|action| action.redirect_config.clone()) {
            config.normalized(&self.protocol, self.port)?;
        }
        Ok(())
    }

    /// Requires exactly one forward, redirect or fixed-response action, as the last; for HTTPS, one action that authenticates may
    /// precede it.
    fn check_composition<'b>(&self, ordered: impl Iterator<Item = &'b Action>) -> Result<()> {
        let refuse = |error: Error| Err(error.with_field(self.field));
        let types: Vec<_> = ordered.filter_map(|action| action.r#type.as_ref()).collect();
        let balancer_type = self.balancer.own_type();
        if balancer_type != LoadBalancerType::Application {
            let kind = wire_name(&balancer_type);
            if let Some(other) = types.iter().find(|action_type| ***action_type != ActionType::Forward) {
                return refuse(errors::action_type_unsupported(wire_name(*other), kind));
            }
            return if types.len() == 1 { Ok(()) } else { refuse(errors::action_count_on_type(kind)) };
        }
        if types.iter().filter(|action_type| is_routing(action_type)).count() != 1 {
            return refuse(errors::routing_action_count());
        }
        let Some((_, authenticating)) = types.split_last().filter(|(last, _)| is_routing(last)) else {
            return refuse(errors::routing_action_not_last());
        };
        match authenticating {
            [] => Ok(()),
            [action_type] if self.protocol != Protocol::Https => {
                refuse(errors::authentication_without_https(wire_name(*action_type)))
            }
            [_] => Ok(()),
            _ => refuse(errors::authenticating_action_count()),
        }
    }
}

/// Returns the actions sorted by order, each with its index in the parameter.
fn sort_actions(actions: &[Action], field: &str) -> Result<Vec<(usize, Action)>> {
    if actions.is_empty() {
        return Err(errors::actions_missing().with_field(field));
    }
    if actions.len() > limits::MAX_ACTIONS {
        return Err(errors::too_many_actions(limits::MAX_ACTIONS)
            .with_field(field)
            .with_hint(format!("got {}", actions.len())));
    }
    let mut numbered: Vec<_> = actions.iter().cloned().enumerate().collect();
    // A lone action needs no order, and is shown without one.
    if numbered.len() == 1 {
        return Ok(numbered);
    }
    for (n, (_, action)) in numbered.iter().enumerate() {
        let order_field = || format!("{field}[{n}].Order");
        let Some(order) = action.order else {
            return Err(errors::action_order_missing().with_field(order_field()));
        };
        if numbered[..n].iter().any(|(_, other)| other.order == Some(order)) {
            return Err(errors::action_order_repeated(order).with_field(order_field()));
        }
    }
    numbered.sort_by_key(|(_, action)| action.order);
    Ok(numbered)
}

fn is_routing(action_type: &ActionType) -> bool {
    matches!(action_type, ActionType::Forward | ActionType::Redirect | ActionType::FixedResponse)
}

/// Parameters of actions, each with the type of action that it belongs to.
const CONFIGS: [(&str, ActionType); 7] = [
    ("TargetGroupArn", ActionType::Forward),
    ("ForwardConfig", ActionType::Forward),
    ("RedirectConfig", ActionType::Redirect),
    ("FixedResponseConfig", ActionType::FixedResponse),
    ("AuthenticateOidcConfig", ActionType::AuthenticateOidc),
    ("AuthenticateUserPoolConfig", ActionType::AuthenticateUserpool),
    ("JwtValidationConfig", ActionType::JwtValidation),
];

/// Refuses parameters of other types of actions, and requires the parameter of its own type. A forward action has two, either
/// of which is enough.
fn check_configs(action: &Action, action_type: &ActionType) -> Result<()> {
    for (field, own) in &CONFIGS {
        if own != action_type && is_set(action, field) {
            let wire = wire_field(action, field);
            return Err(errors::action_field_unsupported(wire_name(action_type), wire).with_field(*field));
        }
    }
    match CONFIGS.iter().find(|(_, own)| own == action_type && *action_type != ActionType::Forward) {
        Some((field, _)) if !is_set(action, field) => {
            let wire = wire_field(action, field);
            Err(errors::action_field_missing(wire_name(action_type), wire).with_field(*field))
        }
        _ => Ok(()),
    }
}

impl ListenerContext<'_> {
    /// Fills in defaults of an action and validates it.
    fn normalize_action(&self, cx: &Tx<'_>, mut action: Action, before: Option<&[Action]>) -> Result<Action> {
        let action_type = action.r#type.clone().unwrap_or(ActionType::Forward);
        check_configs(&action, &action_type)?;
        if action_type == ActionType::Forward {
            return self.normalize_forward(cx, action);
        }
        if let Some(config) = action.redirect_config.take() {
            let in_config = |error: Error| match error.field() {
                Some(_) => error.in_field("RedirectConfig"),
                None => error.with_field("RedirectConfig"),
            };
            action.redirect_config = Some(config.normalized(&self.protocol, self.port).map_err(in_config)?);
        }
        if let Some(config) = action.authenticate_oidc_config.take() {
            let mut before = before.unwrap_or_default().iter();
            let before = before.find_map(|old| old.authenticate_oidc_config.as_ref());
            if let Some(error) = config.secret_error(before) {
                return Err(error.with_field("AuthenticateOidcConfig.ClientSecret"));
            }
            action.authenticate_oidc_config = Some(config.with_defaults());
        }
        action.authenticate_user_pool_config =
            action.authenticate_user_pool_config.map(AuthenticateUserPoolConfig::with_defaults);
        Ok(action)
    }

    fn normalize_forward(&self, cx: &Tx<'_>, action: Action) -> Result<Action> {
        if let (Some(one), Some(config)) = (&action.target_group_arn, &action.forward_config)
            && config.arns().any(|arn| arn != one)
        {
            return Err(errors::forward_groups_differ().with_field("ForwardConfig"));
        }
        let action = action.with_forward_defaults();
        let arns: Vec<_> = action.group_arns().cloned().collect();
        let refuse = |error: Error| Err(error.with_field("ForwardConfig.TargetGroups"));
        if arns.is_empty() {
            return refuse(errors::action_field_missing("forward", "TargetGroupArn"));
        }
        if arns.len() > limits::MAX_GROUPS_PER_ACTION {
            let error = errors::too_many_forward_groups(limits::MAX_GROUPS_PER_ACTION);
            return refuse(error.with_hint(format!("got {}", arns.len())));
        }
        for (n, arn) in arns.iter().enumerate() {
            if arns[..n].contains(arn) {
                return refuse(errors::forward_group_repeated(arn));
            }
            self.check_group(&TargetGroup::require(cx, arn, "TargetGroupArn")?)?;
        }
        Ok(action)
    }

    /// Refuses a target group that the listener cannot forward to.
    fn check_group(&self, group: &TargetGroup) -> Result<()> {
        let (arn, balancer_type) = (group.own_arn(), self.balancer.own_type());
        if group.is_function() {
            return match balancer_type {
                LoadBalancerType::Application => Ok(()),
                other => Err(errors::function_targets_unsupported(wire_name(&other))),
            };
        }
        let protocol = group.protocol.as_ref();
        if !protocol.is_some_and(|protocol| self.protocol.target_protocols().contains(protocol)) {
            let hint = format!("listener {}, target group {}", self.protocol.name(), group.protocol_name());
            return Err(errors::protocols_incompatible(arn).with_hint(hint));
        }
        let to_balancer = group.target_type == Some(TargetType::Alb);
        if to_balancer && !matches!(self.protocol, Protocol::Tcp | Protocol::Tls) {
            return Err(errors::balancer_targets_unsupported(self.protocol.name()));
        }
        if group.protocol_version.as_deref() == Some("GRPC") && self.protocol != Protocol::Https {
            return Err(errors::grpc_without_https(self.protocol.name()));
        }
        if group.vpc_id != self.balancer.vpc_id {
            return Err(errors::group_in_other_vpc(arn, self.balancer.own_arn()));
        }
        Ok(())
    }
}
