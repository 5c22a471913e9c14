//! Behaviour cases of tags of resources of all services.

#![deny(dead_code, reason = "a case that is not listed is not run")]

mod laws;
mod resources;

use nephos_core::{Resource, Result, Tag, Text};
use nephos_events::EventBus;
use nephos_iam::User;
use nephos_logs::LogGroup;
use nephos_tagging::GetResources;
use nephos_testing::ask;

pub use laws::LAWS;

nephos_testing::world!(nephos_tagging::TAGGING, nephos_events::EVENTS, nephos_iam::IAM, nephos_logs::LOGS);

nephos_testing::cases! {
    "tagging", World;
    resources {
        keys_and_values_are_listed,
        parameters_are_checked,
        resources_are_found_by_their_tags,
        resources_are_paginated,
        tags_of_several_resources_are_changed,
    }
}

impl World {
    /// Creates two log groups, an event bus and a user with tags, and a log group without; returns their ARNs.
    fn create_resources(&self) -> Result<[Text; 4]> {
        let session = self.session();
        let group = |name: &str, stage: &str| -> Result<Text> {
            let tags = vec![Tag::new("team", "web"), Tag::new("stage", stage)];
            let model = LogGroup::builder().log_group_name(name).tags(tags).build()?;
            LogGroup::objects(&session).create(&model).wait()?;
            let found = LogGroup::objects(&session).get(name).wait()?.expect("the group was created");
            Ok(Text::new(found.log_group_arn().unwrap_or_default()))
        };
        let (api, web) = (group("/api", "test")?, group("/web", "prod")?);
        LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/plain").build()?).wait()?;
        let bus = EventBus::builder().name("shop").tags(vec![Tag::new("team", "shop")]).build()?;
        let bus = EventBus::objects(&session).create(&bus).wait()?;
        let ann = User::builder().user_name("ann").tags(vec![Tag::new("team", "web")]).build()?;
        let ann = User::objects(&session).create(&ann).wait()?;
        Ok([api, web, bus.require_arn()?.into(), ann.require_arn()?.into()])
    }

    /// Returns the ARNs that a query finds.
    fn found(&self, query: GetResources) -> Result<Vec<String>> {
        let answer = ask(&self.session(), query)?;
        let list = answer.resource_tag_mapping_list().unwrap_or_default().iter();
        Ok(list.filter_map(|mapping| mapping.resource_arn().map(str::to_owned)).collect())
    }
}
