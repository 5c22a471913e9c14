//! The view `map`: the routing of a load balancer as a graph.

use crate::{Action, Listener, LoadBalancer, Protocol, Rule, TargetGroup, TargetHealthState, errors};
use nephos_core::{
    Resource, Result, Session,
    field_value::FieldValue,
    view::{Graph, View, ViewForm},
};
use std::collections::{BTreeMap, HashMap};

/// The view `map`.
pub(crate) const MAP: View = View {
    kind: LoadBalancer::KIND,
    name: "map",
    docs: "Draws the routing of a load balancer: listeners, rules, actions, target groups",
    subject: "Name or ARN of the load balancer",
    form: ViewForm::Graph(|session, name| Box::pin(draw(session, name))),
};

async fn draw(session: &Session, name: &str) -> Result<Graph> {
    let get = LoadBalancer::objects(session).get();
    let get = if name.starts_with("arn:") { get.load_balancer_arn(name) } else { get.name(name) };
    let Some(balancer) = get.await? else {
        return Err(
            errors::LOAD_BALANCER_NOT_FOUND.with_message(format!("load balancer {name} does not exist"))
        );
    };
    let arn = balancer.require_arn()?;
    let state = balancer.state().and_then(|state| state.code());
    let details = [enum_name(balancer.r#type()), enum_name(state), balancer.dns_name()];
    let details: Vec<_> = details.into_iter().flatten().collect();
    let mut graph = Graph::default();
    let root = graph.add(balancer.require_name()?, details.join("  "));
    let mut groups = HashMap::new();
    for group in TargetGroup::objects(session).list().load_balancer_arn(arn).results().all().await? {
        groups.insert(group.require_arn()?.to_owned(), add_group(&mut graph, session, &group).await?);
    }
    for listener in Listener::objects(session).list().load_balancer_arn(arn).results().all().await? {
        let node = graph.add(protocol_and_port(listener.protocol(), listener.port(), "all traffic"), "");
        graph.connect(root, node, "");
        for rule in
            Rule::objects(session).list().listener_arn(listener.require_arn()?).results().all().await?
        {
            add_rule(&mut graph, node, &rule, &mut groups);
        }
    }
    Ok(graph)
}

/// Returns the name of a value of an enum.
fn enum_name(value: Option<&impl FieldValue>) -> Option<&str> {
    value.and_then(|value| value.view().as_text())
}

fn protocol_and_port(protocol: Option<&Protocol>, port: Option<i64>, otherwise: &str) -> String {
    match (enum_name(protocol), port) {
        (Some(protocol), Some(port)) => format!("{protocol} :{port}"),
        _ => otherwise.to_owned(),
    }
}

fn add_rule(graph: &mut Graph, listener: usize, rule: &Rule, groups: &mut HashMap<String, usize>) {
    let conditions: Vec<_> = rule.conditions().unwrap_or_default().iter().map(ToString::to_string).collect();
    let node = graph.add(rule.priority().unwrap_or_default(), conditions.join(", "));
    graph.connect(listener, node, "");
    for action in rule.actions().unwrap_or_default() {
        let step = graph.add(action.to_string(), "");
        graph.connect(node, step, "");
        let shares = shares(action);
        for (arn, share) in &shares {
            let label = if shares.len() > 1 { format!("{share}%") } else { String::new() };
            let group = *groups.entry(arn.clone()).or_insert_with(|| graph.add(arn, ""));
            graph.connect(step, group, label);
        }
    }
}

/// Returns the target groups that an action forwards to, with their shares in percent.
fn shares(action: &Action) -> Vec<(String, i64)> {
    let groups = action.forward_config().and_then(|config| config.target_groups()).unwrap_or_default();
    if groups.is_empty() {
        return action.target_group_arn().map(|arn| (arn.to_owned(), 100)).into_iter().collect();
    }
    let weights = || groups.iter().map(|group| group.weight().unwrap_or(1));
    let all: i64 = weights().sum();
    let share = |weight: i64| if all == 0 { 0 } else { (weight * 100 + all / 2) / all };
    let arns = groups.iter().map(|group| group.target_group_arn().unwrap_or_default().to_owned());
    arns.zip(weights().map(share)).collect()
}

async fn add_group(graph: &mut Graph, session: &Session, group: &TargetGroup) -> Result<usize> {
    let targets = TargetGroup::objects(session).targets(group.require_arn()?).await?;
    let states: Vec<_> =
        targets.iter().map(|target| target.target_health().and_then(|health| health.state())).collect();
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for state in &states {
        *counted.entry(enum_name(*state).unwrap_or("unknown")).or_default() += 1;
    }
    let counts: Vec<_> = counted.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let health = if counts.is_empty() { "no targets".to_owned() } else { counts.join(", ") };
    let all_healthy =
        !states.is_empty() && states.iter().all(|state| *state == Some(&TargetHealthState::Healthy));
    let details = protocol_and_port(group.protocol(), group.port(), "function");
    let node = graph.add(group.require_name()?, details);
    graph.nodes[node].health = Some((health, all_healthy));
    Ok(node)
}
