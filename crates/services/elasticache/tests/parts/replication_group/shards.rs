//! Tests of `replication_group::shards`.

use nephos_elasticache::parts::shards::*;

fn plans(slots: &[&str]) -> Vec<ShardPlan> {
    let plan = |slots: &&str| ShardPlan { id: "0001".into(), slots: Some((*slots).into()), zones: vec![] };
    slots.iter().map(plan).collect()
}

#[test]
fn slots_are_split_evenly() {
    assert_eq!(even_slots(1).collect::<Vec<_>>(), ["0-16383"]);
    assert_eq!(even_slots(3).collect::<Vec<_>>(), ["0-5460", "5461-10921", "10922-16383"]);
}

#[test]
fn given_slots_are_all_slots_once() {
    check_slots(&plans(&["0-99,200-16383", "100-199"])).unwrap();
    for slots in [&["0-16382"][..], &["0-16384"], &["0-9000", "9000-16383"], &["a-b"], &["9-1"], &[""]] {
        check_slots(&plans(slots)).unwrap_err();
    }
}
