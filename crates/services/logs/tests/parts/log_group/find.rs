//! Tests of `log_group::find`.

use crate::endpoint::session_answering;
use nephos_core::{Record, Request, Resource, field_value::FieldType, record::Fields};
use nephos_logs::{ListTagsForResourceResponse, LogGroup, LogGroups};

/// Answers like an endpoint that supports prefixes and ignores identifiers.
fn answer(request: &Request) -> Box<dyn Fields> {
    let params = &*request.params;
    if params.shape().name != "DescribeLogGroups" {
        return Box::new(ListTagsForResourceResponse::blank());
    }
    let (prefix, _) = params.shape().field("logGroupNamePrefix").unwrap();
    let prefix = params.field(prefix).view().to_value();
    let wanted = |name: &&str| name.starts_with(prefix.as_text().unwrap_or_default());
    let groups = ["/a", "/web", "/web/api"].into_iter().filter(wanted).map(|name| {
        format!(
            r#"{{"logGroupName": "{name}", "Arn": "arn:aws:logs:us-east-1:123456789012:log-group:{name}:*"}}"#
        )
    });
    let page = format!(r#"{{"logGroups": [{}]}}"#, groups.collect::<Vec<_>>().join(", "));
    Box::new(LogGroups::from_json(page).unwrap())
}

#[test]
fn get_finds_the_exact_name_if_the_endpoint_ignores_identifiers() {
    let objects = LogGroup::objects(&session_answering(answer));
    let get =
        |name: &str| objects.get(name).wait().unwrap().map(|group| group.require_name().unwrap().to_string());
    assert_eq!(get("/web").as_deref(), Some("/web"));
    assert_eq!(get("/web/api").as_deref(), Some("/web/api"));
    assert_eq!(get("/we"), None);
    assert_eq!(get("/nothing"), None);
}
