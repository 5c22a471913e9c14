//! Random lives of instances and clusters: whatever happens to them, they end in a status that they can stay in, pending changes
//! are applied once, and nothing is left over.

#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

use nephos_cloud::{
    Transitions, read_key,
    testing::{self, ask},
};
use nephos_core::{ErrorKind, Result, Session, SignedDuration, operation::WireOperation};
use nephos_rds::{
    CreateDBCluster, CreateDBInstance, CreateDBInstanceReadReplica, DBCluster, DBInstance, DeleteDBCluster,
    DeleteDBInstance, FailoverDBCluster, ModifyDBCluster, ModifyDBInstance, PromoteReadReplica,
    PromoteReadReplicaDBCluster, RebootDBCluster, RebootDBInstance, StartDBCluster, StartDBInstance,
    StopDBCluster, StopDBInstance, SwitchoverReadReplica, testing::Cloud,
};
use proptest::{collection::vec, prelude::*, sample::select};
use std::collections::BTreeMap;

/// Identifiers of instances and of clusters. There are few, so that they meet.
const INSTANCES: &[&str] = &["a", "b", "c", "d", "e", "f"];
const CLUSTERS: &[&str] = &["x", "y", "z"];
const ENGINES: &[&str] = &["mysql", "postgres", "oracle-ee", "mariadb"];

/// The start of each life: instances with replicas, and clusters with and without instances of their own.
const START: &[Step] = &[
    Step::Create { id: "a", engine: "mysql", backups: 1 },
    Step::Create { id: "b", engine: "oracle-ee", backups: 1 },
    Step::CreateCluster { id: "x", is_multi_zone: true, source: None },
    Step::CreateCluster { id: "y", is_multi_zone: false, source: None },
    Step::CreateMember { id: "c", cluster: "y" },
    Step::Wait { minutes: 15 },
    Step::CreateReplica { id: "d", source: "a" },
    Step::CreateReplica { id: "e", source: "b" },
    Step::Create { id: "f", engine: "postgres", backups: 1 },
    Step::Wait { minutes: 15 },
    Step::SetBackups { id: "e", days: 1, at_once: true },
    Step::Wait { minutes: 15 },
];

/// A step of a life.
#[derive(Clone, Debug)]
enum Step {
    Create { id: &'static str, engine: &'static str, backups: i64 },
    CreateReplica { id: &'static str, source: &'static str },
    CreateReplicaOfCluster { id: &'static str, source: &'static str },
    CreateMember { id: &'static str, cluster: &'static str },
    Grow { id: &'static str, at_once: bool },
    Rename { id: &'static str, to: &'static str, at_once: bool },
    SetBackups { id: &'static str, days: i64, at_once: bool },
    SetPassword { id: &'static str, port: Option<i64> },
    Stop { id: &'static str },
    Start { id: &'static str },
    Reboot { id: &'static str },
    Promote { id: &'static str },
    SwitchOver { id: &'static str },
    Delete { id: &'static str },
    CreateCluster { id: &'static str, is_multi_zone: bool, source: Option<&'static str> },
    GrowCluster { id: &'static str, at_once: bool },
    ScaleCluster { id: &'static str, class: &'static str, at_once: bool },
    RenameCluster { id: &'static str, to: &'static str, at_once: bool },
    ResetCluster { id: &'static str, at_once: bool },
    StopCluster { id: &'static str },
    StartCluster { id: &'static str },
    RebootCluster { id: &'static str },
    FailOver { id: &'static str },
    PromoteCluster { id: &'static str },
    DeleteCluster { id: &'static str },
    Wait { minutes: i64 },
}

fn instance() -> impl Strategy<Value = &'static str> {
    select(INSTANCES)
}

fn cluster() -> impl Strategy<Value = &'static str> {
    select(CLUSTERS)
}

/// Minutes to eight days. Most changes take some minutes.
fn wait() -> impl Strategy<Value = Step> {
    prop_oneof![5 => 1..16_i64, 1 => 16..1440_i64, 1 => 1440..8 * 1440_i64]
        .prop_map(|minutes| Step::Wait { minutes })
}

fn step_of_instance() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (instance(), select(ENGINES), 0..2_i64)
            .prop_map(|(id, engine, backups)| Step::Create { id, engine, backups }),
        4 => (instance(), instance()).prop_map(|(id, source)| Step::CreateReplica { id, source }),
        1 => (instance(), cluster()).prop_map(|(id, source)| Step::CreateReplicaOfCluster { id, source }),
        2 => (instance(), cluster()).prop_map(|(id, cluster)| Step::CreateMember { id, cluster }),
        4 => (instance(), any::<bool>()).prop_map(|(id, at_once)| Step::Grow { id, at_once }),
        3 => (instance(), instance(), any::<bool>()).prop_map(|(id, to, at_once)| Step::Rename { id, to, at_once }),
        2 => (instance(), 0..3_i64, any::<bool>()).prop_map(|(id, days, at_once)| Step::SetBackups { id, days, at_once }),
        1 => (instance(), proptest::option::of(3000..3010_i64)).prop_map(|(id, port)| Step::SetPassword { id, port }),
        2 => instance().prop_map(|id| Step::Stop { id }),
        2 => instance().prop_map(|id| Step::Start { id }),
        1 => instance().prop_map(|id| Step::Reboot { id }),
        2 => instance().prop_map(|id| Step::Promote { id }),
        2 => select(&["b", "e"][..]).prop_map(|id| Step::SwitchOver { id }),
        1 => instance().prop_map(|id| Step::Delete { id }),
    ]
}

fn step_of_cluster() -> impl Strategy<Value = Step> {
    let at_once = any::<bool>;
    let source = proptest::option::weighted(0.5, select(&["a", "d"][..]));
    prop_oneof![
        3 => (cluster(), any::<bool>(), source)
            .prop_map(|(id, is_multi_zone, source)| Step::CreateCluster { id, is_multi_zone, source }),
        2 => (cluster(), at_once()).prop_map(|(id, at_once)| Step::GrowCluster { id, at_once }),
        1 => (cluster(), select(&["db.m6gd.large", "db.r6gd.large"][..]), at_once())
            .prop_map(|(id, class, at_once)| Step::ScaleCluster { id, class, at_once }),
        2 => (cluster(), cluster(), at_once()).prop_map(|(id, to, at_once)| Step::RenameCluster { id, to, at_once }),
        1 => (cluster(), at_once()).prop_map(|(id, at_once)| Step::ResetCluster { id, at_once }),
        2 => cluster().prop_map(|id| Step::StopCluster { id }),
        1 => cluster().prop_map(|id| Step::StartCluster { id }),
        1 => cluster().prop_map(|id| Step::RebootCluster { id }),
        1 => cluster().prop_map(|id| Step::FailOver { id }),
        1 => cluster().prop_map(|id| Step::PromoteCluster { id }),
        1 => cluster().prop_map(|id| Step::DeleteCluster { id }),
    ]
}

/// Steps, with time after most of them.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![2 => step_of_instance().boxed(), 1 => step_of_cluster().boxed()];
    let timed = (step, proptest::option::weighted(0.7, wait()));
    vec(timed, 1..20)
        .prop_map(|steps| steps.into_iter().flat_map(|(step, wait)| [Some(step), wait]).flatten().collect())
}

/// What is known of a value that changes later: the value, and the one that waits.
#[derive(Debug)]
struct Later<T> {
    current: T,
    waiting: Option<T>,
}

impl<T: Clone + PartialEq + std::fmt::Debug> Later<T> {
    /// Compares with what is described. A value that waits is shown until it is applied, once. `may_be_dropped` if it cannot be
    /// applied any longer.
    fn observe(&mut self, current: T, waiting: Option<T>, may_be_dropped: bool) {
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
struct Known {
    storage: Later<i64>,
    id: Later<String>,
}

/// A cloud, and what is known of its databases by resource ID.
struct Life {
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
    fn new() -> Self {
        let options = Cloud::options().clock(testing::clock()).seed(7);
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

    fn instances(&self) -> Vec<DBInstance> {
        DBInstance::objects(&self.session).list().results().all().wait().unwrap()
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
    fn steps(&mut self, steps: &[Step]) {
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
            Step::SetPassword { id, port } => {
                self.change(
                    ModifyDBInstance::new(id).master_user_password("battery-staple").db_port_number(port),
                );
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
            Step::Delete { id } => self.run(DeleteDBInstance::new(id).skip_final_snapshot(true)).map(drop),
            Step::StopCluster { id } => self.run(StopDBCluster::new(id)).map(drop),
            Step::StartCluster { id } => self.run(StartDBCluster::new(id)).map(drop),
            Step::RebootCluster { id } => self.run(RebootDBCluster::new(id)).map(drop),
            Step::FailOver { id } => self.run(FailoverDBCluster::new(id)).map(drop),
            Step::PromoteCluster { id } => self.run(PromoteReadReplicaDBCluster::new(id)).map(drop),
            Step::DeleteCluster { id } => {
                self.run(DeleteDBCluster::new(id).skip_final_snapshot(true)).map(drop)
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
        let counts = [("rds/instances", instances.len()), ("rds/clusters", clusters.len())];
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

    /// Lets everything end that is under way: stopped databases start after seven days, and pending changes are applied in a window.
    fn settle(&mut self) {
        for _ in 0..4 {
            self.wait(5 * 1440);
            self.check();
        }
        for instance in self.instances() {
            assert_eq!(instance.db_instance_status(), Some("available"), "{instance:?}");
        }
        for cluster in self.clusters() {
            assert_eq!(cluster.status(), Some("available"), "{cluster:?}");
        }
        let live: Vec<_> = self.instances().iter().map(|one| text(one.dbi_resource_id())).collect();
        for (_, known) in self.known.iter().filter(|(id, _)| live.contains(id)) {
            assert!(known.storage.waiting.is_none() && known.id.waiting.is_none(), "{known:?}");
        }
    }

    /// Deletes everything, after which nothing is left.
    fn delete_all(&mut self) {
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
        self.wait(60);
        self.check();
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

/// Sources and replicas name each other.
fn check_replication(instances: &[DBInstance], clusters: &[DBCluster]) {
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lives_end_well(steps in steps()) {
        let mut life = Life::new();
        life.steps(START);
        life.steps(&steps);
        life.settle();
        life.delete_all();
    }
}

/// A pending identifier that another instance has taken meanwhile is dropped.
#[test]
fn taken_identifier_is_not_overwritten() -> Result<()> {
    let mut life = Life::new();
    let create = |id| Step::Create { id, engine: "mysql", backups: 0 };
    let steps = [
        create("a"),
        Step::Wait { minutes: 10 },
        Step::Rename { id: "a", to: "b", at_once: false },
        create("b"),
    ];
    life.steps(&steps);
    life.settle();
    assert_eq!(testing::names(&life.instances())?, ["a", "b"]);
    life.delete_all();
    Ok(())
}
