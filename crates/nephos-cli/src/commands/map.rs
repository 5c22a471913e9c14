//! `nephos load-balancer map`: where the requests of a balancer go, as a tree or as a graph.

mod dot;
mod tree;

use crate::{edge::Edge, exit::Done, place::Place};
use clap::{Arg, ArgMatches, Command};
use nephos::{
    Listener, LoadBalancer, Resource, Result, Rule, Session, TargetGroup,
    services::elbv2::{Action, TargetHealthState, errors},
};
use nephos_core::datum::Datum;
use std::collections::BTreeMap;

/// The kind that has this command.
pub(crate) const KIND: &str = "LoadBalancer";

pub(super) fn command() -> Command {
    Command::new("map")
        .about("Draws where the requests of a load balancer go: listeners, rules, actions, target groups")
        .after_help(
            "Graphviz makes a picture of it: nephos load-balancer map web --format dot | dot -Tsvg > web.svg",
        )
        .arg(Arg::new("NAME").required(true).value_name("NAME").help("The balancer's name or resource name"))
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORM")
                .value_parser(["tree", "dot"])
                .default_value("tree")
                .help("A tree for the terminal, or a graph for Graphviz"),
        )
}

pub(super) fn run(matches: &ArgMatches, edge: &mut Edge<'_>) -> Done {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str).unwrap_or_default();
    let reached = Place::read(matches, edge).reach(edge)?;
    let map = Map::of(&reached.session, text("NAME"))?;
    match text("format") {
        "dot" => dot::draw(&map, edge.out)?,
        _ => tree::draw(&map, edge.terminal.colour, edge.out)?,
    }
    Ok(())
}

/// Where the requests of a balancer go.
struct Map {
    /// The balancer: its name, and what else is known of it.
    name: String,
    about: String,
    listeners: Vec<Port>,
    /// The target groups by resource name.
    groups: BTreeMap<String, Group>,
}

/// A listener.
struct Port {
    title: String,
    rules: Vec<Route>,
}

/// A rule.
struct Route {
    priority: String,
    /// Which requests it is for.
    conditions: Vec<String>,
    steps: Vec<Step>,
}

/// An action.
struct Step {
    what: String,
    /// The target groups that requests are handed on to, with their shares in percent.
    to: Vec<(String, i64)>,
}

/// A target group.
struct Group {
    name: String,
    about: String,
    /// How its targets are, and whether all of them are well.
    health: String,
    well: bool,
}

impl Map {
    fn of(session: &Session, name: &str) -> Result<Self> {
        let get = LoadBalancer::objects(session).get();
        let get = if name.starts_with("arn:") { get.load_balancer_arn(name) } else { get.name(name) };
        let Some(balancer) = get.wait()? else {
            return Err(errors::LOAD_BALANCER_NOT_FOUND.because(format!("there is no load balancer {name}")));
        };
        let arn = balancer.require_arn()?;
        let state = balancer.state().and_then(|state| state.code()).and_then(|code| code.view().as_text());
        let of = balancer.r#type().and_then(|of| of.view().as_text());
        let about = [of, state, balancer.dns_name()].into_iter().flatten().collect::<Vec<_>>().join("  ");
        let listeners = Listener::objects(session).list().load_balancer_arn(arn).results().all().wait()?;
        let listeners = listeners.iter().map(|listener| port(session, listener)).collect::<Result<_>>()?;
        let groups = TargetGroup::objects(session).list().load_balancer_arn(arn).results().all().wait()?;
        let groups = groups.iter().map(|found| Ok((found.require_arn()?.to_owned(), group(session, found)?)));
        Ok(Self {
            name: balancer.require_name()?.to_owned(),
            about,
            listeners,
            groups: groups.collect::<Result<_>>()?,
        })
    }
}

fn port(session: &Session, listener: &Listener) -> Result<Port> {
    let rules = Rule::objects(session).list().listener_arn(listener.require_arn()?).results().all().wait()?;
    let protocol = listener.protocol().and_then(|protocol| protocol.view().as_text());
    let title = match (protocol, listener.port()) {
        (Some(protocol), Some(port)) => format!("{protocol} :{port}"),
        _ => "everything".to_owned(),
    };
    Ok(Port { title, rules: rules.iter().map(route).collect() })
}

fn route(rule: &Rule) -> Route {
    let conditions = rule.conditions().unwrap_or_default();
    Route {
        priority: rule.priority().unwrap_or_default().to_owned(),
        conditions: conditions.iter().map(ToString::to_string).collect(),
        steps: rule.actions().unwrap_or_default().iter().map(step).collect(),
    }
}

fn step(action: &Action) -> Step {
    let groups = action.forward_config().and_then(|config| config.target_groups()).unwrap_or_default();
    let weight = |n: usize| groups[n].weight().unwrap_or(1);
    let all: i64 = (0..groups.len()).map(weight).sum();
    let share = |n: usize| if all == 0 { 0 } else { (weight(n) * 100 + all / 2) / all };
    let arn = |n: usize| groups[n].target_group_arn().unwrap_or_default().to_owned();
    let mut to: Vec<_> = (0..groups.len()).map(|n| (arn(n), share(n))).collect();
    if to.is_empty() {
        to.extend(action.target_group_arn().map(|arn| (arn.to_owned(), 100)));
    }
    Step { what: action.to_string(), to }
}

fn group(session: &Session, found: &TargetGroup) -> Result<Group> {
    let targets = TargetGroup::objects(session).targets(found.require_arn()?).wait()?;
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for target in &targets {
        let state =
            target.target_health().and_then(|health| health.state()).and_then(|state| state.view().as_text());
        let state = state.unwrap_or("unknown");
        match counted.iter_mut().find(|(known, _)| *known == state) {
            Some((_, count)) => *count += 1,
            None => counted.push((state, 1)),
        }
    }
    counted.sort_unstable();
    let health: Vec<_> = counted.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let healthy = |target: &nephos::services::elbv2::TargetHealthDescription| {
        target.target_health().and_then(|health| health.state()) == Some(&TargetHealthState::Healthy)
    };
    let protocol = found.protocol().and_then(|protocol| protocol.view().as_text());
    let about = match (protocol, found.port()) {
        (Some(protocol), Some(port)) => format!("{protocol} :{port}"),
        _ => "function".to_owned(),
    };
    Ok(Group {
        name: found.require_name()?.to_owned(),
        about,
        health: if health.is_empty() { "no targets".to_owned() } else { health.join(", ") },
        well: !targets.is_empty() && targets.iter().all(healthy),
    })
}
