//! Tests of `role::linked_services`.

use nephos_iam::parts::linked_services::*;
use nephos_iam::parts::managed;

#[test]
fn services_are_distinct_and_their_policies_exist() {
    assert!(SERVICES.is_sorted_by_key(|(service, ..)| *service));
    for (service, _, policy) in SERVICES {
        assert!(
            managed::named(policy).is_some_and(|policy| policy.path == managed::SERVICE_LINKED_PATH),
            "{service}: {policy}"
        );
    }
}
