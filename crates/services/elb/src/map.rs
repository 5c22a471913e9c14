//! The view `map`: a load balancer, its listeners and its instances as a graph.

use crate::ClassicELB;
use nephos_core::{
    Resource, Result, Session,
    view::{Graph, View, ViewForm},
};

/// The view `map`.
pub(crate) const MAP: View = View {
    kind: ClassicELB::KIND,
    name: "map",
    docs: "Draws a classic load balancer: listeners, and the states of its instances",
    subject: "Name of the load balancer",
    form: ViewForm::Graph(|session, name| Box::pin(draw(session, name))),
};

async fn draw(session: &Session, name: &str) -> Result<Graph> {
    let balancers = ClassicELB::objects(session);
    let Some(balancer) = balancers.get(name).await? else {
        return Err(crate::errors::load_balancer_not_found(name));
    };
    let mut graph = Graph::default();
    let details = [balancer.scheme(), balancer.dns_name()];
    let root = graph.add(name, details.into_iter().flatten().collect::<Vec<_>>().join("  "));
    let states = balancers.instance_health(name).await?;
    let mut instances = Vec::new();
    for state in &states {
        let node = graph.add(state.instance_id().unwrap_or_default(), "");
        let shown = state.state().unwrap_or_default();
        let is_in_service = shown == "InService";
        let reason = state.description().filter(|text| *text != "N/A");
        let shown = [Some(shown), reason].into_iter().flatten().collect::<Vec<_>>().join(": ");
        graph.nodes[node].health = Some((shown, is_in_service));
        instances.push(node);
    }
    for described in balancer.listeners().unwrap_or_default() {
        let Some(listener) = described.listener() else { continue };
        let side = |protocol: Option<&str>, port: Option<i64>| {
            format!("{} :{}", protocol.unwrap_or_default(), port.unwrap_or_default())
        };
        let policies: Vec<_> =
            described.policy_names().unwrap_or_default().iter().map(|name| name.as_str()).collect();
        let front = side(listener.protocol(), listener.load_balancer_port());
        let node = graph.add(front, policies.join(", "));
        graph.connect(root, node, "");
        let back = side(listener.instance_protocol(), listener.instance_port());
        for instance in &instances {
            graph.connect(node, *instance, back.clone());
        }
    }
    Ok(graph)
}
