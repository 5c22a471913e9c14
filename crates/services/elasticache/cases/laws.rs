//! Facts about the kinds of the service for the laws over all kinds.

use crate::CacheSubnetGroup;
use nephos_cloud::testing::{KindFacts, LawFacts};

const SUBNET_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"CacheSubnetGroupName": "api", "CacheSubnetGroupDescription": "api", "SubnetIds": ["$Subnet.SubnetId"]}"#,
        r#"{"CacheSubnetGroupName": "web", "CacheSubnetGroupDescription": "web", "Tags": [{"Key": "team", "Value": "web"}],
        "SubnetIds": ["$Subnet0.SubnetId", "$Subnet.SubnetId"]}"#,
    ],
    ..KindFacts::of::<CacheSubnetGroup>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts { kinds: &[SUBNET_GROUP], ..LawFacts::of(&crate::SERVICE) };
