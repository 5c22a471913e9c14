//! Rules that a service manages.

use super::{QUEUE, World};
use nephos_core::{Result, prelude::*};
use nephos_events::DescribeRule;
use nephos_events::EventRule;
use nephos_events::errors;
use nephos_events::parts::event_rule;
use nephos_testing::with_fields;

pub(super) fn managed_rule_is_changed_only_by_force(world: &World) -> Result<()> {
    let session = world.session();
    let rule = world.create_rule("default", "r")?;
    let target = world.create_target("r", "t", QUEUE)?;
    let scope = nephos_cloud::Scope::new("123456789012", "us-east-1");
    world.cloud().run_in_transaction(move |cx| {
        cx.in_scope(&scope, |cx| {
            let rule = event_rule::require::<DescribeRule>(cx, None, "r")?;
            cx.put(with_fields(&rule, r#"{"ManagedBy": "schemas.amazonaws.com"}"#))
        })
    })?;
    assert_eq!(world.existing_rule("default", "r")?.managed_by(), Some("schemas.amazonaws.com"));
    let refused = world.refused(&errors::MANAGED_RULE, None, || rule.delete().wait());
    assert!(refused.hint().unwrap_or_default().contains("schemas.amazonaws.com"));
    world.refused(&errors::MANAGED_RULE, None, || rule.disable().wait());
    world.refused(&errors::MANAGED_RULE, None, || rule.enable().wait());
    world.refused(&errors::MANAGED_RULE, None, || world.create_rule("default", "r"));
    let tag = || EventRule::objects(&session).tag(rule.require_arn()?, vec![Tag::new("a", "b")]).wait();
    world.refused(&errors::MANAGED_RULE, None, tag);
    world.refused(&errors::MANAGED_RULE, None, || world.create_target("r", "u", QUEUE));
    world.refused(&errors::MANAGED_RULE, None, || target.delete().wait());
    target.delete().force(true).wait()?;
    EventRule::objects(&session).delete("r").force(true).wait()?;
    assert!(EventRule::objects(&session).get("r").wait()?.is_none());
    Ok(())
}
