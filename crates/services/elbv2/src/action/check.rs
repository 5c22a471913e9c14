//! How actions go together, and with what they are attached to.

use super::{Action, ActionType};
use crate::{
    LoadBalancer, LoadBalancerType, TargetGroup, TargetType, errors, limits, names::invalid,
    protocol::Protocol, routes, target_group,
};
use nephos_cloud::{StoredResource, Tx};
use nephos_core::{Code, Error, Result};

/// Where actions are done.
pub(crate) struct Place<'a> {
    pub(crate) balancer: &'a LoadBalancer,
    pub(crate) protocol: &'a Protocol,
    pub(crate) port: Option<i64>,
    /// The parameter that they are given as.
    pub(crate) field: &'a str,
}

/// The actions in the order in which they are done, with everything that was not said, if they go together; `before` is
/// what was done until now.
pub(crate) fn settled(
    cx: &Tx<'_>,
    place: &Place<'_>,
    actions: &[Action],
    before: Option<&[Action]>,
) -> Result<Vec<Action>> {
    let ordered = ordered(actions, place.field)?;
    check_composition(place, &ordered)?;
    let mut settled = Vec::with_capacity(ordered.len());
    for (n, action) in ordered {
        let within = |error: Error| error.within(&format!("{}[{n}]", place.field));
        settled.push(place.settled(cx, action, before).map_err(within)?);
    }
    routes::check(cx, place.balancer, &super::groups(before), &super::groups(Some(&settled)))?;
    Ok(settled)
}

fn refused(code: &'static Code, field: impl Into<String>, why: impl Into<String>) -> Error {
    code.because(why).with_field(field)
}

/// The actions in order, each with the number that the caller gave it in.
fn ordered(actions: &[Action], field: &str) -> Result<Vec<(usize, Action)>> {
    if actions.is_empty() {
        return Err(invalid(field, "one action at least is required"));
    }
    if actions.len() > limits::ACTIONS {
        let why = format!("{} actions are more than the {} of a rule", actions.len(), limits::ACTIONS);
        return Err(refused(&errors::TOO_MANY_ACTIONS, field, why));
    }
    let mut numbered: Vec<_> = actions.iter().cloned().enumerate().collect();
    if let [(_, only)] = numbered.as_mut_slice() {
        only.order.get_or_insert(1);
        return Ok(numbered);
    }
    for (n, (_, action)) in numbered.iter().enumerate() {
        let at = || format!("{field}[{n}].Order");
        let Some(order) = action.order else {
            return Err(refused(
                &errors::INVALID_ACTION,
                at(),
                "is required where there are several actions",
            ));
        };
        if numbered[..n].iter().any(|(_, other)| other.order == Some(order)) {
            return Err(refused(
                &errors::INVALID_ACTION,
                at(),
                format!("{order} is the order of two actions"),
            ));
        }
    }
    numbered.sort_by_key(|(_, action)| action.order);
    Ok(numbered)
}

fn is_routing(of: &ActionType) -> bool {
    matches!(of, ActionType::Forward | ActionType::Redirect | ActionType::FixedResponse)
}

/// Exactly one action answers, and does so last; on HTTPS, one that says who asks may come before it.
fn check_composition(place: &Place<'_>, ordered: &[(usize, Action)]) -> Result<()> {
    let refuse = |why: &str| Err(refused(&errors::INVALID_ACTION, place.field, why));
    let types: Vec<_> = ordered.iter().filter_map(|(_, action)| action.r#type.as_ref()).collect();
    if place.balancer.own_type() != LoadBalancerType::Application && types != [&ActionType::Forward] {
        return refuse("only application balancers do anything else than forward");
    }
    match types.iter().filter(|of| is_routing(of)).count() {
        1 => {}
        0 => return refuse("one action has to be forward, redirect or fixed-response"),
        _ => return refuse("only one action can be forward, redirect or fixed-response"),
    }
    if !types.last().is_some_and(|last| is_routing(last)) {
        return refuse("forward, redirect or fixed-response has to be done last");
    }
    let asking = types.len() - 1;
    if asking > 1 {
        return refuse("only one action can be authenticate-oidc, authenticate-userpool or jwt-validation");
    }
    if asking == 1 && *place.protocol != Protocol::Https {
        return refuse("only HTTPS listeners say who asks");
    }
    Ok(())
}

impl Place<'_> {
    /// One action with everything that was not said.
    fn settled(&self, cx: &Tx<'_>, mut action: Action, before: Option<&[Action]>) -> Result<Action> {
        let of = action.r#type.clone().unwrap_or(ActionType::Forward);
        check_configs(&action, &of)?;
        let needed =
            |field: &str| refused(&errors::INVALID_ACTION, field, "is required for an action of this type");
        match of {
            ActionType::Forward => return self.forward(cx, action),
            ActionType::Redirect => {
                let config = action.redirect_config.take().ok_or_else(|| needed("RedirectConfig"))?;
                let config =
                    config.settled(self.protocol, self.port).map_err(|error| match error.field() {
                        Some(_) => error.within("RedirectConfig"),
                        None => error.with_field("RedirectConfig"),
                    })?;
                action.redirect_config = Some(config);
            }
            ActionType::FixedResponse if action.fixed_response_config.is_none() => {
                return Err(needed("FixedResponseConfig"));
            }
            ActionType::AuthenticateOidc => {
                const CONFIG: &str = "AuthenticateOidcConfig";
                let config = action.authenticate_oidc_config.take().ok_or_else(|| needed(CONFIG))?;
                let before =
                    before.unwrap_or_default().iter().find_map(|old| old.authenticate_oidc_config.as_ref());
                if let Some(why) = config.secret_refused(before) {
                    return Err(refused(&errors::INVALID_ACTION, format!("{CONFIG}.ClientSecret"), why));
                }
                action.authenticate_oidc_config = Some(config.settled());
            }
            ActionType::AuthenticateUserpool => {
                let config = action.authenticate_user_pool_config.take();
                let config = config.ok_or_else(|| needed("AuthenticateUserPoolConfig"))?;
                action.authenticate_user_pool_config = Some(config.settled());
            }
            ActionType::JwtValidation if action.jwt_validation_config.is_none() => {
                return Err(needed("JwtValidationConfig"));
            }
            _ => {}
        }
        Ok(action)
    }

    fn forward(&self, cx: &Tx<'_>, action: Action) -> Result<Action> {
        if let (Some(one), Some(config)) = (&action.target_group_arn, &action.forward_config)
            && config.arns().any(|arn| arn != one)
        {
            let why = "leads elsewhere than TargetGroupArn; give one of the two";
            return Err(refused(&errors::INVALID_ACTION, "ForwardConfig", why));
        }
        let action = action.forwarding();
        let arns: Vec<_> = action.group_arns().cloned().collect();
        let refuse = |why: String| Err(refused(&errors::INVALID_ACTION, "ForwardConfig.TargetGroups", why));
        if arns.is_empty() {
            return refuse("one target group at least is required".into());
        }
        if arns.len() > limits::GROUPS_PER_ACTION {
            return refuse(format!("an action leads to at most {} target groups", limits::GROUPS_PER_ACTION));
        }
        for (n, arn) in arns.iter().enumerate() {
            if arns[..n].contains(arn) {
                return refuse(format!("{arn} is given twice"));
            }
            let group = target_group::require(cx, arn, "TargetGroupArn")?;
            self.check_group(&group)?;
        }
        Ok(action)
    }

    /// Refuses a target group that the listener cannot lead to.
    fn check_group(&self, group: &TargetGroup) -> Result<()> {
        let name = group.own_name();
        let of = self.balancer.own_type();
        if group.is_function() {
            return if of == LoadBalancerType::Application {
                Ok(())
            } else {
                let why =
                    format!("target group {name} has a function, which only application balancers reach");
                Err(errors::INCOMPATIBLE_PROTOCOLS.because(why))
            };
        }
        let protocol = group.protocol.as_ref();
        if !protocol.is_some_and(|protocol| self.protocol.leads_to().contains(protocol)) {
            let theirs = protocol.map_or("none", Protocol::name);
            let why =
                format!("a {} listener does not lead to the {theirs} group {name}", self.protocol.name());
            return Err(errors::INCOMPATIBLE_PROTOCOLS.because(why));
        }
        if group.target_type == Some(TargetType::Alb)
            && *self.protocol != Protocol::Tcp
            && *self.protocol != Protocol::Tls
        {
            let why = format!("target group {name} has a balancer, which TCP and TLS listeners lead to");
            return Err(errors::INCOMPATIBLE_PROTOCOLS.because(why));
        }
        if group.protocol_version.as_deref() == Some("GRPC") && *self.protocol != Protocol::Https {
            let why = format!("target group {name} speaks gRPC, which only HTTPS listeners lead to");
            return Err(errors::INVALID_CONFIGURATION.because(why));
        }
        if group.vpc_id != self.balancer.vpc_id {
            let why = format!("target group {name} is in another network than the balancer");
            return Err(errors::INVALID_CONFIGURATION.because(why));
        }
        Ok(())
    }
}

/// Refuses what belongs to an action of another type.
fn check_configs(action: &Action, of: &ActionType) -> Result<()> {
    for (given, field, own) in [
        (action.target_group_arn.is_some(), "TargetGroupArn", ActionType::Forward),
        (action.forward_config.is_some(), "ForwardConfig", ActionType::Forward),
        (action.redirect_config.is_some(), "RedirectConfig", ActionType::Redirect),
        (action.fixed_response_config.is_some(), "FixedResponseConfig", ActionType::FixedResponse),
        (action.authenticate_oidc_config.is_some(), "AuthenticateOidcConfig", ActionType::AuthenticateOidc),
        (
            action.authenticate_user_pool_config.is_some(),
            "AuthenticateUserPoolConfig",
            ActionType::AuthenticateUserpool,
        ),
        (action.jwt_validation_config.is_some(), "JwtValidationConfig", ActionType::JwtValidation),
    ] {
        if given && own != *of {
            return Err(refused(&errors::INVALID_ACTION, field, "is not for an action of this type"));
        }
    }
    Ok(())
}

/// Refuses actions, settled before, that no longer go with where they are done.
pub(crate) fn check_again(place: &Place<'_>, actions: &[Action], cx: &Tx<'_>) -> Result<()> {
    let ordered: Vec<_> = actions.iter().cloned().enumerate().collect();
    check_composition(place, &ordered)?;
    for arn in actions.iter().flat_map(Action::group_arns) {
        place.check_group(&target_group::require(cx, arn, "TargetGroupArn")?)?;
    }
    for config in actions.iter().filter_map(|action| action.redirect_config.clone()) {
        config.settled(place.protocol, place.port)?;
    }
    Ok(())
}
