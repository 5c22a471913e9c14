//! Cases: images are scanned on push, on request and continuously, and have the findings that a test control sets.

use super::{
    World, create,
    images::{INDEX, by_digest, by_tag, push, put},
    plan,
};
use nephos_core::{Record as _, Result, Session, Text, prelude::*};
use nephos_ecr::{
    DescribeImageScanFindings, DescribeImages, FindingSeverity, Image, ImageDetail, ImageScanFinding,
    ImageScanningConfiguration, RegistryScanningRule, Repository, ScanFrequency, ScanStatus, ScanType,
    ScannedImage, SetImageFindings, StartImageScan, errors,
};
use nephos_testing::{HOUR, ask};

const ARN: &str = "arn:aws:ecr:us-east-1:123456789012:repository/web";

pub(super) fn finding(name: &str, severity: FindingSeverity) -> Result<ImageScanFinding> {
    ImageScanFinding::from_json(format!(
        r#"{{"name": "{name}", "uri": "https://example.com/{name}", "severity": "{severity}", "attributes": [
            {{"key": "package_name", "value": "curl"}}, {{"key": "package_version", "value": "7.61.1"}},
            {{"key": "CVSS2_SCORE", "value": "4.6"}}]}}"#
    ))
}

pub(super) fn set(world: &World, image: &str, findings: impl Into<Vec<ImageScanFinding>>) -> Result<()> {
    world.control(SetImageFindings::new(ARN, image, findings.into()))
}

fn describe(session: &Session, tag: &str) -> Result<ScannedImage> {
    ask(session, DescribeImageScanFindings::new("web", by_tag(tag)))
}

fn start(session: &Session, tag: &str) -> Result<ScanStatus> {
    let started = ask(session, StartImageScan::new("web", by_tag(tag)))?;
    Ok(started.image_scan_status().unwrap().status().unwrap().clone())
}

/// Names of the findings of the image.
fn found(session: &Session, tag: &str) -> Result<Vec<Text>> {
    let scanned = describe(session, tag)?;
    let findings = scanned.image_scan_findings().unwrap().findings().unwrap_or_default();
    Ok(findings.iter().filter_map(|finding| finding.name()).map(Text::from).collect())
}

fn detail(session: &Session) -> Result<ImageDetail> {
    Ok(ask(session, DescribeImages::new("web"))?.image_details().unwrap()[0].clone())
}

pub(super) fn image_is_scanned_on_request_once_a_day(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let digest = push(&session, "one", Some("v1"))?;
    let error = world.refused(&errors::SCAN_NOT_FOUND, "imageId", || describe(&session, "v1"));
    let text = "Image scan does not exist for the image with '{imageDigest:'null', imageTag:'v1'}' in the repository with name \
                'web' in the registry with id '123456789012'";
    assert_eq!(error.wire_message(), text);
    assert_eq!(
        (detail(&session)?.image_scan_status(), detail(&session)?.image_scan_findings_summary()),
        (None, None)
    );
    world.refused(&errors::IMAGE_NOT_FOUND, "imageId", || start(&session, "v2"));
    assert_eq!(start(&session, "v1")?, ScanStatus::InProgress);
    let scanned = describe(&session, "v1")?;
    let status = scanned.image_scan_status().unwrap();
    assert_eq!(status.status(), Some(&ScanStatus::Complete));
    assert_eq!(status.description(), Some("The scan was completed successfully."));
    let id = scanned.image_id().unwrap();
    assert_eq!((id.image_digest(), id.image_tag()), (Some(digest.as_str()), Some("v1")));
    let findings = scanned.image_scan_findings().unwrap();
    assert_eq!(findings.image_scan_completed_at().unwrap().as_millisecond(), world.now());
    assert_eq!(
        (findings.findings().unwrap().len(), findings.finding_severity_counts().unwrap().len()),
        (0, 0)
    );
    world.advance(24 * HOUR - 1)?;
    let error = world.refused(&errors::LIMIT, "imageId", || start(&session, "v1"));
    assert_eq!(error.wire_message(), "The scan quota per image has been exceeded. Wait and try again.");
    world.advance(1)?;
    assert_eq!(start(&session, "v1")?, ScanStatus::InProgress);
    Ok(())
}

pub(super) fn lists_of_manifests_cannot_be_scanned(world: &World) -> Result<()> {
    let session = world.session();
    let on_push = ImageScanningConfiguration::builder().scan_on_push(true).build().unwrap();
    let web = plan("web").image_scanning_configuration(on_push).build()?;
    Repository::objects(&session).create(&web).wait()?;
    put(&session, &format!(r#"{{"mediaType": "{INDEX}"}}"#), Some("all"))?;
    world.refused(&errors::SCAN_NOT_FOUND, "imageId", || describe(&session, "all"));
    let error = world.refused(&errors::IMAGE_UNSUPPORTED, "imageId", || start(&session, "all"));
    let text = format!(
        "An artifact with media type '{INDEX}' cannot be scanned. For more information, see the Amazon ECR documentation."
    );
    assert_eq!(error.wire_message(), text);
    Ok(())
}

pub(super) fn findings_are_set_by_digest_tag_or_for_all(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let one = push(&session, "one", Some("v1"))?;
    for tag in ["two", "three"] {
        push(&session, tag, Some(tag))?;
    }
    let high = |name: &str| finding(name, FindingSeverity::High);
    set(world, "*", [high("CVE-1")?])?;
    set(world, "two", [high("CVE-2")?])?;
    set(world, "v1", [])?;
    set(world, &one, [high("CVE-3")?, finding("CVE-4", FindingSeverity::Low)?])?;
    for tag in ["v1", "two", "three"] {
        start(&session, tag)?;
    }
    assert_eq!(found(&session, "v1")?, ["CVE-3", "CVE-4"]);
    assert_eq!(found(&session, "two")?, ["CVE-2"]);
    assert_eq!(found(&session, "three")?, ["CVE-1"]);
    let details = ask(&session, DescribeImages::new("web").image_ids([by_digest(&one)]))?;
    let [detail] = details.image_details().unwrap() else { panic!("one image") };
    assert_eq!(detail.image_scan_status().unwrap().status(), Some(&ScanStatus::Complete));
    let counts = detail.image_scan_findings_summary().unwrap().finding_severity_counts().unwrap();
    assert_eq!((counts.get("HIGH"), counts.get("LOW"), counts.len()), (Some(&1), Some(&1), 2));
    set(world, "*", [])?;
    assert_eq!(found(&session, "three")?, ["CVE-1"], "findings count for the next scan");
    let none = || Vec::<ImageScanFinding>::new();
    assert!(world.control(SetImageFindings::new("web", "*", none())).is_err());
    assert!(world.control(SetImageFindings::new(ARN.replace("web", "api"), "*", none())).is_err());
    Ok(())
}

pub(super) fn findings_are_returned_in_pages(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    push(&session, "one", Some("v1"))?;
    let all: Vec<_> =
        (0..230).map(|n| finding(&format!("CVE-{n}"), FindingSeverity::Medium)).collect::<Result<_>>()?;
    set(world, "v1", all)?;
    let image = Image::objects(&session).get("web", by_tag("v1")).wait()?.unwrap();
    let started = image.start_scan().wait()?;
    assert_eq!(started.repository_name(), Some("web"));
    let pages = image.scan_findings().wait()?;
    let page = |page: &ScannedImage| page.image_scan_findings().unwrap().findings().unwrap().len();
    assert_eq!(pages.iter().map(page).collect::<Vec<_>>(), [100, 100, 30]);
    let counts = pages[2].image_scan_findings().unwrap().finding_severity_counts().unwrap();
    assert_eq!(counts.get("MEDIUM"), Some(&230), "numbers are those of all pages");
    let first = ask(&session, DescribeImageScanFindings::new("web", by_tag("v1")).max_results(1000))?;
    assert_eq!((page(&first), first.next_token()), (230, None));
    Ok(())
}

pub(super) fn images_are_scanned_on_push(world: &World) -> Result<()> {
    let session = world.session();
    let repositories = Repository::objects(&session);
    let mut web = create(&session, "web")?;
    push(&session, "one", Some("v1"))?;
    world.refused(&errors::SCAN_NOT_FOUND, "imageId", || describe(&session, "v1"));
    web.set_image_scanning_configuration(
        ImageScanningConfiguration::builder().scan_on_push(true).build().unwrap(),
    )?;
    web.save().wait()?;
    push(&session, "two", Some("v2"))?;
    assert_eq!(found(&session, "v2")?, [""; 0]);
    world.refused(&errors::LIMIT, "imageId", || start(&session, "v2"));
    let rule = |frequency| rule(frequency, "web");
    repositories.set_registry_scanning().rules(vec![rule(ScanFrequency::Manual)?]).wait()?;
    push(&session, "three", Some("v3"))?;
    world.refused(&errors::SCAN_NOT_FOUND, "imageId", || describe(&session, "v3"));
    repositories.set_registry_scanning().rules(vec![rule(ScanFrequency::ScanOnPush)?]).wait()?;
    push(&session, "three", Some("v4"))?;
    world.refused(&errors::SCAN_NOT_FOUND, "imageId", || describe(&session, "v4"));
    push(&session, "five", Some("v5"))?;
    assert_eq!(found(&session, "v5")?, [""; 0]);
    Ok(())
}

fn rule(frequency: ScanFrequency, filter: &str) -> Result<RegistryScanningRule> {
    let filter = format!(r#"{{"filter": "{filter}", "filterType": "WILDCARD"}}"#);
    RegistryScanningRule::from_json(format!(
        r#"{{"scanFrequency": "{frequency}", "repositoryFilters": [{filter}]}}"#
    ))
}

pub(super) fn enhanced_scans_have_enhanced_findings(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let digest = push(&session, "one", Some("v1"))?;
    let scanning = |frequency| -> Result<()> {
        let set = Repository::objects(&session).set_registry_scanning().scan_type(ScanType::Enhanced);
        set.rules(vec![rule(frequency, "*")?]).wait().map(|_| ())
    };
    scanning(ScanFrequency::ContinuousScan)?;
    let scanned = describe(&session, "v1")?;
    let status = scanned.image_scan_status().unwrap();
    assert_eq!(status.status(), Some(&ScanStatus::Active));
    assert_eq!(status.description(), Some("Continuous scan is selected for image."));
    let none = scanned.image_scan_findings().unwrap();
    assert_eq!((none.findings().map(<[_]>::len), none.finding_severity_counts()), (Some(0), None));
    set(world, "*", [finding("CVE-1", FindingSeverity::Undefined)?])?;
    let scanned = describe(&session, "v1")?;
    let [one] = scanned.image_scan_findings().unwrap().enhanced_findings().unwrap() else {
        panic!("one finding")
    };
    assert_eq!(
        (one.title(), one.severity(), one.score()),
        (Some("CVE-1 - curl"), Some("UNTRIAGED"), Some(4.6))
    );
    let [image] = one.resources().unwrap() else { panic!("one image") };
    assert_eq!(image.id(), Some(format!("{ARN}/{digest}").as_str()));
    let package = &one.package_vulnerability_details().unwrap().vulnerable_packages().unwrap()[0];
    assert_eq!((package.name(), package.version()), (Some("curl"), Some("7.61.1")));
    assert_eq!(detail(&session)?.image_scan_status(), None);
    let error = world.refused(&errors::VALIDATION, None, || start(&session, "v1"));
    assert_eq!(error.wire_message(), "This feature is disabled");
    scanning(ScanFrequency::ScanOnPush)?;
    world.refused(&errors::SCAN_NOT_FOUND, "imageId", || describe(&session, "v1"));
    push(&session, "two", Some("v2"))?;
    let scanned = describe(&session, "v2")?;
    assert_eq!(scanned.image_scan_status().unwrap().status(), Some(&ScanStatus::Complete));
    assert_eq!(scanned.image_scan_findings().unwrap().enhanced_findings().map(<[_]>::len), Some(1));
    Ok(())
}

pub(super) fn scans_are_removed_with_their_image(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let digest = push(&session, "one", Some("v1"))?;
    set(world, "v1", [finding("CVE-1", FindingSeverity::High)?])?;
    start(&session, "v1")?;
    Image::objects(&session).delete("web", by_digest(&digest)).wait()?;
    push(&session, "one", Some("v1"))?;
    world.refused(&errors::SCAN_NOT_FOUND, "imageId", || describe(&session, "v1"));
    Repository::objects(&session).delete("web").force(true).wait()?;
    create(&session, "web")?;
    push(&session, "one", Some("v1"))?;
    start(&session, "v1")?;
    assert_eq!(found(&session, "v1")?, [""; 0], "findings are removed with the repository");
    Ok(())
}
