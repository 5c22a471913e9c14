//! Scans over time, with realistic transitions.

use nephos_cloud::Transitions;
use nephos_core::SignedDuration;
use nephos_ecr::{
    DescribeImageScanFindings, ImageIdentifier, ImageScanFinding, ImageScanningConfiguration,
    ImageTagMutability, PutImage, Repository, ScanStatus, ScannedImage, SetImageFindings,
};
use nephos_ecr_cases::Cloud;
use nephos_testing::ask;

const ARN: &str = "arn:aws:ecr:us-east-1:123456789012:repository/web";
/// Manifest of the first form without layers.
const MANIFEST: &str = r#"{"schemaVersion": 1, "fsLayers": []}"#;

#[test]
fn scan_takes_half_a_minute_and_finds_what_is_set_by_then() {
    let cloud = Cloud::options()
        .clock(nephos_testing::clock())
        .seed(7)
        .transitions(Transitions::Realistic)
        .in_memory();
    let session = cloud.session();
    let web = Repository::builder()
        .repository_name("web")
        .image_tag_mutability(ImageTagMutability::Mutable)
        .image_scanning_configuration(
            ImageScanningConfiguration::builder().scan_on_push(true).build().unwrap(),
        );
    Repository::objects(&session).create(&web.build().unwrap()).wait().unwrap();
    ask(&session, PutImage::new("web", MANIFEST).image_tag("v1")).unwrap();
    let scanned = || -> ScannedImage {
        let id = ImageIdentifier::builder().image_tag("v1").build().unwrap();
        ask(&session, DescribeImageScanFindings::new("web", id)).unwrap()
    };
    let status = |scanned: &ScannedImage| scanned.image_scan_status().unwrap().status().unwrap().clone();
    cloud.clock().advance(SignedDuration::from_secs(29)).unwrap();
    let running = scanned();
    assert_eq!((status(&running), running.image_scan_findings()), (ScanStatus::InProgress, None));
    let finding = ImageScanFinding::builder().name("CVE-1").build().unwrap();
    cloud.control(SetImageFindings::new(ARN, "*", [finding])).unwrap();
    cloud.clock().advance(SignedDuration::from_secs(1)).unwrap();
    let complete = scanned();
    assert_eq!(status(&complete), ScanStatus::Complete);
    assert_eq!(complete.image_scan_findings().unwrap().findings().unwrap().len(), 1);
}
