//! Parameters that select the resources of a listing.

use super::{
    World, ask, create_balancer, create_http_group, create_listener, create_trust_store, fixed_response,
    groups,
};
use nephos_core::{Result, Text, prelude::*};
use nephos_elbv2::{
    DescribeListeners, DescribeLoadBalancers, DescribeRules, DescribeSSLPolicies, DescribeTargetGroups,
    DescribeTargetHealth, DescribeTrustStores, TargetDescription, errors,
};

pub(super) fn empty_lists_select_nothing(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    let group = create_http_group(world, "web")?;
    groups(&session).register(group.require_arn()?, ["172.31.0.10"]).wait()?;
    let health = DescribeTargetHealth::new(group.require_arn()?).targets(Vec::<TargetDescription>::new());
    assert_eq!(ask(&session, health)?.target_health_descriptions().unwrap().len(), 1);
    let twice = DescribeTargetHealth::new(group.require_arn()?).targets(vec!["172.31.0.10".into(); 2]);
    assert_eq!(ask(&session, twice)?.target_health_descriptions().unwrap().len(), 1);
    create_trust_store(world, "web")?;
    let none = Vec::<Text>::new;
    let all = ask(&session, DescribeLoadBalancers::new().load_balancer_arns(none()).names(none()))?;
    assert_eq!(all.load_balancers().unwrap().len(), 1);
    let all = ask(&session, DescribeTargetGroups::new().target_group_arns(none()).names(none()))?;
    assert_eq!(all.target_groups().unwrap().len(), 1);
    let by_name = DescribeTargetGroups::new().target_group_arns(none()).names(["web"]);
    assert_eq!(ask(&session, by_name)?.target_groups().unwrap().len(), 1);
    let all = ask(&session, DescribeTrustStores::new().trust_store_arns(none()).names(none()))?;
    assert_eq!(all.trust_stores().unwrap().len(), 1);
    assert!(ask(&session, DescribeSSLPolicies::new().names(none()))?.ssl_policies().unwrap().len() > 20);

    let of_balancer = DescribeListeners::new().load_balancer_arn(web.require_arn()?).listener_arns(none());
    assert_eq!(ask(&session, of_balancer)?.listeners().unwrap().len(), 1);
    let error = world.refused(&errors::INVALID, "LoadBalancerArn", || {
        ask(&session, DescribeListeners::new().listener_arns(none()))
    });
    assert_eq!(error.message(), "You must specify either listener ARNs or a load balancer ARN");
    let of_listener = DescribeRules::new().listener_arn(port.require_arn()?).rule_arns(none());
    assert_eq!(ask(&session, of_listener)?.rules().unwrap().len(), 1);
    let error = world
        .refused(&errors::INVALID, "ListenerArn", || ask(&session, DescribeRules::new().rule_arns(none())));
    assert_eq!(error.message(), "You must specify either listener rule ARNs or a listener ARN");
    let both = DescribeRules::new().listener_arn(port.require_arn()?).rule_arns([port.require_arn()?]);
    let error = world.refused(&errors::INVALID, "RuleArns", || ask(&session, both));
    assert_eq!(error.message(), "Listener rule ARNs and a listener ARN cannot be specified at the same time");
    Ok(())
}
