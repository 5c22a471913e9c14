//! Resources by their tags.

use super::{World, ask};
use nephos_core::{Map, Result, Text, field_value::Choice};
use nephos_tagging::{
    GetResources, GetTagKeys, GetTagValues, TagFilter, TagResources, UntagResources, errors,
};

fn filter(key: &str, values: &[&str]) -> Result<TagFilter> {
    TagFilter::builder()
        .key(key)
        .values(values.iter().map(|value| Text::new(value)).collect::<Vec<_>>())
        .build()
}

pub(super) fn resources_are_found_by_their_tags(world: &World) -> Result<()> {
    let [api, web, bus, ann] = world.create_resources()?;
    let all = world.found(GetResources::new())?;
    assert_eq!(all, [&bus, &ann, &api, &web]);
    let by = |filters: Vec<TagFilter>| world.found(GetResources::new().tag_filters(filters));
    assert_eq!(by(vec![filter("team", &["web"])?])?, [&ann, &api, &web]);
    assert_eq!(by(vec![filter("team", &["web", "shop"])?])?.len(), 4);
    assert_eq!(by(vec![filter("team", &["web"])?, filter("stage", &[])?])?, [&api, &web]);
    assert_eq!(by(vec![filter("team", &["none"])?])?, [""; 0]);
    let of_types = |types: &[&str]| {
        let types: Vec<_> = types.iter().map(|name| Text::new(name)).collect();
        world.found(GetResources::new().resource_type_filters(types))
    };
    assert_eq!(of_types(&["logs"])?, [&api, &web]);
    assert_eq!(of_types(&["logs:log-group", "iam:user"])?, [&ann, &api, &web]);
    assert_eq!(of_types(&["logs:log", "ec2"])?, [""; 0]);
    assert_eq!(world.found(GetResources::new().resource_arn_list(vec![bus.clone()]))?, [&bus]);
    // Users are resources of one Region, and other accounts have none.
    let there = ask(&world.other_region(), GetResources::new())?;
    assert_eq!(there.resource_tag_mapping_list().map(<[_]>::len), Some(0));
    let others = ask(&world.other_account(), GetResources::new())?;
    assert_eq!(others.resource_tag_mapping_list().map(<[_]>::len), Some(0));
    let detailed = ask(&world.session(), GetResources::new().include_compliance_details(true))?;
    let first = &detailed.resource_tag_mapping_list().unwrap_or_default()[0];
    assert_eq!(first.compliance_details().and_then(|details| details.compliance_status()), Some(true));
    Ok(())
}

pub(super) fn resources_are_paginated(world: &World) -> Result<()> {
    world.create_resources()?;
    let whole = world.found(GetResources::new())?;
    for size in [1, 2, 3, 4, 100] {
        let (mut found, mut query) = (Vec::new(), GetResources::new().resources_per_page(size));
        loop {
            found.extend(world.found(query.clone())?);
            query.pagination_token = ask(&world.session(), query.clone())?.pagination_token().map(Text::new);
            if query.pagination_token.is_none() {
                break;
            }
        }
        assert_eq!(found, whole, "pages of {size}");
    }
    assert_eq!(world.found(GetResources::new().tags_per_page(100))?, whole[..2]);
    Ok(())
}

pub(super) fn keys_and_values_are_listed(world: &World) -> Result<()> {
    world.create_resources()?;
    let keys = ask(&world.session(), GetTagKeys::new())?;
    assert_eq!(keys.tag_keys().unwrap_or_default(), ["stage", "team"]);
    let values = ask(&world.session(), GetTagValues::new("team"))?;
    assert_eq!(values.tag_values().unwrap_or_default(), ["shop", "web"]);
    Ok(())
}

pub(super) fn tags_of_several_resources_are_changed(world: &World) -> Result<()> {
    let [api, web, bus, ann] = world.create_resources()?;
    let missing = Text::new("arn:aws:events:us-east-1:123456789012:event-bus/none");
    let foreign = Text::new("arn:aws:moon:us-east-1:123456789012:crater/one");
    let arns = vec![api.clone(), bus.clone(), ann.clone(), missing.clone(), foreign.clone()];
    let tags: Map<Text> = [("owner".into(), "ops".into())].into_iter().collect();
    let answer = ask(&world.session(), TagResources::new(arns, tags.clone()))?;
    let failures = answer.failed_resources_map().expect("the answer has a map");
    assert_eq!(failures.keys().collect::<Vec<_>>(), [&missing, &foreign]);
    let failure = &failures[&missing];
    assert_eq!(failure.error_message(), Some("Event bus none does not exist."));
    let codes: Vec<_> = failures.values().map(|failure| failure.error_code().map(Choice::as_str)).collect();
    assert_eq!(codes, [Some("ResourceNotFoundException"), Some("InvalidParameterException")]);
    let owned = || world.found(GetResources::new().tag_filters(vec![filter("owner", &["ops"])?]));
    assert_eq!(owned()?, [&bus, &ann, &api]);
    let remove = UntagResources::new(vec![bus, ann, web], vec!["owner".into()]);
    assert_eq!(ask(&world.session(), remove)?.failed_resources_map().map(Map::len), Some(0));
    assert_eq!(owned()?, [&api]);
    Ok(())
}

pub(super) fn parameters_are_checked(world: &World) -> Result<()> {
    let refused = |query: GetResources, field: &str| {
        world.refused(&errors::INVALID, field, || ask(&world.session(), query));
    };
    let all = GetResources::new;
    refused(all().tags_per_page(100).resources_per_page(5), "TagsPerPage");
    refused(all().tags_per_page(150), "TagsPerPage");
    refused(all().resource_arn_list(vec!["arn:a".into()]).resources_per_page(5), "ResourcesPerPage");
    refused(all().exclude_compliant_resources(true), "ExcludeCompliantResources");
    refused(all().resources_per_page(101), "ResourcesPerPage");
    world.refused(&errors::TOKEN, "PaginationToken", || ask(&world.session(), all().pagination_token("x")));
    Ok(())
}
