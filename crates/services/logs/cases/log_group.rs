//! Creating, getting and deleting log groups.

use super::{HOUR, OTHER_ACCOUNT, World, ask, errors};
use nephos_core::python::PythonModel as _;
use nephos_core::{ErrorKind, Map, Pk, Resource, Result, Tagged, Value};
use nephos_logs::{
    CreateLogGroup, LogEvent, LogGroup, LogGroupClass, LogStream, PutLogGroupDeletionProtection,
    PutRetentionPolicy,
};

const RETENTIONS: [i64; 22] =
    [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653];

/// Constructs a model without validation.
fn construct_unchecked(values: &[(&str, Value)]) -> LogGroup {
    let values: Map<Value> = values.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    LogGroup::model_construct(None, values)
}

/// A group has the given fields and the service-set fields.
pub(super) fn get_returns_a_log_group_as_created(world: &World) -> Result<()> {
    let key = world.crypto_key("one");
    let group = LogGroup::builder()
        .log_group_name("/web/api")
        .retention_in_days(30)
        .kms_key_id(key.as_str())
        .log_group_class(LogGroupClass::InfrequentAccess)
        .deletion_protection_enabled(true)
        .tags([("team", "web")])
        .build()?;
    LogGroup::objects(&world.session()).create(&group).wait()?;
    let created = world.now();
    world.advance(HOUR)?;
    let found = world.get_group("/web/api")?;
    assert_eq!(found.require_arn()?, "arn:aws:logs:us-east-1:123456789012:log-group:/web/api:*");
    assert_eq!(found.log_group_arn(), Some("arn:aws:logs:us-east-1:123456789012:log-group:/web/api"));
    assert_eq!(found.require_name()?, "/web/api");
    assert_eq!(found.pk()?, Pk::Single(found.require_arn()?.into()));
    assert_eq!(found.creation_time(), Some(created));
    assert_eq!(found.retention_in_days(), Some(30));
    assert_eq!((found.metric_filter_count(), found.stored_bytes()), (Some(0), Some(0)));
    assert_eq!(found.kms_key_id(), Some(key.as_str()));
    assert_eq!((found.data_protection_status(), found.inherited_properties()), (None, None));
    assert_eq!(found.log_group_class(), Some(&LogGroupClass::InfrequentAccess));
    assert_eq!(found.deletion_protection_enabled(), Some(true));
    assert_eq!(found.bearer_token_authentication_enabled(), Some(false));
    assert_eq!(found.tags_map().wait()?.get("team").map(|value| value.as_str()), Some("web"));
    assert!(found.is_saved() && found.changed().is_empty());
    Ok(())
}

pub(super) fn log_group_has_default_values(world: &World) -> Result<()> {
    let found = world.create_group("plain")?;
    assert_eq!(found.retention_in_days(), None, "events never expire");
    assert_eq!(found.log_group_class(), Some(&LogGroupClass::Standard));
    assert_eq!(found.deletion_protection_enabled(), Some(false));
    assert_eq!((found.kms_key_id(), found.tags_map().wait()?.len()), (None, 0));
    Ok(())
}

/// Model and service check the length of 1 to 512 characters and the allowed characters.
pub(super) fn invalid_log_group_names_are_rejected(world: &World) -> Result<()> {
    let longest = "a".repeat(512);
    for name in ["a", "A.b-c_d/e#f9", "#", longest.as_str(), "/aws/lambda/f", "AWS/x", "aws", "awsx/"] {
        world.create_group(name)?;
    }
    let too_long = "a".repeat(513);
    for name in ["", too_long.as_str(), "a b", "a:b", "a*", "é", "a\n", "a\0b", "a,b", "a@b"] {
        let error = LogGroup::builder().log_group_name(name).build().expect_err("the model rejects it");
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("logGroupName")), "{name:?}");
        world.assert_invalid("logGroupName", || ask(&world.session(), CreateLogGroup::new(name)));
        world.assert_invalid("model.logGroupName", || {
            LogGroup::objects(&world.session())
                .create(&construct_unchecked(&[("logGroupName", name.into())]))
                .wait()
        });
    }
    Ok(())
}

/// The prefix `aws/` is reserved.
pub(super) fn log_group_names_with_reserved_prefix_are_rejected(world: &World) -> Result<()> {
    for name in ["aws/", "aws/spans"] {
        let group = LogGroup::builder().log_group_name(name).build()?;
        world.assert_invalid("logGroupName", || LogGroup::objects(&world.session()).create(&group).wait());
    }
    Ok(())
}

pub(super) fn create_without_name_is_rejected(world: &World) -> Result<()> {
    let group = LogGroup::builder().retention_in_days(1).build()?;
    world.assert_invalid("logGroupName", || LogGroup::objects(&world.session()).create(&group).wait());
    Ok(())
}

pub(super) fn retention_must_be_an_allowed_number_of_days(world: &World) -> Result<()> {
    for days in RETENTIONS {
        let name = format!("kept-{days}");
        let group = LogGroup::builder().log_group_name(name.as_str()).retention_in_days(days).build()?;
        assert_eq!(world.create(&group)?.retention_in_days(), Some(days));
    }
    let mut group = world.get_group("kept-7")?;
    for days in [0, 2, 4, 6, 8, 15, 31, 364, 366, 3652, 3654, -1, i64::MAX, i64::MIN] {
        let error = group.set_retention_in_days(days).expect_err("the model rejects it");
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("retentionInDays")), "{days}");
        assert_eq!(group.retention_in_days(), Some(7), "the old value is kept");
        world.assert_invalid("retentionInDays", || {
            ask(&world.session(), PutRetentionPolicy::new("kept-7", days))
        });
        world.assert_invalid("model.retentionInDays", || {
            let group =
                construct_unchecked(&[("logGroupName", "new".into()), ("retentionInDays", days.into())]);
            LogGroup::objects(&world.session()).create(&group).wait()
        });
    }
    Ok(())
}

/// Other accounts and Regions can have a group with the same name.
pub(super) fn log_group_name_is_unique_per_account_and_region(world: &World) -> Result<()> {
    let group = world.create_group("/web")?;
    let again = LogGroup::builder().log_group_name("/web").retention_in_days(1).build()?;
    world.refused(&errors::EXISTS, None, || LogGroup::objects(&world.session()).create(&again).wait());
    world.refused(&errors::EXISTS, None, || LogGroup::objects(&world.session()).create(&group).wait());
    for session in [world.other_account(), world.other_region()] {
        LogGroup::objects(&session).create(&again).wait()?;
        assert_eq!(LogGroup::objects(&session).list().results().count().wait()?, 1);
        let found = LogGroup::objects(&session).get("/web").wait()?.expect("it was created there");
        assert!(
            found.require_arn()?.contains(session.account())
                && found.require_arn()?.contains(session.region())
        );
    }
    assert_eq!(world.get_group("/web")?.retention_in_days(), None);
    Ok(())
}

/// Unknown values of enums are rejected, too.
pub(super) fn service_set_fields_cannot_be_assigned(world: &World) -> Result<()> {
    let mut group = world.create_group("/web")?;
    let before = group.clone();
    for (field, value) in [
        ("Arn", Value::from("arn:aws:logs:us-east-1:123456789012:log-group:/x:*")),
        ("creationTime", 1.into()),
        ("metricFilterCount", 1.into()),
        ("storedBytes", 1.into()),
        ("dataProtectionStatus", "ACTIVATED".into()),
        ("inheritedProperties", Value::List(vec!["ACCOUNT_DATA_PROTECTION".into()])),
        ("logGroupArn", "arn:aws:logs:us-east-1:123456789012:log-group:/x".into()),
        ("bearerTokenAuthenticationEnabled", true.into()),
    ] {
        let error = nephos_core::Record::set(&mut group, field, value).expect_err("the field is service-set");
        assert_eq!((error.kind(), error.field()), (ErrorKind::Frozen, Some(field)));
        assert!(error.is_value_error());
    }
    for class in ["ESSENTIALS", "standard", ""] {
        let error = nephos_core::Record::set(&mut group, "logGroupClass", class).expect_err("unknown class");
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("logGroupClass")));
        world.assert_invalid("logGroupClass", || {
            let class = LogGroupClass::Unknown(class.into());
            ask(&world.session(), CreateLogGroup::new("/x").log_group_class(class))
        });
    }
    assert_eq!(group, before);
    Ok(())
}

/// The ARN can have a trailing `:*`.
pub(super) fn get_finds_a_log_group_by_name_and_arn(world: &World) -> Result<()> {
    world.create_group("/web")?;
    world.create_group("/web/api")?;
    let objects = LogGroup::objects(&world.session());
    let arn = "arn:aws:logs:us-east-1:123456789012:log-group:/web";
    for identifier in ["/web", arn, &format!("{arn}:*")] {
        let found = objects.get(identifier).wait()?.expect("the group exists");
        assert_eq!(found.require_name()?, "/web", "{identifier}");
    }
    for identifier in [
        "/we",
        "/web/",
        "/WEB",
        "a b",
        &arn.replace("123456789012", OTHER_ACCOUNT),
        &arn.replace("us-east-1", "eu-west-1"),
        &format!("{arn}/none"),
    ] {
        assert_eq!(objects.get(identifier).wait()?, None, "{identifier}");
    }
    for identifier in
        ["arn:aws:kms:us-east-1:123456789012:key/one", "arn:aws:logs:us-east-1:123456789012:destination:x"]
    {
        world.assert_invalid("logGroupIdentifier", || objects.get(identifier).wait());
    }
    Ok(())
}

/// Groups of other accounts and Regions are not found.
pub(super) fn get_returns_none_for_a_missing_log_group(world: &World) -> Result<()> {
    assert_eq!(LogGroup::objects(&world.session()).get("/web").wait()?, None);
    world.create_group("/web")?;
    for session in [world.other_account(), world.other_region()] {
        assert_eq!(LogGroup::objects(&session).get("/web").wait()?, None);
        assert!(!LogGroup::objects(&session).list().results().exists().wait()?);
    }
    Ok(())
}

/// The pattern is a case-sensitive substring of the name.
pub(super) fn get_applies_the_name_pattern(world: &World) -> Result<()> {
    world.create_group("/web/Api")?;
    let get = |pattern: &str| {
        LogGroup::objects(&world.session()).get("/web/Api").log_group_name_pattern(pattern).wait()
    };
    for pattern in ["", "/web/Api", "b/A", "i"] {
        assert!(get(pattern)?.is_some(), "{pattern}");
    }
    for pattern in ["api", "/web/Api/", "*", "x"] {
        assert_eq!(get(pattern)?, None, "{pattern}");
    }
    Ok(())
}

pub(super) fn invalid_get_parameters_are_rejected(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let get = || LogGroup::objects(&world.session()).get("/web");
    for limit in [1, 50] {
        assert!(get().limit(limit).wait()?.is_some());
    }
    for limit in [0, 51, -1] {
        world.assert_invalid("limit", || get().limit(limit).wait());
    }
    assert!(get().include_linked_accounts(false).wait()?.is_some());
    world.assert_invalid("accountIdentifiers", || get().account_identifiers([OTHER_ACCOUNT]).wait());
    world.assert_invalid("accountIdentifiers", || {
        get().account_identifiers([OTHER_ACCOUNT]).include_linked_accounts(false).wait()
    });
    let accounts = |many: usize| vec![nephos_core::Text::from(OTHER_ACCOUNT); many];
    world.assert_invalid("accountIdentifiers", || {
        get().account_identifiers(accounts(21)).include_linked_accounts(true).wait()
    });
    for invalid in ["12345678901", "1234567890123", "12345678901x", ""] {
        world.assert_invalid("accountIdentifiers[0]", || {
            get().account_identifiers([invalid]).include_linked_accounts(true).wait()
        });
    }
    world.assert_invalid("logGroupNamePattern", || get().log_group_name_pattern("a".repeat(513)).wait());
    let error = world.assert_invalid("logGroupNamePatern", || get().set("logGroupNamePatern", "x").wait());
    assert!(error.message().contains("did you mean logGroupNamePattern?"), "{error}");
    Ok(())
}

/// Streams, events, filters and policy are removed with the group.
pub(super) fn delete_removes_all_rows_of_a_log_group(world: &World) -> Result<()> {
    world.create_group("/other")?;
    let before = world.state()?;
    world.create_group_with_stream("/web")?;
    world.put_events("/web", "main", &[(world.now(), "hello"), (world.now(), "again")])?;
    super::metric_filter::create_filter(world, "/web", "errors")?;
    super::subscription_filter::create_filter(world, "/web", "out")?;
    super::protection::put_email_policy(world, "/web")?;
    LogGroup::objects(&world.session()).delete("/web").wait()?;
    world.assert_unchanged(&before)?;
    world.create_group_with_stream("/web")?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    assert_eq!(world.get_group("/web")?.data_protection_status(), None);
    Ok(())
}

pub(super) fn deleted_log_group_is_not_found(world: &World) -> Result<()> {
    let group = world.create_group_with_stream("/web")?;
    world.create_group("/web2")?;
    let objects = LogGroup::objects(&world.session());
    objects.delete("/web").wait()?;
    assert_eq!(objects.get("/web").wait()?, None);
    assert_eq!(objects.get(group.require_arn()?).wait()?, None);
    assert_eq!(world.group_names()?, ["/web2"]);
    let found = objects.list().log_group_name_pattern("web").results().count().wait()?;
    assert_eq!(found, 1);
    world.refused(&errors::NOT_FOUND, None, || objects.delete("/web").wait());
    assert_eq!(LogStream::objects(&world.session()).get("/web", "main").wait()?, None);
    Ok(())
}

pub(super) fn delete_by_arn_is_rejected(world: &World) -> Result<()> {
    let group = world.create_group("/web")?;
    world.assert_invalid("logGroupName", || {
        LogGroup::objects(&world.session()).delete(group.require_arn().unwrap_or_default()).wait()
    });
    Ok(())
}

/// Group and streams can be deleted after the protection is disabled.
pub(super) fn deletion_protection_covers_log_group_and_streams(world: &World) -> Result<()> {
    let group = LogGroup::builder().log_group_name("/web").deletion_protection_enabled(true).build()?;
    let group = world.create(&group)?;
    world.create_stream("/web", "main")?;
    world.put_events("/web", "main", &[(world.now(), "hello")])?;
    let (groups, streams) = (LogGroup::objects(&world.session()), LogStream::objects(&world.session()));
    world.refused(&errors::PROTECTED, None, || groups.delete("/web").wait());
    world.refused(&errors::PROTECTED, None, || group.delete().wait());
    world.refused(&errors::PROTECTED, None, || streams.delete("/web", "main").wait());
    assert_eq!(errors::PROTECTED.code, "ValidationException");
    world.refused(&errors::NOT_FOUND, None, || streams.delete("/web", "none").wait());
    for identifier in ["/web", group.require_arn()?] {
        ask(&world.session(), PutLogGroupDeletionProtection::new(identifier, true))?;
        assert_eq!(world.get_group("/web")?.deletion_protection_enabled(), Some(true));
        ask(&world.session(), PutLogGroupDeletionProtection::new(identifier, false))?;
        assert_eq!(world.get_group("/web")?.deletion_protection_enabled(), Some(false));
    }
    streams.delete("/web", "main").wait()?;
    groups.delete("/web").wait()?;
    assert_eq!(groups.get("/web").wait()?, None);
    Ok(())
}

/// If the second operation of a create fails, the first is rolled back.
pub(super) fn failed_create_is_rolled_back(world: &World) -> Result<()> {
    for days in [1, 7] {
        let group = LogGroup::builder()
            .log_group_name("/delivery")
            .log_group_class(LogGroupClass::Delivery)
            .retention_in_days(days)
            .tags([("team", "web")])
            .build()?;
        world.assert_invalid("retentionInDays", || LogGroup::objects(&world.session()).create(&group).wait());
        assert_eq!(LogGroup::objects(&world.session()).get("/delivery").wait()?, None);
    }
    Ok(())
}

pub(super) fn kms_key_must_be_an_arn_in_the_region(world: &World) -> Result<()> {
    let key = world.crypto_key("one");
    ask(&world.session(), CreateLogGroup::new("/web").kms_key_id(key.as_str()))?;
    assert_eq!(world.get_group("/web")?.kms_key_id(), Some(key.as_str()));
    let invalid_keys = [
        "one".to_owned(),
        "arn:aws:kms:us-east-1:123456789012:key/".to_owned(),
        "arn:aws:kms:us-east-1:123456789012:alias/one".to_owned(),
        "arn:aws:s3:us-east-1:123456789012:key/one".to_owned(),
        "arn:aws:kms:eu-west-1:123456789012:key/one".to_owned(),
        format!("{key}{}", "x".repeat(257 - key.len())),
    ];
    for key in &invalid_keys {
        world.assert_invalid("kmsKeyId", || {
            ask(&world.session(), CreateLogGroup::new("/new").kms_key_id(key))
        });
    }
    Ok(())
}

pub(super) fn preview_reports_changes_and_makes_none(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    world.put_events("/web", "main", &[(world.now(), "hello")])?;
    let before = world.state()?;
    let objects = LogGroup::objects(&world.session());
    let preview = objects.delete("/web").preview().wait()?;
    let rows: Vec<_> = preview.changes.iter().map(|change| change.row.as_str()).collect();
    assert!(rows.contains(&"log-group /web") && rows.contains(&"log-stream /web main"), "{rows:?}");
    assert!(preview.changes.iter().all(|change| change.after.is_empty() && !change.before.is_empty()));
    let new = LogGroup::builder().log_group_name("/new").retention_in_days(5).build()?;
    let preview = objects.create(&new).preview().wait()?;
    assert_eq!(preview.changes.len(), 1);
    assert_eq!(preview.changes[0].after.get("retentionInDays"), Some(&5.into()));
    world.refused(&errors::EXISTS, None, || {
        let again = LogGroup::builder().log_group_name("/web").build()?;
        objects.create(&again).preview().wait()
    });
    world.assert_unchanged(&before)?;
    assert_eq!(LogEvent::objects(&world.session()).list("/web").results().count().wait()?, 1);
    Ok(())
}
