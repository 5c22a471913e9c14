//! A cloud in which databases live, and what is known of them.

use super::{
    checks::{Known, Later, check_replication},
    steps::Step,
};
use nephos_cloud::{Transitions, read_key};
use nephos_core::{ErrorKind, Session, SignedDuration, operation::WireOperation};
use nephos_rds::{
    ClusterPendingModifiedValues, CreateDBCluster, CreateDBClusterSnapshot, CreateDBInstance,
    CreateDBInstanceReadReplica, CreateDBSnapshot, DBCluster, DBClusterSnapshot, DBInstance, DBSnapshot,
    DeleteDBCluster, DeleteDBClusterSnapshot, DeleteDBInstance, DeleteDBSnapshot, FailoverDBCluster,
    ModifyDBCluster, ModifyDBInstance, PendingModifiedValues, PromoteReadReplica,
    PromoteReadReplicaDBCluster, RebootDBCluster, RebootDBInstance, RestoreDBClusterFromSnapshot,
    RestoreDBClusterToPointInTime, RestoreDBInstanceFromDBSnapshot, RestoreDBInstanceToPointInTime,
    StartDBCluster, StartDBInstance, StopDBCluster, StopDBInstance, SwitchoverReadReplica,
};
use nephos_rds_cases::Cloud;
use nephos_testing::ask;
use std::collections::BTreeMap;

/// A cloud, and what is known of its databases by resource ID.
pub(crate) struct Life {
    cloud: Cloud,
    session: Session,
    known: BTreeMap<String, Known>,
    /// Number of changes of storage, each of which needs another size.
    sizes: u32,
}

fn text(value: Option<&str>) -> String {
    value.unwrap_or_default().to_owned()
}

impl Life {
    pub(crate) fn new() -> Self {
        let options = Cloud::options().clock(nephos_testing::clock()).seed(7);
        let cloud = options.transitions(Transitions::Realistic).in_memory();
        let session = cloud.session();
        Self { cloud, session, known: BTreeMap::new(), sizes: 0 }
    }

    /// Runs an operation. It may be refused, but must not fail.
    fn run<O: WireOperation>(&self, operation: O) -> Option<O::Output> {
        match ask(&self.session, operation) {
            Ok(answer) => Some(answer),
            Err(error) => {
                let is_fault =
                    matches!(error.kind(), ErrorKind::Internal | ErrorKind::Corrupt | ErrorKind::Transport);
                assert!(!is_fault, "{error:?}");
                None
            }
        }
    }

    pub(crate) fn instances(&self) -> Vec<DBInstance> {
        DBInstance::objects(&self.session).list().results().all().wait().unwrap()
    }

    /// Manual snapshots of instances.
    fn snapshots(&self) -> Vec<DBSnapshot> {
        DBSnapshot::objects(&self.session).list().snapshot_type("manual").results().all().wait().unwrap()
    }

    /// Manual snapshots of clusters.
    fn cluster_snapshots(&self) -> Vec<DBClusterSnapshot> {
        DBClusterSnapshot::objects(&self.session)
            .list()
            .snapshot_type("manual")
            .results()
            .all()
            .wait()
            .unwrap()
    }

    fn clusters(&self) -> Vec<DBCluster> {
        DBCluster::objects(&self.session).list().results().all().wait().unwrap()
    }

    /// A size of storage that is larger than all before by more than a tenth.
    fn next_size(&mut self) -> i64 {
        self.sizes += 1;
        (200.0 * 1.15_f64.powi(i32::try_from(self.sizes).unwrap())).ceil() as i64
    }

    /// Notes the sizes and identifiers that an accepted change of an instance leaves to a later time.
    fn change(&mut self, change: ModifyDBInstance) {
        let Some(answer) = self.run(change) else { return };
        let changed = answer.db_instance().unwrap();
        let pending = changed.pending_modified_values().unwrap();
        let known = self.known.get_mut(changed.dbi_resource_id().unwrap()).unwrap();
        known.storage.waiting = pending.allocated_storage();
        known.id.waiting = pending.db_instance_identifier().map(str::to_owned);
    }

    /// Notes the sizes and identifiers that an accepted change of a cluster leaves to a later time.
    fn change_cluster(&mut self, change: ModifyDBCluster) {
        let Some(answer) = self.run(change) else { return };
        let changed = answer.db_cluster().unwrap();
        let pending = changed.pending_modified_values().unwrap();
        let known = self.known.get_mut(changed.db_cluster_resource_id().unwrap()).unwrap();
        known.storage.waiting = pending.allocated_storage();
        known.id.waiting = pending.db_cluster_identifier().map(str::to_owned);
    }

    /// Runs steps, and checks after each of them what holds at any time.
    pub(crate) fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
            self.check();
        }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Grow { id, at_once } => {
                let size = self.next_size();
                self.change(ModifyDBInstance::new(id).allocated_storage(size).apply_immediately(at_once));
            }
            Step::Rename { id, to, at_once } => {
                self.change(
                    ModifyDBInstance::new(id).new_db_instance_identifier(to).apply_immediately(at_once),
                );
            }
            Step::SetBackups { id, days, at_once } => {
                self.change(
                    ModifyDBInstance::new(id).backup_retention_period(days).apply_immediately(at_once),
                );
            }
            Step::SetPassword { id, port, is_growing } => {
                let change =
                    ModifyDBInstance::new(id).master_user_password("battery-staple").db_port_number(port);
                let size = is_growing.then(|| self.next_size());
                self.change(change.allocated_storage(size));
            }
            Step::GrowCluster { id, at_once } => {
                let size = self.next_size();
                let change = ModifyDBCluster::new(id).allocated_storage(size).iops(size * 10);
                self.change_cluster(change.apply_immediately(at_once));
            }
            Step::ScaleCluster { id, class, at_once } => {
                let change = ModifyDBCluster::new(id).db_cluster_instance_class(class);
                self.change_cluster(change.apply_immediately(at_once));
            }
            Step::RenameCluster { id, to, at_once } => {
                let change = ModifyDBCluster::new(id).new_db_cluster_identifier(to);
                self.change_cluster(change.apply_immediately(at_once));
            }
            Step::ResetCluster { id, at_once } => {
                let change = ModifyDBCluster::new(id).master_user_password("battery-staple");
                self.change_cluster(change.apply_immediately(at_once));
            }
            Step::Wait { minutes } => self.wait(minutes),
            _ => self.create_or_operate(step),
        }
    }

    fn create_or_operate(&self, step: &Step) {
        match *step {
            Step::Create { id, engine, backups } => {
                let create = CreateDBInstance::new(id, "db.r5.large", engine).allocated_storage(200);
                let create = create.master_username("boss").master_user_password("correct-horse");
                self.run(create.backup_retention_period(backups)).map(drop)
            }
            Step::CreateReplica { id, source } => {
                self.run(CreateDBInstanceReadReplica::new(id).source_db_instance_identifier(source)).map(drop)
            }
            Step::CreateReplicaOfCluster { id, source } => {
                self.run(CreateDBInstanceReadReplica::new(id).source_db_cluster_identifier(source)).map(drop)
            }
            Step::CreateMember { id, cluster } => {
                let member = CreateDBInstance::new(id, "db.r5.large", "aurora-mysql");
                self.run(member.db_cluster_identifier(cluster)).map(drop)
            }
            Step::CreateCluster { id, is_multi_zone, source } => {
                self.create_cluster(id, is_multi_zone, source)
            }
            Step::Stop { id } => self.run(StopDBInstance::new(id)).map(drop),
            Step::Start { id } => self.run(StartDBInstance::new(id)).map(drop),
            Step::Reboot { id } => self.run(RebootDBInstance::new(id)).map(drop),
            Step::Promote { id } => self.run(PromoteReadReplica::new(id)).map(drop),
            Step::SwitchOver { id } => self.run(SwitchoverReadReplica::new(id)).map(drop),
            Step::Delete { id, snapshot } => {
                let delete = DeleteDBInstance::new(id).skip_final_snapshot(snapshot.is_none());
                self.run(delete.final_db_snapshot_identifier(snapshot)).map(drop)
            }
            Step::Save { id, snapshot } => self.run(CreateDBSnapshot::new(snapshot, id)).map(drop),
            Step::Restore { id, snapshot } => {
                self.run(RestoreDBInstanceFromDBSnapshot::new(id).db_snapshot_identifier(snapshot)).map(drop)
            }
            Step::RestoreToTime { id, source } => {
                let restore = RestoreDBInstanceToPointInTime::new(id).source_db_instance_identifier(source);
                self.run(restore.use_latest_restorable_time(true)).map(drop)
            }
            Step::DeleteSnapshot { snapshot } => self.run(DeleteDBSnapshot::new(snapshot)).map(drop),
            Step::StopCluster { id } => self.run(StopDBCluster::new(id)).map(drop),
            Step::StartCluster { id } => self.run(StartDBCluster::new(id)).map(drop),
            Step::RebootCluster { id } => self.run(RebootDBCluster::new(id)).map(drop),
            Step::FailOver { id } => self.run(FailoverDBCluster::new(id)).map(drop),
            Step::PromoteCluster { id } => self.run(PromoteReadReplicaDBCluster::new(id)).map(drop),
            Step::DeleteCluster { id, snapshot } => {
                let delete = DeleteDBCluster::new(id).skip_final_snapshot(snapshot.is_none());
                self.run(delete.final_db_snapshot_identifier(snapshot)).map(drop)
            }
            Step::SaveCluster { id, snapshot } => {
                self.run(CreateDBClusterSnapshot::new(snapshot, id)).map(drop)
            }
            Step::RestoreCluster { id, snapshot, is_multi_zone } => {
                let engine = if is_multi_zone { "mysql" } else { "aurora-mysql" };
                self.run(RestoreDBClusterFromSnapshot::new(id, engine, snapshot)).map(drop)
            }
            Step::RestoreClusterToTime { id, source } => {
                let restore = RestoreDBClusterToPointInTime::new(id).source_db_cluster_identifier(source);
                self.run(restore.use_latest_restorable_time(true)).map(drop)
            }
            Step::DeleteClusterSnapshot { snapshot } => {
                self.run(DeleteDBClusterSnapshot::new(snapshot)).map(drop)
            }
            _ => unreachable!("a change of settings"),
        };
    }

    fn create_cluster(&self, id: &str, is_multi_zone: bool, source: Option<&str>) -> Option<()> {
        let create = if is_multi_zone {
            let create = CreateDBCluster::new(id, "mysql").db_cluster_instance_class("db.m6gd.large");
            create.allocated_storage(200).iops(2000)
        } else {
            CreateDBCluster::new(id, "aurora-mysql")
        };
        let create = match source {
            Some(source) => create
                .replication_source_identifier(format!("arn:aws:rds:us-east-1:123456789012:db:{source}")),
            None => create.master_username("root").master_user_password("correct-horse"),
        };
        self.run(create).map(drop)
    }

    fn wait(&self, minutes: i64) {
        self.cloud.clock().advance(SignedDuration::from_mins(minutes)).unwrap();
    }

    /// Checks what holds at any time.
    fn check(&mut self) {
        let failed = self.cloud.failed_work().unwrap();
        assert!(failed.is_empty(), "{failed:?}");
        let (instances, clusters) = (self.instances(), self.clusters());
        let counts = [
            ("rds/instances", instances.len()),
            ("rds/clusters", clusters.len()),
            ("rds/snapshots", self.snapshots().len()),
            ("rds/cluster-snapshots", self.cluster_snapshots().len()),
        ];
        for (counter, count) in counts {
            let counted = self.cloud.run_in_transaction(move |cx| cx.count(counter)).unwrap();
            assert_eq!(counted, i64::try_from(count).unwrap(), "{counter}");
        }
        check_replication(&instances, &clusters);
        let ids: Vec<_> = instances.iter().map(|one| text(one.db_instance_identifier())).collect();
        // The instances of a cluster in several zones show what is pending for the cluster.
        let is_changed_itself = |one: &&DBInstance| {
            one.db_cluster_identifier().is_none()
                || one.engine().is_some_and(|engine| engine.starts_with("aurora"))
        };
        for instance in instances.iter().filter(is_changed_itself) {
            let pending = instance.pending_modified_values().unwrap();
            let waiting = (pending.allocated_storage(), pending.db_instance_identifier());
            let own = (instance.allocated_storage().unwrap(), text(instance.db_instance_identifier()));
            self.observe(instance.dbi_resource_id(), own, waiting, &ids);
        }
        let ids: Vec<_> = clusters.iter().map(|one| text(one.db_cluster_identifier())).collect();
        for cluster in &clusters {
            let pending = cluster.pending_modified_values().unwrap();
            let waiting = (pending.allocated_storage(), pending.db_cluster_identifier());
            let own = (cluster.allocated_storage().unwrap(), text(cluster.db_cluster_identifier()));
            self.observe(cluster.db_cluster_resource_id(), own, waiting, &ids);
        }
    }

    fn observe(
        &mut self,
        resource_id: Option<&str>,
        (size, id): (i64, String),
        (new_size, new_id): (Option<i64>, Option<&str>),
        ids: &[String],
    ) {
        let known = self.known.entry(text(resource_id)).or_insert_with(|| Known {
            storage: Later { current: size, waiting: None },
            id: Later { current: id.clone(), waiting: None },
        });
        known.storage.observe(size, new_size, false);
        let is_taken =
            known.id.waiting.as_ref().is_some_and(|waiting| *waiting != id && ids.contains(waiting));
        known.id.observe(id, new_id.map(str::to_owned), is_taken);
    }

    /// True if a backup is being made.
    fn is_backing_up(&self) -> bool {
        self.instances().iter().any(|one| one.db_instance_status() == Some("backing-up"))
            || self.clusters().iter().any(|one| one.status() == Some("backing-up"))
    }

    /// Lets everything end that is under way: stopped databases start after seven days, and pending changes are applied in a window.
    pub(crate) fn settle(&mut self) {
        for _ in 0..3 {
            self.wait(5 * 1440);
            self.check();
        }
        // Backups are made every day.
        while self.is_backing_up() {
            self.wait(10);
        }
        for instance in self.instances() {
            assert_eq!(instance.db_instance_status(), Some("available"), "{instance:?}");
            assert_eq!(
                instance.pending_modified_values(),
                PendingModifiedValues::builder().build().ok().as_ref()
            );
        }
        for cluster in self.clusters() {
            assert_eq!(cluster.status(), Some("available"), "{cluster:?}");
            let nothing = ClusterPendingModifiedValues::builder().build().ok();
            assert_eq!(cluster.pending_modified_values(), nothing.as_ref());
        }
        let live: Vec<_> = self.instances().iter().map(|one| text(one.dbi_resource_id())).collect();
        for (_, known) in self.known.iter().filter(|(id, _)| live.contains(id)) {
            assert!(known.storage.waiting.is_none() && known.id.waiting.is_none(), "{known:?}");
        }
    }

    /// Deletes everything, after which nothing is left.
    pub(crate) fn delete_all(&mut self) {
        for instance in self.instances() {
            self.run(
                DeleteDBInstance::new(instance.db_instance_identifier().unwrap()).skip_final_snapshot(true),
            );
        }
        for cluster in self.clusters() {
            let delete =
                DeleteDBCluster::new(cluster.db_cluster_identifier().unwrap()).skip_final_snapshot(true);
            assert!(self.run(delete).is_some(), "{cluster:?}");
        }
        for snapshot in self.snapshots() {
            self.run(DeleteDBSnapshot::new(snapshot.db_snapshot_identifier().unwrap()));
        }
        for snapshot in self.cluster_snapshots() {
            self.run(DeleteDBClusterSnapshot::new(snapshot.db_cluster_snapshot_identifier().unwrap()));
        }
        self.wait(60);
        self.check();
        // Events are kept for 14 days.
        self.wait(15 * 24 * 60);
        let mut left = Vec::new();
        for (key, _) in self.cloud.rows().unwrap() {
            let (table, parts) = read_key(&key).unwrap();
            let is_count = table == "count" && format!("{parts:?}").contains("rds/");
            if table.starts_with("rds/") || table == "ec2/interface" || is_count {
                left.push(format!("{table} {parts:?}"));
            }
        }
        assert_eq!(left, [""; 0]);
    }
}
