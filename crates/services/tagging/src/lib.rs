//! Tags of the resources of all services: finding resources by their tags, and changing the tags of several.
//!
//! Each service of the cloud says which of its resources have tags and how they are changed; nothing here names a service.

pub mod errors;
mod operations;

pub use operations::*;

use nephos_core::shape::Protocol;

nephos_cloud::service! {
    TAGGING = "resourcegroupstaggingapi", "Resources of all services by their tags.";
    shape {
        api_version: "2017-01-26",
        protocol: Protocol::AwsJson {
            target: "ResourceGroupsTaggingAPI_20170126.", version: "1.1", message: "Message",
        },
        endpoint: "tagging",
        signing: "tagging",
        action_prefix: Some("tag"),
        invalid: &errors::INVALID,
        invalid_token: errors::token_expired,
    }
    kinds {

    }
    operations {
        GetResources, GetTagKeys, GetTagValues, TagResources, UntagResources,
    }
    tables {

    }
}
