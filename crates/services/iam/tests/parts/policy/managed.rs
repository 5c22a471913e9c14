//! Tests of `policy::managed`.

use nephos_core::Timestamp;
use nephos_iam::parts::document;
use nephos_iam::parts::managed::*;
use std::collections::HashSet;

#[test]
fn policies_are_valid_and_distinct() {
    let mut ids = HashSet::new();
    assert!(table().is_sorted_by_key(|policy| policy.name));
    assert!(table().len() > 1_500, "{}", table().len());
    for policy in table() {
        document::check_managed_policy(policy.document())
            .unwrap_or_else(|error| panic!("{}: {error}", policy.name));
        assert!(ids.insert(&policy.id), "{} is there twice", policy.name);
        for time in [policy.created, policy.updated] {
            time.parse::<Timestamp>().unwrap_or_else(|error| panic!("{}: {error}", policy.name));
        }
    }
}
