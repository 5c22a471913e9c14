//! Metric filters.

use super::{HOUR, World, ask, errors, names};
use nephos_core::{ErrorKind, Map, Resource, Result, Text};
use nephos_logs::{
    DescribeMetricFilters, LogGroup, LogGroupClass, MetricFilter, MetricTransformation, PutMetricFilter,
    StandardUnit,
};

/// Builds a transformation with this metric value.
pub(super) fn transformation(value: &str) -> Result<MetricTransformation> {
    MetricTransformation::builder().metric_name("Errors").metric_namespace("Web").metric_value(value).build()
}

fn build_filter(group: &str, name: &str) -> Result<MetricFilter> {
    MetricFilter::builder()
        .log_group_name(group)
        .filter_name(name)
        .filter_pattern("ERROR")
        .metric_transformations(vec![transformation("1")?])
        .build()
}

/// Creates a filter of a group.
pub(super) fn create_filter(world: &World, group: &str, name: &str) -> Result<()> {
    MetricFilter::objects(&world.session()).create(&build_filter(group, name)?).wait()
}

fn filter_count(world: &World) -> Result<Option<i64>> {
    Ok(world.get_group("/web")?.metric_filter_count())
}

/// The filter is counted in its group.
pub(super) fn get_returns_a_metric_filter_as_created(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let dimensions: Map<Text> = [("Host".into(), "$.host".into())].into_iter().collect();
    let transformation = MetricTransformation::builder()
        .metric_name("Latency")
        .metric_namespace("Web/Api:v1")
        .metric_value("$.latency")
        .dimensions(dimensions)
        .unit(StandardUnit::Milliseconds)
        .build()?;
    let filter = MetricFilter::builder()
        .log_group_name("/web")
        .filter_name("latency")
        .filter_pattern("{ $.latency = * }")
        .metric_transformations(vec![transformation.clone()])
        .apply_on_transformed_logs(true)
        .field_selection_criteria(r#"@aws.account = "123456789012""#)
        .emit_system_field_dimensions(["@aws.account", "@aws.region"])
        .build()?;
    let objects = MetricFilter::objects(&world.session());
    objects.create(&filter).wait()?;
    let found = objects.get("/web", "latency").wait()?.expect("it was created");
    assert_eq!((found.log_group_name(), found.require_name()?), (Some("/web"), "latency"));
    assert_eq!(found.filter_pattern(), Some("{ $.latency = * }"));
    assert_eq!(found.metric_transformations(), Some(&[transformation][..]));
    assert_eq!((found.creation_time(), found.apply_on_transformed_logs()), (Some(world.now()), Some(true)));
    assert_eq!(found.field_selection_criteria(), Some(r#"@aws.account = "123456789012""#));
    assert_eq!(found.emit_system_field_dimensions().map(<[_]>::len), Some(2));
    assert_eq!(filter_count(world)?, Some(1));
    let by_metric = objects.list().metric_name("Latency").metric_namespace("Web/Api:v1");
    assert_eq!(by_metric.results().count().wait()?, 1);
    create_filter(world, "/web", "errors")?;
    let plain = objects.get("/web", "errors").wait()?.expect("it was created");
    assert_eq!(plain.apply_on_transformed_logs(), Some(false));
    Ok(())
}

/// Create requires a new name, update an existing one.
pub(super) fn metric_filter_create_update_and_delete(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let objects = MetricFilter::objects(&world.session());
    let mut changed = build_filter("/web", "errors")?;
    world.refused(&errors::NOT_FOUND, None, || objects.update(&changed).wait());
    create_filter(world, "/web", "errors")?;
    world.refused(&errors::EXISTS, None, || create_filter(world, "/web", "errors"));
    let created = world.now();
    world.advance(HOUR)?;
    changed.set_filter_pattern("WARN")?;
    let updated = objects.update(&changed).wait()?;
    assert_eq!((updated.filter_pattern(), updated.creation_time()), (Some("WARN"), Some(created)));
    assert_eq!(filter_count(world)?, Some(1));
    let mut found = objects.get("/web", "errors").wait()?.expect("the filter exists");
    let before = world.state()?;
    found.save().wait()?;
    world.assert_unchanged(&before)?;
    found.delete().wait()?;
    assert_eq!((objects.get("/web", "errors").wait()?, filter_count(world)?), (None, Some(0)));
    world.refused(&errors::NOT_FOUND, None, || found.delete().wait());
    Ok(())
}

/// Settings that the model did not change are those of the service. A pattern that is removed matches all events.
pub(super) fn metric_filter_update_keeps_changes_of_other_clients(world: &World) -> Result<()> {
    world.create_group("/web")?;
    create_filter(world, "/web", "errors")?;
    let objects = MetricFilter::objects(&world.session());
    let mut mine = objects.get("/web", "errors").wait()?.expect("the filter exists");
    let mut theirs = mine.clone();
    theirs.set_metric_transformations(vec![transformation("2")?])?;
    theirs.set_apply_on_transformed_logs(true)?;
    objects.update(&theirs).wait()?;
    mine.set_filter_pattern("WARN")?;
    let updated = objects.update(&mine).wait()?;
    assert_eq!((updated.filter_pattern(), updated.apply_on_transformed_logs()), (Some("WARN"), Some(true)));
    assert_eq!(updated.metric_transformations(), Some(&[transformation("2")?][..]));
    mine.set_filter_pattern(None::<&str>)?;
    assert_eq!(objects.update(&mine).wait()?.filter_pattern(), Some(""));
    Ok(())
}

/// Filters are ordered by name and group.
pub(super) fn list_filters_metric_filters_by_group_prefix_and_metric(world: &World) -> Result<()> {
    for group in ["/web", "/api"] {
        world.create_group(group)?;
        for name in ["b", "a", "ab"] {
            create_filter(world, group, name)?;
        }
    }
    let list = || MetricFilter::objects(&world.session()).list();
    for limit in [1, 2, 4, 50] {
        let all = list().limit(limit).results().all().wait()?;
        let listed: Vec<_> =
            all.iter().map(|filter| (filter.log_group_name(), filter.filter_name())).collect();
        let expected = ["a", "ab", "b"]
            .into_iter()
            .flat_map(|name| ["/api", "/web"].map(|group| (Some(group), Some(name))));
        assert_eq!(listed, expected.collect::<Vec<_>>());
    }
    let of_web = list().log_group_name("/web").filter_name_prefix("a").results().all().wait()?;
    assert_eq!(names(&of_web)?, ["a", "ab"]);
    let count =
        |name: &str, space: &str| list().metric_name(name).metric_namespace(space).results().count().wait();
    assert_eq!((count("Errors", "Web")?, count("Errors", "Api")?, count("Warnings", "Web")?), (6, 0, 0));
    world.assert_invalid("metricName", || list().metric_name("Errors").results().all().wait());
    world.assert_invalid("metricName", || list().metric_namespace("Web").results().all().wait());
    for limit in [0, 51] {
        world.assert_invalid("limit", || list().limit(limit).results().all().wait());
    }
    assert_eq!(MetricFilter::objects(&world.other_region()).list().results().count().wait()?, 0);
    Ok(())
}

pub(super) fn get_finds_a_metric_filter_by_exact_name(world: &World) -> Result<()> {
    world.create_group("/web")?;
    create_filter(world, "/web", "errors")?;
    let objects = MetricFilter::objects(&world.session());
    for name in ["error", "errors2", "ERRORS"] {
        assert_eq!(objects.get("/web", name).wait()?, None, "{name}");
    }
    world.refused(&errors::NOT_FOUND, None, || objects.delete("/web", "error").wait());
    Ok(())
}

pub(super) fn invalid_metric_filters_are_rejected(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let put = |pattern: &str, transformation: MetricTransformation| {
        let put = PutMetricFilter::new("/web", "errors", pattern, vec![transformation]);
        ask(&world.session(), put)
    };
    for value in ["one", "", "1x"] {
        let built = transformation(value);
        if let Ok(built) = built {
            world.assert_invalid("metricTransformations[0].metricValue", || put("", built));
        }
    }
    let some: Map<Text> = [("Host".into(), "$.host".into())].into_iter().collect();
    let fixed: Map<Text> = [("Host".into(), "host".into())].into_iter().collect();
    let nameless: Map<Text> = [("".into(), "$.host".into())].into_iter().collect();
    let with = |dimensions: &Map<Text>, default: Option<f64>| {
        let builder =
            MetricTransformation::builder().metric_name("M").metric_namespace("N").metric_value("1");
        builder.dimensions(dimensions.clone()).default_value(default).build()
    };
    world.assert_invalid("metricTransformations[0].defaultValue", || put("", with(&some, Some(0.0))?));
    world.assert_invalid("metricTransformations[0].dimensions", || put("", with(&fixed, None)?));
    world.assert_invalid("metricTransformations[0].dimensions", || put("", with(&nameless, None)?));
    let four: Map<Text> = (0..4).map(|n| (format!("d{n}").into(), "$.x".into())).collect();
    assert_eq!(
        with(&four, None).expect_err("at most three dimensions are allowed").field(),
        Some("dimensions")
    );
    for (pattern, text) in [
        ("{ $.a = ", "If a filter pattern starts with '{' it must end with '}'"),
        ("[a", "If a filter pattern starts with '[' it must end with ']'"),
        ("a:b", "Invalid character(s) in term 'a:b'"),
        ("{ $.a }", "Invalid metric filter pattern"),
    ] {
        let error = world.assert_invalid("filterPattern", || put(pattern, transformation("1")?));
        assert_eq!(error.message(), text);
    }
    let emitting = |fields: &[&str], dimensions: &Map<Text>| {
        let fields: Vec<Text> = fields.iter().map(|field| Text::new(field)).collect();
        let put = PutMetricFilter::new("/web", "errors", "", vec![with(dimensions, None)?]);
        ask(&world.session(), put.emit_system_field_dimensions(fields))
    };
    world.assert_invalid("emitSystemFieldDimensions", || emitting(&["@source.log"], &some));
    let two: Map<Text> = (0..2).map(|n| (format!("d{n}").into(), "$.x".into())).collect();
    world.assert_invalid("metricTransformations[0].dimensions", || {
        emitting(&["@aws.account", "@aws.region"], &two)
    });
    emitting(&["@aws.account"], &two)?;
    world.assert_invalid("metricTransformations", || {
        ask(&world.session(), PutMetricFilter::new("/web", "errors", "", Vec::new()))
    });
    world.assert_invalid("metricTransformations", || {
        let two = vec![transformation("1")?, transformation("2")?];
        ask(&world.session(), PutMetricFilter::new("/web", "errors", "", two))
    });
    world.assert_invalid("filterName", || put_filter(world, "a:b"));
    world.assert_invalid("filterName", || put_filter(world, &"f".repeat(513)));
    put("", with(&some, None)?)?;
    put("", with(&Map::default(), Some(0.0))?)?;
    put("", transformation("-1.5e3")?)?;
    Ok(())
}

fn put_filter(world: &World, name: &str) -> Result<()> {
    let put = PutMetricFilter::new("/web", name, "", vec![transformation("1")?]);
    ask(&world.session(), put).map(drop)
}

pub(super) fn metric_filters_are_limited_to_100_per_log_group(world: &World) -> Result<()> {
    world.create_group("/web")?;
    for n in 0..100 {
        put_filter(world, &format!("filter-{n}"))?;
    }
    world.refused(&errors::LIMIT_EXCEEDED, None, || put_filter(world, "one more"));
    put_filter(world, "filter-7")?;
    assert_eq!(filter_count(world)?, Some(100));
    MetricFilter::objects(&world.session()).delete("/web", "filter-7").wait()?;
    put_filter(world, "one more")?;
    Ok(())
}

pub(super) fn metric_filters_require_class_standard(world: &World) -> Result<()> {
    for class in [LogGroupClass::InfrequentAccess, LogGroupClass::Delivery] {
        let name = class.to_string();
        world.create(&LogGroup::builder().log_group_name(name.as_str()).log_group_class(class).build()?)?;
        world.refused(&errors::INVALID_OPERATION, None, || create_filter(world, &name, "errors"));
    }
    Ok(())
}

pub(super) fn test_metric_filter_returns_matches_and_values(world: &World) -> Result<()> {
    let objects = MetricFilter::objects(&world.session());
    let messages = vec!["10.0.0.1 GET 200".into(), "10.0.0.2 PUT 500".into(), "nothing".into()];
    let matched = objects.test("[ip, method, status = 5*]", messages).wait()?;
    assert_eq!(matched.len(), 1);
    assert_eq!((matched[0].event_number(), matched[0].event_message()), (Some(2), Some("10.0.0.2 PUT 500")));
    let values = matched[0].extracted_values().expect("the pattern names three columns");
    assert_eq!(values.get("$status").map(Text::as_str), Some("500"));
    world.assert_invalid("filterPattern", || objects.test("[a", vec!["x".into()]).wait());
    world.assert_invalid("logEventMessages", || objects.test("a", Vec::new()).wait());
    world.assert_invalid("logEventMessages", || objects.test("a", vec!["x".into(); 51]).wait());
    Ok(())
}

pub(super) fn metric_filter_without_transformation_is_rejected(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let error = MetricFilter::builder()
        .log_group_name("/web")
        .filter_name("x")
        .build()
        .expect_err("the transformation is missing");
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("metricTransformations")));
    let listed = ask(&world.session(), DescribeMetricFilters::new().log_group_name("/web"))?;
    assert_eq!((listed.metric_filters(), listed.next_token()), (Some(&[][..]), None));
    Ok(())
}
