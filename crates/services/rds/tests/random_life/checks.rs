//! What holds for databases at any time.

use nephos_rds::{DBCluster, DBInstance};

/// What is known of a value that changes later: the value, and the one that waits.
#[derive(Debug)]
pub(crate) struct Later<T> {
    pub(crate) current: T,
    pub(crate) waiting: Option<T>,
}

impl<T: Clone + PartialEq + std::fmt::Debug> Later<T> {
    /// Compares with what is described. A value that waits is shown until it is applied, once. `may_be_dropped` if it cannot be
    /// applied any longer.
    pub(crate) fn observe(&mut self, current: T, waiting: Option<T>, may_be_dropped: bool) {
        if self.waiting.is_some() && waiting.is_none() && (current != self.current || !may_be_dropped) {
            assert_eq!(Some(&current), self.waiting.as_ref(), "applied as it was given");
            *self = Self { current, waiting: None };
        } else if self.waiting.is_some() && waiting.is_none() {
            self.waiting = None;
        } else {
            assert_eq!(
                (&current, &waiting),
                (&self.current, &self.waiting),
                "changes when it is applied only"
            );
        }
    }
}

/// What is known of a database.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) storage: Later<i64>,
    pub(crate) id: Later<String>,
}

/// Sources and replicas name each other.
pub(crate) fn check_replication(instances: &[DBInstance], clusters: &[DBCluster]) {
    let instance = |id: &str| instances.iter().find(|one| one.db_instance_identifier() == Some(id));
    let cluster = |id: &str| clusters.iter().find(|one| one.db_cluster_identifier() == Some(id));
    for one in instances {
        let id = one.db_instance_identifier().unwrap();
        if let Some(source) = one.read_replica_source_db_instance_identifier() {
            let listed = instance(source).and_then(DBInstance::read_replica_db_instance_identifiers);
            assert!(listed.is_some_and(|listed| listed.iter().any(|known| known == id)), "{one:?}");
        }
        if let Some(source) = one.read_replica_source_db_cluster_identifier() {
            let listed = cluster(source).and_then(DBCluster::read_replica_identifiers);
            assert!(listed.is_some_and(|listed| listed.iter().any(|known| known == id)), "{one:?}");
        }
        for replica in one.read_replica_db_instance_identifiers().unwrap_or_default() {
            let source = instance(replica).and_then(DBInstance::read_replica_source_db_instance_identifier);
            assert_eq!(source, Some(id), "{one:?}");
        }
        for replica in one.read_replica_db_cluster_identifiers().unwrap_or_default() {
            let source = cluster(replica).and_then(DBCluster::replication_source_identifier);
            assert_eq!(source, one.db_instance_arn(), "{one:?}");
        }
        if let Some(owner) = one.db_cluster_identifier() {
            let members = cluster(owner).and_then(DBCluster::db_cluster_members).unwrap_or_default();
            assert!(members.iter().any(|member| member.db_instance_identifier() == Some(id)), "{one:?}");
        }
    }
    for one in clusters {
        let members = one.db_cluster_members().unwrap();
        for member in members {
            assert!(instance(member.db_instance_identifier().unwrap()).is_some(), "{one:?}");
        }
        let writers = members.iter().filter(|member| member.is_cluster_writer() == Some(true)).count();
        assert_eq!(writers, members.len().min(1), "{one:?}");
    }
}
