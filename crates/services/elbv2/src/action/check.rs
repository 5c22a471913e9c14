//! Validation of actions and their combination.

use super::{Action, ActionType, AuthenticateUserPoolConfig};
use crate::{
    Listener, LoadBalancer, LoadBalancerType, TargetGroup, TargetType, errors, limits,
    protocol::Protocol,
    routes,
    validation::{invalid, is_set},
};
use nephos_cloud::{ByArn, StoredResource, Tx};
use nephos_core::{Code, Error, Result};

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
        let refuse = |message: &str| Err(invalid_action(self.field, message));
        let types: Vec<_> = ordered.filter_map(|action| action.r#type.as_ref()).collect();
        if self.balancer.own_type() != LoadBalancerType::Application && types != [&ActionType::Forward] {
            return refuse(
                "listeners of network and gateway load balancers must have exactly one action, of type forward",
            );
        }
        match types.iter().filter(|action_type| is_routing(action_type)).count() {
            1 => {}
            0 => return refuse("one action must be of type forward, redirect or fixed-response"),
            _ => return refuse("only one action can be of type forward, redirect or fixed-response"),
        }
        if !types.last().is_some_and(|last| is_routing(last)) {
            return refuse("the last action must be of type forward, redirect or fixed-response");
        }
        let authenticating = types.len() - 1;
        if authenticating > 1 {
            let message =
                "only one action can be of type authenticate-oidc, authenticate-userpool or jwt-validation";
            return refuse(message);
        }
        if authenticating == 1 && self.protocol != Protocol::Https {
            return refuse(
                "authenticate-oidc, authenticate-userpool and jwt-validation are only allowed for HTTPS listeners",
            );
        }
        Ok(())
    }
}

pub(super) fn invalid_action(field: impl Into<String>, message: impl Into<String>) -> Error {
    errors::INVALID_ACTION.with_message(message).with_field(field)
}

/// Returns the actions sorted by order, each with its index in the parameter.
fn sort_actions(actions: &[Action], field: &str) -> Result<Vec<(usize, Action)>> {
    if actions.is_empty() {
        return Err(invalid(field, "at least one action is required"));
    }
    if actions.len() > limits::MAX_ACTIONS {
        let message =
            format!("a rule can have at most {} actions, got {}", limits::MAX_ACTIONS, actions.len());
        return Err(errors::TOO_MANY_ACTIONS.with_message(message).with_field(field));
    }
    let mut numbered: Vec<_> = actions.iter().cloned().enumerate().collect();
    if let [(_, only)] = numbered.as_mut_slice() {
        only.order.get_or_insert(1);
        return Ok(numbered);
    }
    for (n, (_, action)) in numbered.iter().enumerate() {
        let order_field = || format!("{field}[{n}].Order");
        let Some(order) = action.order else {
            return Err(invalid_action(order_field(), "is required if there is more than one action"));
        };
        if numbered[..n].iter().any(|(_, other)| other.order == Some(order)) {
            return Err(invalid_action(order_field(), format!("two actions have the order {order}")));
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
            return Err(invalid_action(*field, "is not allowed for an action of this type"));
        }
    }
    match CONFIGS.iter().find(|(_, own)| own == action_type && *action_type != ActionType::Forward) {
        Some((field, _)) if !is_set(action, field) => {
            Err(invalid_action(*field, "is required for an action of this type"))
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
            if let Some(message) = config.secret_error(before) {
                return Err(invalid_action("AuthenticateOidcConfig.ClientSecret", message));
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
            let message = "must name the same target group as TargetGroupArn";
            return Err(invalid_action("ForwardConfig", message));
        }
        let action = action.with_forward_defaults();
        let arns: Vec<_> = action.group_arns().cloned().collect();
        let refuse = |message: String| Err(invalid_action("ForwardConfig.TargetGroups", message));
        if arns.is_empty() {
            return refuse("at least one target group is required".into());
        }
        if arns.len() > limits::MAX_GROUPS_PER_ACTION {
            return refuse(format!(
                "an action can have at most {} target groups, got {}",
                limits::MAX_GROUPS_PER_ACTION,
                arns.len()
            ));
        }
        for (n, arn) in arns.iter().enumerate() {
            if arns[..n].contains(arn) {
                return refuse(format!("duplicate target group {arn}"));
            }
            self.check_group(&TargetGroup::require(cx, arn, "TargetGroupArn")?)?;
        }
        Ok(action)
    }

    /// Refuses a target group that the listener cannot forward to.
    fn check_group(&self, group: &TargetGroup) -> Result<()> {
        let name = group.own_name();
        let refuse = |code: &'static Code, message: &str| {
            Err(code.with_message(format!("target group {name} {message}")))
        };
        if group.is_function() {
            if self.balancer.own_type() != LoadBalancerType::Application {
                let message = "is of type function, which only application load balancers support";
                return refuse(&errors::INCOMPATIBLE_PROTOCOLS, message);
            }
            return Ok(());
        }
        let protocol = group.protocol.as_ref();
        if !protocol.is_some_and(|protocol| self.protocol.target_protocols().contains(protocol)) {
            let group_protocol = protocol.map_or("none", Protocol::name);
            let message = format!(
                "a listener with protocol {} cannot forward to target group {name} with protocol {group_protocol}",
                self.protocol.name()
            );
            return Err(errors::INCOMPATIBLE_PROTOCOLS.with_message(message));
        }
        let to_balancer = group.target_type == Some(TargetType::Alb);
        if to_balancer && !matches!(self.protocol, Protocol::Tcp | Protocol::Tls) {
            let message = "is of type alb, which only TCP and TLS listeners support";
            return refuse(&errors::INCOMPATIBLE_PROTOCOLS, message);
        }
        if group.protocol_version.as_deref() == Some("GRPC") && self.protocol != Protocol::Https {
            let message = "has protocol version GRPC, which only HTTPS listeners support";
            return refuse(&errors::INVALID_CONFIGURATION, message);
        }
        if group.vpc_id != self.balancer.vpc_id {
            return refuse(&errors::INVALID_CONFIGURATION, "is not in the VPC of the load balancer");
        }
        Ok(())
    }
}
