//! Actions: validation, combination and defaults.

use super::{
    World, ask, create_balancer, create_function_group, create_group, create_http_group, create_listener,
    fixed_response, forward_to, group_builder, listeners,
    listeners::{CERTIFICATE, certificate},
    network,
};
use nephos_core::{Result, Session, prelude::*};
use nephos_elbv2::{
    Action, ActionType, AuthenticateOidcConfig, AuthenticateUserPoolConfig, ClaimFormat, CreateListener,
    FixedResponseConfig, ForwardConfig, JwtAdditionalClaim, JwtValidationConfig, ModifyListener,
    OnUnauthenticatedRequest, Protocol, RedirectConfig, RedirectStatusCode, TargetGroupStickinessConfig,
    TargetGroupTuple, errors,
};

fn action_of_type(action_type: ActionType) -> Action {
    Action::builder().r#type(action_type).build().unwrap()
}

fn with_order(mut action: Action, order: i64) -> Action {
    action.set_order(order).unwrap();
    action
}

pub(super) fn oidc_config() -> AuthenticateOidcConfig {
    AuthenticateOidcConfig::builder()
        .issuer("https://id.example.com")
        .authorization_endpoint("https://id.example.com/authorize")
        .token_endpoint("https://id.example.com/token")
        .user_info_endpoint("https://id.example.com/me")
        .client_id("web")
        .client_secret("keep this to yourself")
        .build()
        .unwrap()
}

fn authenticate_action(config: AuthenticateOidcConfig) -> Action {
    Action::builder()
        .r#type(ActionType::AuthenticateOidc)
        .authenticate_oidc_config(config)
        .order(1)
        .build()
        .unwrap()
}

fn redirect_action(config: RedirectConfig) -> Action {
    Action::builder().r#type(ActionType::Redirect).redirect_config(config).build().unwrap()
}

fn redirect_config(status: RedirectStatusCode) -> nephos_elbv2::RedirectConfigBuilder {
    RedirectConfig::builder().status_code(status)
}

/// Creates a listener with these actions.
fn create_listener_with(
    session: &Session,
    arn: &str,
    protocol: Protocol,
    actions: Vec<Action>,
) -> Result<()> {
    let secure = protocol == Protocol::Https;
    let create = CreateListener::new(arn, actions).port(if secure { 443 } else { 80 }).protocol(protocol);
    let create = if secure { create.certificates([certificate(CERTIFICATE)]) } else { create };
    ask(session, create).map(drop)
}

pub(super) fn last_action_must_forward_redirect_or_respond(world: &World) -> Result<()> {
    let session = world.session();
    let (web, group) = (create_balancer(world, "web")?, create_http_group(world, "web")?);
    let arn = web.require_arn()?;
    let refuse = |actions: Vec<Action>| {
        world.refused(&errors::INVALID_ACTION, "DefaultActions", || {
            create_listener_with(&session, arn, Protocol::Https, actions)
        })
    };
    refuse(vec![with_order(forward_to(&group), 1), with_order(fixed_response("404"), 2)]);
    refuse(vec![authenticate_action(oidc_config())]);
    refuse(vec![with_order(fixed_response("404"), 1), with_order(authenticate_action(oidc_config()), 2)]);
    let token =
        JwtValidationConfig::builder().jwks_endpoint("https://id.example.com/keys").issuer("id").build()?;
    let token =
        Action::builder().r#type(ActionType::JwtValidation).jwt_validation_config(token).order(2).build()?;
    refuse(vec![authenticate_action(oidc_config()), token.clone(), with_order(fixed_response("404"), 3)]);
    let many: Vec<_> = (1..7).map(|n| with_order(fixed_response("404"), n)).collect();
    world.refused(&errors::TOO_MANY_ACTIONS, "DefaultActions", || {
        create_listener_with(&session, arn, Protocol::Https, many)
    });
    world.refused(&errors::INVALID, "DefaultActions", || {
        create_listener_with(&session, arn, Protocol::Https, Vec::new())
    });
    create_listener_with(&session, arn, Protocol::Https, vec![token, with_order(fixed_response("404"), 3)])
}

pub(super) fn several_actions_require_distinct_orders(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let arn = web.require_arn()?;
    let refuse = |field: &str, actions: Vec<Action>| {
        world.refused(&errors::INVALID_ACTION, field, || {
            create_listener_with(&session, arn, Protocol::Https, actions)
        })
    };
    refuse("DefaultActions[1].Order", vec![authenticate_action(oidc_config()), fixed_response("404")]);
    refuse(
        "DefaultActions[1].Order",
        vec![authenticate_action(oidc_config()), with_order(fixed_response("404"), 1)],
    );
    for order in [0, 50001] {
        assert!(Action::builder().r#type(ActionType::Forward).order(order).build().is_err());
    }
    create_listener_with(
        &session,
        arn,
        Protocol::Https,
        vec![with_order(fixed_response("404"), 9), authenticate_action(oidc_config())],
    )?;
    let found = listeners(&session).list().load_balancer_arn(arn).results().first().wait()?.unwrap();
    let orders: Vec<_> = found.default_actions().unwrap().iter().map(Action::order).collect();
    assert_eq!(orders, [Some(1), Some(9)], "returned in order of execution");
    Ok(())
}

pub(super) fn authentication_requires_an_https_listener(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let pool = AuthenticateUserPoolConfig::builder()
        .user_pool_arn("arn:aws:cognito-idp:us-east-1:123456789012:userpool/us-east-1_one")
        .user_pool_client_id("web")
        .user_pool_domain("id")
        .build()?;
    let pool = Action::builder()
        .r#type(ActionType::AuthenticateUserpool)
        .authenticate_user_pool_config(pool)
        .order(1)
        .build()?;
    let actions = vec![pool, with_order(fixed_response("404"), 2)];
    world.refused(&errors::INVALID_ACTION, "DefaultActions", || {
        create_listener_with(&session, web.require_arn().unwrap(), Protocol::Http, actions.clone())
    });
    create_listener_with(&session, web.require_arn()?, Protocol::Https, actions)?;
    let found =
        listeners(&session).list().load_balancer_arn(web.require_arn()?).results().first().wait()?.unwrap();
    let returned = &found.default_actions().unwrap()[0];
    assert_eq!(returned.r#type(), Some(&ActionType::AuthenticateUserpool));
    let returned = returned.authenticate_user_pool_config().unwrap();
    assert_eq!((returned.scope(), returned.session_timeout()), (Some("openid"), Some(604_800)));
    assert_eq!(returned.on_unauthenticated_request(), Some(&OnUnauthenticatedRequest::Authenticate));
    world.refused(&errors::INVALID_ACTION, "DefaultActions", || {
        ask(&session, ModifyListener::new(found.require_arn().unwrap()).protocol(Protocol::Http))
    });
    Ok(())
}

pub(super) fn oidc_client_secret_is_not_returned(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let (arn, last) = (web.require_arn()?, with_order(fixed_response("404"), 2));
    let without = || {
        let mut config = oidc_config();
        config.set_client_secret(None::<nephos_core::Secret>).unwrap();
        config
    };
    let existing = || {
        let mut config = without();
        config.set_use_existing_client_secret(true).unwrap();
        config
    };
    let both = {
        let mut config = oidc_config();
        config.set_use_existing_client_secret(true)?;
        config
    };
    let field = "DefaultActions[0].AuthenticateOidcConfig.ClientSecret";
    for wrong in [without(), existing(), both] {
        let actions = vec![authenticate_action(wrong), last.clone()];
        world.refused(&errors::INVALID_ACTION, field, || {
            create_listener_with(&session, arn, Protocol::Https, actions)
        });
    }
    create_listener_with(
        &session,
        arn,
        Protocol::Https,
        vec![authenticate_action(oidc_config()), last.clone()],
    )?;
    let found = listeners(&session).list().load_balancer_arn(arn).results().first().wait()?.unwrap();
    let returned = found.default_actions().unwrap()[0].authenticate_oidc_config().unwrap();
    assert_eq!((returned.client_id(), returned.client_secret().is_none()), (Some("web"), true));
    let state = world.state()?;
    let stored = state.iter().any(|(_, row)| String::from_utf8_lossy(row).contains("keep this to yourself"));
    assert!(!stored, "the secret is not stored");
    let modify = |config| {
        ModifyListener::new(found.require_arn().unwrap())
            .default_actions([authenticate_action(config), last.clone()])
    };
    ask(&session, modify(existing()))?;
    world.refused(&errors::INVALID_ACTION, field, || ask(&session, modify(without())));
    let mut other = existing();
    other.set_client_id("another")?;
    world.refused(&errors::INVALID_ACTION, field, || ask(&session, modify(other)));
    Ok(())
}

pub(super) fn config_of_another_action_type_is_refused(world: &World) -> Result<()> {
    let session = world.session();
    let (web, group) = (create_balancer(world, "web")?, create_http_group(world, "web")?);
    let refuse = |field: &str, action: Action| {
        let field = format!("DefaultActions[0].{field}");
        world.refused(&errors::INVALID_ACTION, field.as_str(), || {
            create_listener_with(&session, web.require_arn().unwrap(), Protocol::Http, vec![action])
        })
    };
    let mut mixed = fixed_response("404");
    mixed.set_target_group_arn(group.require_arn()?)?;
    refuse("TargetGroupArn", mixed);
    let mut mixed = forward_to(&group);
    mixed.set_redirect_config(redirect_config(RedirectStatusCode::Http301).build()?)?;
    refuse("RedirectConfig", mixed);
    refuse("FixedResponseConfig", action_of_type(ActionType::FixedResponse));
    refuse("RedirectConfig", action_of_type(ActionType::Redirect));
    refuse("ForwardConfig.TargetGroups", action_of_type(ActionType::Forward));
    assert!(Action::builder().build().is_err(), "the type is required");
    Ok(())
}

pub(super) fn invalid_action_configs_are_refused(_world: &World) -> Result<()> {
    for code in ["200", "404", "599"] {
        FixedResponseConfig::builder().status_code(code).build()?;
    }
    for code in ["", "100", "301", "20", "2000", "2xx"] {
        assert!(FixedResponseConfig::builder().status_code(code).build().is_err(), "{code}");
    }
    let response = || FixedResponseConfig::builder().status_code("200");
    assert!(response().message_body("x".repeat(1025)).build().is_err());
    assert!(response().content_type("text/xml").build().is_err());
    response().message_body("x".repeat(1024)).content_type("application/json").build()?;

    let redirect = || redirect_config(RedirectStatusCode::Http302);
    assert!(RedirectConfig::builder().host("x").build().is_err(), "the status code is required");
    for (wrong, field) in [
        (redirect().protocol("FTP"), "Protocol"),
        (redirect().port("a"), "Port"),
        (redirect().path("no-slash"), "Path"),
        (redirect().host(""), "Host"),
        (redirect().host("x".repeat(129)), "Host"),
        (redirect().query("?a=b"), "Query"),
    ] {
        assert_eq!(wrong.build().unwrap_err().field(), Some(field));
    }
    redirect()
        .protocol("#{protocol}")
        .port("#{port}")
        .path("/#{path}")
        .query("#{query}")
        .host("#{host}")
        .build()?;

    let claim = |format, name: &str, value: &str| {
        JwtAdditionalClaim::builder().format(format).name(name).values([value]).build()
    };
    for own in ["exp", "iss", "nbf", "iat"] {
        assert_eq!(claim(ClaimFormat::SingleString, own, "x").unwrap_err().field(), Some("Name"));
    }
    assert!(claim(ClaimFormat::SpaceSeparatedValues, "scope", "a b").is_err());
    let good = claim(ClaimFormat::SingleString, "scope", "a b")?;
    let validate = || JwtValidationConfig::builder().jwks_endpoint("https://x/keys").issuer("x");
    assert!(validate().jwks_endpoint("http://x/keys").build().is_err());
    assert!(validate().additional_claims(vec![good.clone(); 11]).build().is_err());
    validate().additional_claims([good]).build()?;

    let mut config = oidc_config();
    assert!(config.set_session_timeout(604_801).is_err() && config.set_issuer("http://x").is_err());
    let many: Vec<_> = (0..11).map(|n| (n.to_string().into(), "x".into())).collect();
    assert!(
        config
            .set_authentication_request_extra_params(many.into_iter().collect::<nephos_core::Map<_>>())
            .is_err()
    );
    assert!(
        TargetGroupStickinessConfig::builder().enabled(true).build().is_err(),
        "the duration is required"
    );
    assert!(TargetGroupTuple::builder().target_group_arn("x").weight(1000).build().is_err());
    Ok(())
}

pub(super) fn redirect_loop_is_refused(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let try_create = |protocol, config| {
        create_listener_with(&session, web.require_arn().unwrap(), protocol, vec![redirect_action(config)])
    };
    let field = "DefaultActions[0].RedirectConfig";
    let config = || redirect_config(RedirectStatusCode::Http301);
    for builder in [
        config(),
        config().port("80"),
        config().protocol("HTTP").query("a=b"),
        config().host("#{host}").path("/#{path}"),
    ] {
        let config = builder.build()?;
        world.refused(&errors::INVALID_ACTION, field, || try_create(Protocol::Http, config));
    }
    for (builder, part) in [
        (config().host("#{hostname}"), "Host"),
        (config().path("/#{}"), "Path"),
        (config().port("70000"), "Port"),
    ] {
        let (config, field) = (builder.build()?, format!("{field}.{part}"));
        world.refused(&errors::INVALID_ACTION, field.as_str(), || try_create(Protocol::Http, config));
    }
    let down = config().protocol("HTTP").host("x").build()?;
    world.refused(&errors::INVALID_ACTION, format!("{field}.Protocol").as_str(), || {
        try_create(Protocol::Https, down)
    });
    try_create(Protocol::Http, config().protocol("HTTPS").port("443").build()?)?;
    let found =
        listeners(&session).list().load_balancer_arn(web.require_arn()?).results().first().wait()?.unwrap();
    let returned = found.default_actions().unwrap()[0].redirect_config().unwrap();
    assert_eq!(
        (returned.host(), returned.path(), returned.query()),
        (Some("#{host}"), Some("/#{path}"), Some("#{query}"))
    );
    Ok(())
}

pub(super) fn forward_to_weighted_target_groups(world: &World) -> Result<()> {
    let session = world.session();
    let (web, a, b) =
        (create_balancer(world, "web")?, create_http_group(world, "a")?, create_http_group(world, "b")?);
    let tuple = |arn: &str, weight: Option<i64>| {
        TargetGroupTuple::builder().target_group_arn(arn).weight(weight).build()
    };
    let share = |tuples: Vec<TargetGroupTuple>| {
        let config = ForwardConfig::builder().target_groups(tuples).build().unwrap();
        Action::builder().r#type(ActionType::Forward).forward_config(config).build().unwrap()
    };
    let both = share(vec![tuple(a.require_arn()?, Some(9))?, tuple(b.require_arn()?, None)?]);
    let mut wrong = both.clone();
    wrong.set_target_group_arn(a.require_arn()?)?;
    let refuse = |field: &str, action: Action| {
        let field = format!("DefaultActions[0].{field}");
        world.refused(&errors::INVALID_ACTION, field.as_str(), || create_listener(world, &web, 80, action))
    };
    refuse("ForwardConfig", wrong);
    refuse(
        "ForwardConfig.TargetGroups",
        share(vec![tuple(a.require_arn()?, None)?, tuple(a.require_arn()?, None)?]),
    );
    refuse("ForwardConfig.TargetGroups", share(vec![tuple(a.require_arn()?, None)?; 6]));
    let created = create_listener(world, &web, 80, both)?;
    let found = listeners(&session).get(created.require_arn()?).wait()?.unwrap();
    let action = &found.default_actions().unwrap()[0];
    assert_eq!(action.target_group_arn(), None, "absent for two target groups");
    let returned: Vec<_> = action
        .forward_config()
        .unwrap()
        .target_groups()
        .unwrap()
        .iter()
        .map(|tuple| tuple.weight())
        .collect();
    assert_eq!(returned, [Some(9), Some(1)]);
    let stickiness = action.forward_config().unwrap().target_group_stickiness_config().unwrap();
    assert_eq!(stickiness.enabled(), Some(false));
    let same = share(vec![tuple(a.require_arn()?, None)?]);
    let mut same_twice = same.clone();
    same_twice.set_target_group_arn(a.require_arn()?)?;
    assert_eq!(
        create_listener(world, &web, 81, same_twice)?.default_actions().unwrap()[0].target_group_arn(),
        Some(a.require_arn()?)
    );
    Ok(())
}

pub(super) fn target_group_has_at_most_one_load_balancer(world: &World) -> Result<()> {
    let (one, two, shared) =
        (create_balancer(world, "one")?, create_balancer(world, "two")?, create_http_group(world, "web")?);
    let first = create_listener(world, &one, 80, forward_to(&shared))?;
    create_listener(world, &one, 81, forward_to(&shared))?;
    world.refused(&errors::ASSOCIATION_LIMIT, None, || create_listener(world, &two, 80, forward_to(&shared)));
    first.delete().wait()?;
    world.refused(&errors::ASSOCIATION_LIMIT, None, || create_listener(world, &two, 80, forward_to(&shared)));
    one.delete().wait()?;
    create_listener(world, &two, 80, forward_to(&shared))?;
    world.refused(&errors::IN_USE, None, || shared.delete().wait());
    Ok(())
}

pub(super) fn incompatible_target_group_protocol_is_refused(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let web = create_balancer(world, "web")?;
    let tcp = create_group(world, &group_builder(&net, "tcp").protocol(Protocol::Tcp).port(25).build()?)?;
    let grpc = create_group(world, &group_builder(&net, "grpc").protocol_version("GRPC").build()?)?;
    let missing = forward_to(&tcp).target_group_arn().unwrap().replace("/tcp/", "/gone/");
    let missing = Action::builder().r#type(ActionType::Forward).target_group_arn(missing).build()?;
    let field = "DefaultActions[0]";
    world.refused(&errors::INCOMPATIBLE_PROTOCOLS, field, || {
        create_listener(world, &web, 80, forward_to(&tcp))
    });
    let error =
        world.refused(&errors::INVALID_ACTION, field, || create_listener(world, &web, 80, forward_to(&grpc)));
    assert_eq!(
        error.message(),
        "Listener protocol 'HTTP' is not supported with a target group with the protocol-version 'GRPC'"
    );
    world.refused(&errors::TARGET_GROUP_NOT_FOUND, field, || create_listener(world, &web, 80, missing));
    create_listener_with(&session, web.require_arn()?, Protocol::Https, vec![forward_to(&grpc)])?;
    create_listener(world, &web, 80, forward_to(&create_function_group(world, "fn")?))?;
    Ok(())
}
