//! Tests of `event::known`.

use nephos_rds::parts::known::*;

#[test]
fn arguments_replace_placeholders_in_order() {
    assert_eq!(
        PARAMETER_CHANGED.message_with(&["tls", "disabled", "pending-reboot"]),
        "Updated parameter tls to disabled with apply method pending-reboot"
    );
    assert_eq!(CLUSTER_RENAMED.message_with(&["a", "b"]), "Renamed cluster from a to b");
    assert_eq!(INSTANCE_CREATED.message_with(&[]), "DB instance created");
}
