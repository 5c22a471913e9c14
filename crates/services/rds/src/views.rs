//! The view `map`: a cluster with its endpoints, its writer and its readers as a graph.

use crate::{DBCluster, DocDBCluster, errors};
use nephos_core::{
    Resource, Result, Session,
    view::{Graph, View, ViewForm},
};

/// The view `map` of a cluster.
pub(crate) const CLUSTER_MAP: View = View {
    kind: DBCluster::KIND,
    name: "map",
    docs: "Draws a cluster: endpoints, zones, the writer and the readers",
    subject: "Identifier of the cluster",
    form: ViewForm::Graph(|session, id| Box::pin(draw_cluster(session, id))),
};

/// The view `map` of a cluster of document databases.
pub(crate) const DOCUMENT_CLUSTER_MAP: View = View {
    kind: DocDBCluster::KIND,
    name: "map",
    docs: "Draws a cluster of document databases: endpoints, zones, the writer and the readers",
    subject: "Identifier of the cluster",
    form: ViewForm::Graph(|session, id| Box::pin(draw_document_cluster(session, id))),
};

async fn draw_cluster(session: &Session, id: &str) -> Result<Graph> {
    // All that is drawn is in both kinds.
    let found = DBCluster::objects(session).get(id).await?.map(DocDBCluster::from);
    Ok(draw(&found.ok_or_else(|| errors::cluster_not_found(id))?))
}

async fn draw_document_cluster(session: &Session, id: &str) -> Result<Graph> {
    let found = DocDBCluster::objects(session).get(id).await?;
    Ok(draw(&found.ok_or_else(|| errors::cluster_not_found(id))?))
}

fn draw(cluster: &DocDBCluster) -> Graph {
    let mut graph = Graph::default();
    let engine =
        [cluster.engine(), cluster.engine_version()].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let id = cluster.db_cluster_identifier().unwrap_or_default();
    let root = graph.add(id, format!("{engine}  {}", zones(cluster)));
    let status = cluster.status().unwrap_or_default();
    graph.nodes[root].health = Some((status.to_owned(), status == "available"));
    let port = cluster.port().unwrap_or_default();
    let mut endpoint = |host: Option<&str>, role: &str| {
        let node = graph.add(role, format!("{}:{port}", host.unwrap_or_default()));
        graph.connect(root, node, "");
        node
    };
    let writer = endpoint(cluster.endpoint(), "writer");
    let readers = endpoint(cluster.reader_endpoint(), "readers");
    for member in cluster.db_cluster_members().unwrap_or_default() {
        let tier = member.promotion_tier.unwrap_or_default();
        let node = graph.add(member.db_instance_identifier.as_deref().unwrap_or_default(), "");
        if member.is_cluster_writer == Some(true) {
            graph.connect(writer, node, "");
        } else {
            graph.connect(readers, node, format!("tier {tier}"));
        }
    }
    graph
}

/// Zones of the storage.
fn zones(cluster: &DocDBCluster) -> String {
    let zones = cluster.availability_zones().unwrap_or_default();
    zones.iter().map(|zone| zone.as_str()).collect::<Vec<_>>().join(", ")
}
