//! Listing log groups: order, prefix, pattern, class and identifier.

use super::{World, ask, names};
use nephos_core::{Lookup, Resource, Result, Text};
use nephos_logs::{DataSourceFilter, DescribeLogGroups, ListLogGroups, LogGroup, LogGroupClass, TagFilter};

pub(super) fn list_returns_groups_in_ascii_order(world: &World) -> Result<()> {
    let mut all = ["a", "B", "a/b", "a-b", "a.b", "a#b", "_", "/", "0", "ab", "a0", "Z", "z"];
    for name in all {
        world.create_group(name)?;
    }
    all.sort_unstable();
    assert_eq!(world.group_names()?, all);
    Ok(())
}

/// Prefix and pattern are case-sensitive.
pub(super) fn list_filters_groups_by_prefix_and_pattern(world: &World) -> Result<()> {
    for name in ["/web/api", "/web/Api", "/web", "web", "/api"] {
        world.create_group(name)?;
    }
    let list = || LogGroup::objects(&world.session()).list();
    let with_prefix = |prefix: &str| names(&list().log_group_name_prefix(prefix).results().all().wait()?);
    assert_eq!(with_prefix("/web")?, ["/web", "/web/Api", "/web/api"]);
    assert_eq!(with_prefix("/web/a")?, ["/web/api"]);
    assert_eq!(with_prefix("api")?, [""; 0]);
    let with_pattern = |pattern: &str| names(&list().log_group_name_pattern(pattern).results().all().wait()?);
    assert_eq!(with_pattern("api")?, ["/api", "/web/api"]);
    assert_eq!(with_pattern("web")?, ["/web", "/web/Api", "/web/api", "web"]);
    assert_eq!(with_pattern("")?.len(), 5);
    assert_eq!(with_pattern("x")?, [""; 0]);
    Ok(())
}

/// On the wire, a search by pattern returns only names, ARNs, classes, creation times and numbers of metric filters.
pub(super) fn list_by_pattern_returns_all_fields(world: &World) -> Result<()> {
    world.create(&LogGroup::builder().log_group_name("/web").retention_in_days(7).build()?)?;
    let page = ask(&world.session(), DescribeLogGroups::new().log_group_name_pattern("web"))?;
    let group = &page.log_groups().expect("the answer has a list")[0];
    assert_eq!((group.require_name()?, group.creation_time()), ("/web", Some(world.now())));
    assert!(group.arn().is_ok());
    assert!(group.log_group_arn().is_some_and(|arn| arn.ends_with(":log-group:/web")));
    assert_eq!((group.metric_filter_count(), group.log_group_class().is_some()), (Some(0), true));
    assert_eq!((group.retention_in_days(), group.stored_bytes()), (None, None));
    let found = LogGroup::objects(&world.session()).list().log_group_name_pattern("web").results();
    let found = found.first().wait()?.expect("the listing is not empty");
    assert_eq!((found.retention_in_days(), found.stored_bytes()), (Some(7), Some(0)));
    Ok(())
}

pub(super) fn list_filters_groups_by_class(world: &World) -> Result<()> {
    for (name, class) in
        [("a", LogGroupClass::Standard), ("b", LogGroupClass::Delivery), ("c", LogGroupClass::Standard)]
    {
        world.create(&LogGroup::builder().log_group_name(name).log_group_class(class).build()?)?;
    }
    let list = |class| LogGroup::objects(&world.session()).list().log_group_class(class).limit(1);
    assert_eq!(names(&list(LogGroupClass::Standard).results().all().wait()?)?, ["a", "c"]);
    assert_eq!(names(&list(LogGroupClass::Delivery).results().all().wait()?)?, ["b"]);
    assert_eq!(list(LogGroupClass::InfrequentAccess).results().count().wait()?, 0);
    let matching = list(LogGroupClass::Standard).log_group_name_pattern("c").results().all().wait()?;
    assert_eq!(names(&matching)?, ["c"]);
    world.assert_invalid("logGroupClass", || {
        list(LogGroupClass::Unknown("OTHER".into())).results().all().wait()
    });
    Ok(())
}

/// Identifiers are names or ARNs; missing groups are omitted.
pub(super) fn list_finds_groups_by_identifier(world: &World) -> Result<()> {
    for name in ["c", "b", "a"] {
        world.create_group(name)?;
    }
    let arn = world.get_group("a")?.require_arn()?.to_owned();
    let list = |wanted: Vec<Text>| LogGroup::objects(&world.session()).list().log_group_identifiers(wanted);
    let chosen = list(vec!["c".into(), arn.into(), "none".into(), "a".into()]).results().all().wait()?;
    assert_eq!(names(&chosen)?, ["a", "c"]);
    let other_region_arn = "arn:aws:logs:eu-west-1:123456789012:log-group:a";
    assert_eq!(list(vec![other_region_arn.into()]).results().count().wait()?, 0);
    world.assert_invalid("logGroupIdentifiers", || list(Vec::new()).results().all().wait());
    world.assert_invalid("logGroupIdentifiers", || list(vec!["a".into(); 51]).results().all().wait());
    assert_eq!(list(vec!["a".into(); 50]).results().count().wait()?, 1);
    world.assert_invalid("logGroupIdentifiers", || {
        list(vec!["arn:aws:kms:us-east-1:123456789012:key/one".into()]).results().all().wait()
    });
    Ok(())
}

pub(super) fn mutually_exclusive_list_parameters_are_rejected(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let list = || LogGroup::objects(&world.session()).list();
    world.assert_invalid("logGroupNamePattern", || {
        list().log_group_name_prefix("/").log_group_name_pattern("w").results().all().wait()
    });
    let named = || list().log_group_identifiers(["/web"]);
    world.assert_invalid("logGroupNamePrefix", || named().log_group_name_prefix("/").results().all().wait());
    world
        .assert_invalid("logGroupNamePattern", || named().log_group_name_pattern("w").results().all().wait());
    world.assert_invalid("limit", || named().limit(1).results().all().wait());
    world.assert_invalid("logGroupClass", || {
        named().log_group_class(LogGroupClass::Standard).results().all().wait()
    });
    world.assert_invalid("accountIdentifiers", || {
        let named = list().log_group_identifiers([world.get_group("/web")?.require_arn()?]);
        let named = named.account_identifiers(["123456789012"]).include_linked_accounts(true);
        named.results().all().wait()
    });
    world.assert_invalid("nextToken", || {
        ask(&world.session(), DescribeLogGroups::new().log_group_identifiers(["/web"]).next_token("x"))
    });
    Ok(())
}

pub(super) fn invalid_list_parameters_are_rejected(world: &World) -> Result<()> {
    let list = || LogGroup::objects(&world.session()).list();
    for limit in [0, 51, -1] {
        world.assert_invalid("limit", || list().limit(limit).results().all().wait());
    }
    let long = "a".repeat(513);
    for prefix in ["", "a b", long.as_str()] {
        world.assert_invalid("logGroupNamePrefix", || {
            list().log_group_name_prefix(prefix).results().all().wait()
        });
    }
    for pattern in ["a b", "*", long.as_str()] {
        world.assert_invalid("logGroupNamePattern", || {
            list().log_group_name_pattern(pattern).results().all().wait()
        });
    }
    let error =
        world.assert_invalid("logGroupPrefix", || list().set("logGroupPrefix", "x").results().all().wait());
    assert!(error.message().contains("did you mean logGroupNamePrefix?"), "{error}");
    Ok(())
}

/// Predicates that are translated into parameters of the service return the same groups as filtering all groups.
pub(super) fn filters_return_the_same_groups_in_service_and_client(world: &World) -> Result<()> {
    for name in ["/web", "/web/api", "/Web", "web", "a.b", "a-b", "/api/web/1"] {
        world.create_group(name)?;
    }
    let all = LogGroup::objects(&world.session()).list().results().all().wait()?;
    let text = ["/web", "web", "/", "a.b", "a", "", "é", "a b", "/web*", "none", "WEB"];
    for lookup in [
        Lookup::Exact,
        Lookup::IExact,
        Lookup::Contains,
        Lookup::IContains,
        Lookup::StartsWith,
        Lookup::IStartsWith,
        Lookup::EndsWith,
    ] {
        for text in text {
            let field = LogGroup::FIELDS.log_group_name.lookup(lookup, text)?;
            for predicate in [field.clone(), field.clone() & LogGroup::FIELDS.creation_time.is_set(), !field]
            {
                let filtered_locally =
                    nephos_core::Results::from_models(all.clone()).filter(predicate.clone());
                let results = LogGroup::objects(&world.session()).list().limit(2).results();
                let filtered_by_service = results.filter(predicate);
                let (filtered_by_service, filtered_locally) =
                    (filtered_by_service.all().wait()?, filtered_locally.all().wait()?);
                assert_eq!(names(&filtered_by_service)?, names(&filtered_locally)?, "{lookup:?} {text:?}");
                assert_eq!(filtered_by_service, filtered_locally, "{lookup:?} {text:?}");
            }
        }
    }
    let filtered = LogGroup::objects(&world.session()).list().log_group_name_prefix("/w").results();
    let filtered = filtered.filter(LogGroup::FIELDS.log_group_name.contains("api"));
    assert_eq!(names(&filtered.all().wait()?)?, ["/web/api"]);
    Ok(())
}

/// Returns the names of all pages of a listing.
fn summary_names(world: &World, list: &ListLogGroups) -> Result<Vec<String>> {
    let (mut found, mut list) = (Vec::new(), list.clone());
    loop {
        let page = ask(&world.session(), list.clone())?;
        let groups = page.log_groups().unwrap_or_default();
        found.extend(groups.iter().filter_map(|group| group.log_group_name().map(str::to_owned)));
        let Some(token) = page.next_token() else { return Ok(found) };
        list = list.next_token(token);
    }
}

/// A part that begins with `^` is a prefix, any other a substring.
pub(super) fn list_log_groups_finds_groups_by_patterns(world: &World) -> Result<()> {
    for name in ["/aws/lambda/a", "/aws/lambda/b", "/web", "/web/api", "/my/web"] {
        world.create_group(name)?;
    }
    let list = |pattern: &str| ListLogGroups::new().log_group_name_pattern(pattern);
    for limit in [1, 2, 1000] {
        let find = |pattern: &str| summary_names(world, &list(pattern).limit(limit));
        assert_eq!(find("web")?, ["/my/web", "/web", "/web/api"]);
        assert_eq!(find("^/web")?, ["/web", "/web/api"]);
        assert_eq!(find("^/aws|api")?, ["/aws/lambda/a", "/aws/lambda/b", "/web/api"]);
        assert_eq!(find("WEB")?, [""; 0]);
    }
    let page = ask(&world.session(), list("^/web"))?;
    let group = &page.log_groups().expect("the answer has a list")[0];
    assert_eq!(group.log_group_arn(), Some("arn:aws:logs:us-east-1:123456789012:log-group:/web"));
    assert_eq!(group.log_group_class(), Some(&LogGroupClass::Standard));
    let parts = ["abc"; 6].join("|");
    for pattern in ["ab", "a b c", "^^/web", "*web", parts.as_str(), "x|web", &"a".repeat(25)] {
        world.assert_invalid("logGroupNamePattern", || ask(&world.session(), list(pattern)));
    }
    for limit in [0, 1001] {
        world.assert_invalid("limit", || ask(&world.session(), ListLogGroups::new().limit(limit)));
    }
    world.assert_invalid("nextToken", || ask(&world.session(), ListLogGroups::new().next_token("x")));
    Ok(())
}

/// All filters must match.
pub(super) fn list_log_groups_finds_groups_by_class_and_tags(world: &World) -> Result<()> {
    for (name, class, stage) in [
        ("a", LogGroupClass::Standard, "prod"),
        ("b", LogGroupClass::Standard, "Production"),
        ("c", LogGroupClass::InfrequentAccess, "prod"),
    ] {
        let group = LogGroup::builder().log_group_name(name).log_group_class(class).tags([("stage", stage)]);
        world.create(&group.build()?)?;
    }
    world.create_group("d")?;
    let find = |list: ListLogGroups| summary_names(world, &list);
    assert_eq!(find(ListLogGroups::new().log_group_class(LogGroupClass::InfrequentAccess))?, ["c"]);
    let tagged = |key: &str, values: &[&str]| {
        let values: Vec<Text> = values.iter().map(|value| Text::new(value)).collect();
        let filter = TagFilter::builder().key(key).values(values).build()?;
        find(ListLogGroups::new().log_group_tags(vec![filter]))
    };
    assert_eq!(tagged("stage", &[])?, ["a", "b", "c"]);
    assert_eq!(tagged("stage", &["prod"])?, ["a", "c"]);
    assert_eq!(tagged("stage", &["prod*"])?, ["a", "b", "c"]);
    assert_eq!(tagged("stage", &["!prod"])?, ["b"]);
    assert_eq!(tagged("stage", &["test", "*TION"])?, ["b"]);
    assert_eq!(tagged("other", &[])?, [""; 0]);
    let of_class = TagFilter::builder().key("stage").values(["prod"]).build()?;
    let both = ListLogGroups::new().log_group_class(LogGroupClass::Standard).log_group_tags(vec![of_class]);
    assert_eq!(find(both)?, ["a"]);
    let source = DataSourceFilter::builder().name("amazon_vpc").build()?;
    assert_eq!(find(ListLogGroups::new().data_sources(vec![source]))?, [""; 0], "groups have no data source");
    assert_eq!(find(ListLogGroups::new().field_index_names(["requestId"]))?, [""; 0]);
    Ok(())
}
