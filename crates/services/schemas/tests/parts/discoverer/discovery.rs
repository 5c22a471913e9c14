//! Tests of `discoverer::discovery`.

use nephos_schemas::parts::discovery::*;

#[test]
fn names_follow_source_and_detail_type() {
    for (source, detail_type, name) in [
        ("shop", "Order placed!", "shop@OrderPlaced"),
        ("aws.ec2", "EC2 Instance State-change Notification", "aws.ec2@EC2InstanceStateChangeNotification"),
        ("my/shop", "!", "my-shop@Event"),
    ] {
        assert_eq!(schema_name(source, detail_type), name);
    }
    assert_eq!(rule_name("events-event-bus-default"), "Schemas-events-event-bus-default");
    assert_eq!(rule_name(&"a/".repeat(40)).len(), MAX_RULE_NAME);
}
