//! A load balancer with a listener, a rule and targets, and what its relations lead to.
//!
//! `cargo run -p nephos-examples --example load_balancer`

use nephos::{
    Cloud, Listener, LoadBalancer, Result, Rule, Subnet, TargetGroup,
    prelude::*,
    services::elbv2::{Action, Condition, FixedResponseConfig, ForwardConfig, TargetGroupTuple},
};

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    let session = Cloud::in_memory().session();
    let subnets = Subnet::objects(&session).list().results().all().wait()?;
    let subnet_ids: Vec<&str> = subnets.iter().filter_map(Subnet::subnet_id).take(2).collect();

    // Text is enough for an enum: "HTTP" is checked against the known protocols.
    let api = TargetGroup::builder().target_group_name("api").protocol("HTTP").port(8080).target_type("ip");
    let api = api.vpc_id(subnets[0].vpc_id()).build()?;
    let api = TargetGroup::objects(&session).create(&api, "api").one().wait()?;
    TargetGroup::objects(&session).register(api.require_arn()?, ["172.31.0.10", "172.31.0.11"]).wait()?;

    let web = LoadBalancer::builder().load_balancer_name("web").subnets(subnet_ids.as_slice()).build()?;
    let web = LoadBalancer::objects(&session).create(&web).one().wait()?;

    let not_found = FixedResponseConfig::builder().status_code("404").build()?;
    let not_found = Action::builder().r#type("fixed-response").fixed_response_config(not_found).build()?;
    let listener = Listener::builder().load_balancer_arn(web.require_arn()?).protocol("HTTP").port(80);
    let listener = listener.default_actions([not_found]).build()?;
    let listener = Listener::objects(&session).create(&listener).one().wait()?;

    let to_api = TargetGroupTuple::builder().target_group_arn(api.require_arn()?).weight(1).build()?;
    let to_api = ForwardConfig::builder().target_groups([to_api]).build()?;
    let forward = Action::builder().r#type("forward").forward_config(to_api).build()?;
    let path = Condition::builder().field("path-pattern").values(["/api/*"]).build()?;
    let rule = Rule::builder().priority("10").conditions([path]).actions([forward]).build()?;
    Rule::objects(&session).create(&rule, listener.require_arn()?).wait()?;

    // Relations: `.await` in async code, `.wait()` elsewhere; each is looked up once.
    println!(
        "{} in {:?}",
        web.require_name()?,
        web.vpc().wait()?.and_then(|vpc| vpc.vpc_id().map(str::to_owned))
    );
    for listener in web.listeners().wait()?.iter() {
        println!("  port {:?}, {} rules", listener.port(), listener.rules().wait()?.len());
    }
    for target in api.targets().wait()? {
        let state = target.target_health().and_then(|health| health.state());
        println!(
            "  target {:?}: {}",
            target.target().and_then(|target| target.id()),
            state.expect("it has a state")
        );
    }
    Ok(())
}
