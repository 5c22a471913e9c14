//! Steps of lives.

use proptest::{collection::vec, prelude::*, sample::select};

/// Identifiers of instances and of clusters. There are few, so that they meet.
const INSTANCES: &[&str] = &["a", "b", "c", "d", "e", "f"];
const CLUSTERS: &[&str] = &["x", "y", "z"];
const SNAPSHOTS: &[&str] = &["one", "two"];
const ENGINES: &[&str] = &["mysql", "postgres", "oracle-ee", "mariadb"];

/// The start of each life: instances with replicas, and clusters with and without instances of their own.
pub(crate) const START: &[Step] = &[
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
    Step::Save { id: "f", snapshot: "one" },
    Step::SaveCluster { id: "x", snapshot: "one" },
    Step::SaveCluster { id: "y", snapshot: "two" },
    Step::Wait { minutes: 15 },
];

/// A step of a life.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Create { id: &'static str, engine: &'static str, backups: i64 },
    CreateReplica { id: &'static str, source: &'static str },
    CreateReplicaOfCluster { id: &'static str, source: &'static str },
    CreateMember { id: &'static str, cluster: &'static str },
    Grow { id: &'static str, at_once: bool },
    Rename { id: &'static str, to: &'static str, at_once: bool },
    SetBackups { id: &'static str, days: i64, at_once: bool },
    SetPassword { id: &'static str, port: Option<i64>, is_growing: bool },
    Stop { id: &'static str },
    Start { id: &'static str },
    Reboot { id: &'static str },
    Promote { id: &'static str },
    SwitchOver { id: &'static str },
    Delete { id: &'static str, snapshot: Option<&'static str> },
    Save { id: &'static str, snapshot: &'static str },
    Restore { id: &'static str, snapshot: &'static str },
    RestoreToTime { id: &'static str, source: &'static str },
    DeleteSnapshot { snapshot: &'static str },
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
    DeleteCluster { id: &'static str, snapshot: Option<&'static str> },
    SaveCluster { id: &'static str, snapshot: &'static str },
    RestoreCluster { id: &'static str, snapshot: &'static str, is_multi_zone: bool },
    RestoreClusterToTime { id: &'static str, source: &'static str },
    DeleteClusterSnapshot { snapshot: &'static str },
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
        2 => (instance(), proptest::option::of(3000..3010_i64), any::<bool>())
            .prop_map(|(id, port, is_growing)| Step::SetPassword { id, port, is_growing }),
        2 => instance().prop_map(|id| Step::Stop { id }),
        2 => instance().prop_map(|id| Step::Start { id }),
        1 => instance().prop_map(|id| Step::Reboot { id }),
        2 => instance().prop_map(|id| Step::Promote { id }),
        2 => select(&["b", "e"][..]).prop_map(|id| Step::SwitchOver { id }),
        1 => (instance(), proptest::option::of(select(SNAPSHOTS)))
            .prop_map(|(id, snapshot)| Step::Delete { id, snapshot }),
        2 => (instance(), select(SNAPSHOTS)).prop_map(|(id, snapshot)| Step::Save { id, snapshot }),
        2 => (instance(), select(SNAPSHOTS)).prop_map(|(id, snapshot)| Step::Restore { id, snapshot }),
        1 => (instance(), instance()).prop_map(|(id, source)| Step::RestoreToTime { id, source }),
        1 => select(SNAPSHOTS).prop_map(|snapshot| Step::DeleteSnapshot { snapshot }),
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
        1 => (cluster(), proptest::option::of(select(SNAPSHOTS)))
            .prop_map(|(id, snapshot)| Step::DeleteCluster { id, snapshot }),
        2 => (cluster(), select(SNAPSHOTS)).prop_map(|(id, snapshot)| Step::SaveCluster { id, snapshot }),
        2 => (cluster(), select(SNAPSHOTS), any::<bool>())
            .prop_map(|(id, snapshot, is_multi_zone)| Step::RestoreCluster { id, snapshot, is_multi_zone }),
        1 => (cluster(), cluster()).prop_map(|(id, source)| Step::RestoreClusterToTime { id, source }),
        1 => select(SNAPSHOTS).prop_map(|snapshot| Step::DeleteClusterSnapshot { snapshot }),
    ]
}

/// Steps, with time after most of them.
pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![2 => step_of_instance().boxed(), 1 => step_of_cluster().boxed()];
    let timed = (step, proptest::option::weighted(0.7, wait()));
    vec(timed, 1..20)
        .prop_map(|steps| steps.into_iter().flat_map(|(step, wait)| [Some(step), wait]).flatten().collect())
}
