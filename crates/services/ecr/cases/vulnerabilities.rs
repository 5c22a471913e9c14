//! Cases: findings of scans are listed by the service `inspector2`, and looked up from images.

use super::{
    World, create,
    images::{by_tag, push},
    scans::{finding, set},
};
use nephos_core::{ErrorKind, Record as _, Result, Results, Text};
use nephos_ecr::{FindingSeverity, Image};
use nephos_inspector2::{FilterCriteria, Finding, ListFindings, Severity, SortCriteria};
use nephos_testing::ask;

/// Two images: one with a critical and a low finding, one with a low finding.
fn scan_two(world: &World) -> Result<[Image; 2]> {
    let session = world.session();
    create(&session, "web")?;
    for tag in ["v1", "v2"] {
        push(&session, tag, Some(tag))?;
    }
    set(world, "*", [finding("CVE-1", FindingSeverity::Low)?])?;
    let both = [finding("CVE-1", FindingSeverity::Low)?, finding("CVE-2", FindingSeverity::Critical)?];
    set(world, "v1", both)?;
    let image = |tag: &str| -> Result<Image> {
        Ok(Image::objects(&session).get("web", by_tag(tag)).wait()?.unwrap())
    };
    let images = [image("v1")?, image("v2")?];
    for image in &images {
        assert_eq!(image.vulnerabilities().results().count().wait()?, 0, "before the scan");
        image.start_scan().wait()?;
    }
    Ok([image("v1")?, image("v2")?])
}

pub(super) fn vulnerabilities_of_an_image_are_looked_up(world: &World) -> Result<()> {
    let [one, two] = scan_two(world)?;
    let names = |found: Results<Finding>| -> Result<Vec<Text>> {
        let found = found.all().wait()?;
        Ok(found.iter().map(|finding| finding.title().unwrap_or_default().into()).collect())
    };
    let all = one.vulnerabilities().results();
    assert_eq!(names(all.clone())?, ["CVE-1 - curl", "CVE-2 - curl"]);
    assert_eq!(names(all.order_by("-title"))?, ["CVE-2 - curl", "CVE-1 - curl"]);
    assert_eq!(names(all.filter(Finding::FIELDS.severity.eq(Severity::Critical)))?, ["CVE-2 - curl"]);
    assert_eq!(names(two.vulnerabilities().results())?, ["CVE-1 - curl"]);
    let images = Image::objects(&world.session());
    assert_eq!(names(images.vulnerabilities("web", by_tag("v1")).results())?.len(), 2);
    let missing = images.vulnerabilities("web", by_tag("v3")).results();
    assert_eq!(missing.first().wait().unwrap_err().kind(), ErrorKind::NotFound);
    let critical = images.list("web").results().filter_by([("vulnerabilities__severity", "CRITICAL")])?;
    assert_eq!(critical.count().wait()?, 1);
    let found = two.vulnerabilities().results().all().wait()?;
    let [resource] = found[0].resources().unwrap() else { panic!("one image") };
    assert_eq!(resource.region(), Some("us-east-1"));
    let image = resource.details().unwrap().aws_ecr_container_image().unwrap();
    assert_eq!(image.image_hash(), two.image_id().unwrap().image_digest());
    assert!(
        found[0].finding_arn().unwrap().starts_with("arn:aws:inspector2:us-east-1:123456789012:finding/")
    );
    let elsewhere = Finding::objects(&world.other_region()).list().results().all().wait()?;
    assert_eq!(elsewhere.len(), 0);
    Ok(())
}

pub(super) fn findings_are_filtered_sorted_and_paged(world: &World) -> Result<()> {
    scan_two(world)?;
    let session = world.session();
    let found = |criteria: &str| -> Result<usize> {
        let criteria = FilterCriteria::from_json(criteria)?;
        Ok(ask(&session, ListFindings::new().filter_criteria(criteria))?.findings().unwrap().len())
    };
    let text = |field: &str, comparison: &str, value: &str| {
        format!(r#"{{"{field}": [{{"comparison": "{comparison}", "value": "{value}"}}]}}"#)
    };
    assert_eq!(found("{}")?, 3);
    assert_eq!(found(&text("severity", "EQUALS", "LOW"))?, 2);
    assert_eq!(found(&text("severity", "NOT_EQUALS", "LOW"))?, 1);
    assert_eq!(found(&text("vulnerabilityId", "PREFIX", "CVE-"))?, 3);
    assert_eq!(found(&text("ecrImageTags", "EQUALS", "v2"))?, 1);
    assert_eq!(found(&text("ecrImageRepositoryName", "EQUALS", "api"))?, 0);
    assert_eq!(
        found(&text("lambdaFunctionName", "EQUALS", "web"))?,
        0,
        "findings of images are not those of functions"
    );
    assert_eq!(found(&text("lambdaFunctionName", "NOT_EQUALS", "web"))?, 3);
    assert_eq!(found(r#"{"inspectorScore": [{"lowerInclusive": 4.7}]}"#)?, 0);
    assert_eq!(found(r#"{"inspectorScore": [{"lowerInclusive": 4.5, "upperInclusive": 4.6}]}"#)?, 3);
    assert_eq!(found(r#"{"lastObservedAt": [{"endInclusive": "2000-01-01T00:00:00Z"}]}"#)?, 0);
    let package = |version: &str| {
        let part = |value: &str| format!(r#"{{"comparison": "EQUALS", "value": "{value}"}}"#);
        format!(r#"{{"vulnerablePackages": [{{"name": {}, "version": {}}}]}}"#, part("curl"), part(version))
    };
    assert_eq!((found(&package("7.61.1"))?, found(&package("8"))?), (3, 0));
    assert_eq!(found(r#"{"portRange": [{"beginInclusive": 1}]}"#)?, 0);
    let sort =
        |order: &str| SortCriteria::from_json(format!(r#"{{"field": "SEVERITY", "sortOrder": "{order}"}}"#));
    let first = ask(&session, ListFindings::new().sort_criteria(sort("DESC")?).max_results(2))?;
    assert_eq!(first.findings().unwrap()[0].title(), Some("CVE-2 - curl"));
    let next = ListFindings::new()
        .sort_criteria(sort("DESC")?)
        .max_results(2)
        .next_token(first.next_token().unwrap());
    assert_eq!(ask(&session, next)?.findings().unwrap().len(), 1);
    let first = ask(&session, ListFindings::new().sort_criteria(sort("ASC")?))?;
    assert_eq!(first.findings().unwrap()[2].title(), Some("CVE-2 - curl"));
    Ok(())
}
