//! Filters of findings.

use nephos_core::{Record, Text, Timestamp, Value, choices, record};

choices! {
    /// Comparison of a text.
    #[derive(Eq)]
    pub enum StringComparison {
        /// It is the value.
        Equals = "EQUALS",
        /// It starts with the value.
        Prefix = "PREFIX",
        /// It is not the value.
        NotEquals = "NOT_EQUALS",
    }
}

choices! {
    /// Comparison of a tag.
    pub enum MapComparison {
        /// Key and value are those of the tag.
        Equals = "EQUALS",
    }
}

/// Filter of a text.
#[derive(Record)]
#[record(case = "camel")]
pub struct StringFilter {
    /// Comparison.
    #[field(required)]
    comparison: Option<StringComparison>,
    /// Value.
    #[field(required, length(1..=1024))]
    value: Option<Text>,
}

/// Filter of a time.
#[derive(Record)]
#[record(case = "camel")]
pub struct DateFilter {
    /// Earliest time.
    start_inclusive: Option<Timestamp>,
    /// Latest time.
    end_inclusive: Option<Timestamp>,
}

/// Filter of a number.
#[derive(Record)]
#[record(case = "camel")]
pub struct NumberFilter {
    /// Largest number.
    upper_inclusive: Option<f64>,
    /// Smallest number.
    lower_inclusive: Option<f64>,
}

/// Filter of tags.
#[derive(Record)]
#[record(case = "camel")]
pub struct MapFilter {
    /// Comparison.
    #[field(required)]
    comparison: Option<MapComparison>,
    /// Key.
    #[field(required, length(1..=128))]
    key: Option<Text>,
    /// Value.
    #[field(length(..=256))]
    value: Option<Text>,
}

/// Filter of ports.
#[derive(Record)]
#[record(case = "camel")]
pub struct PortRangeFilter {
    /// First port.
    #[field(range(0..=65_535))]
    begin_inclusive: Option<i64>,
    /// Last port.
    #[field(range(0..=65_535))]
    end_inclusive: Option<i64>,
}

/// Filter of packages: one package must match all parts.
#[derive(Record)]
#[record(case = "camel")]
pub struct PackageFilter {
    /// Name.
    name: Option<StringFilter>,
    /// Version.
    version: Option<StringFilter>,
    /// Epoch.
    epoch: Option<NumberFilter>,
    /// Release.
    release: Option<StringFilter>,
    /// Architecture.
    architecture: Option<StringFilter>,
    /// Digest of the layer.
    source_layer_hash: Option<StringFilter>,
    /// ARN of the layer of a function.
    source_lambda_layer_arn: Option<StringFilter>,
    /// Path of the file.
    file_path: Option<StringFilter>,
}

/// Describes the criteria: fields with their types, and the paths of their values in a finding. Findings of images have no values
/// of those without a path.
macro_rules! criteria {
    ($($(#[doc = $docs:literal])+ $field:ident: $filter:ident = $path:literal;)+) => {
        /// Criteria of findings: all that are given must match. Of the filters of a field, one must match, and all those that
        /// exclude a value.
        #[derive(Record)]
        #[record(case = "camel")]
        pub struct FilterCriteria {
            $($(#[doc = $docs])+ #[field(length(1..=10))] $field: Option<Vec<$filter>>,)+
        }

        impl FilterCriteria {
            /// True if a finding matches all criteria.
            pub(super) fn matches(&self, finding: &Value) -> bool {
                true $(&& match &self.$field {
                    Some(filters) => {
                        let values = find_values(finding, $path);
                        matches_filters(filters.iter().map(|filter| record::to_value(filter)), &values)
                    }
                    None => true,
                })+
            }
        }
    };
}

criteria! {
    /// ARNs of findings.
    finding_arn: StringFilter = "findingArn";
    /// Accounts.
    aws_account_id: StringFilter = "awsAccountId";
    /// Types.
    finding_type: StringFilter = "type";
    /// Severities.
    severity: StringFilter = "severity";
    /// Times of the first scan.
    first_observed_at: DateFilter = "firstObservedAt";
    /// Times of the last scan.
    last_observed_at: DateFilter = "lastObservedAt";
    /// Times of the last change.
    updated_at: DateFilter = "updatedAt";
    /// Statuses.
    finding_status: StringFilter = "status";
    /// Titles.
    title: StringFilter = "title";
    /// Scores.
    inspector_score: NumberFilter = "inspectorScore";
    /// Types of resources.
    resource_type: StringFilter = "resources.type";
    /// ARNs of resources.
    resource_id: StringFilter = "resources.id";
    /// Tags of resources.
    resource_tags: MapFilter = "resources.tags";
    /// Images of instances.
    ec2_instance_image_id: StringFilter = "";
    /// VPCs of instances.
    ec2_instance_vpc_id: StringFilter = "";
    /// Subnets of instances.
    ec2_instance_subnet_id: StringFilter = "";
    /// Times of the push.
    ecr_image_pushed_at: DateFilter = "resources.details.awsEcrContainerImage.pushedAt";
    /// Architectures of images.
    ecr_image_architecture: StringFilter = "resources.details.awsEcrContainerImage.architecture";
    /// Registries of images.
    ecr_image_registry: StringFilter = "resources.details.awsEcrContainerImage.registry";
    /// Repositories of images.
    ecr_image_repository_name: StringFilter = "resources.details.awsEcrContainerImage.repositoryName";
    /// Tags of images.
    ecr_image_tags: StringFilter = "resources.details.awsEcrContainerImage.imageTags";
    /// Digests of images.
    ecr_image_hash: StringFilter = "resources.details.awsEcrContainerImage.imageHash";
    /// Times of the last use of images.
    ecr_image_last_in_use_at: DateFilter = "resources.details.awsEcrContainerImage.lastInUseAt";
    /// Numbers of tasks that use images.
    ecr_image_in_use_count: NumberFilter = "resources.details.awsEcrContainerImage.inUseCount";
    /// Ports.
    port_range: PortRangeFilter = "";
    /// Network protocols.
    network_protocol: StringFilter = "";
    /// IDs of components.
    component_id: StringFilter = "";
    /// Types of components.
    component_type: StringFilter = "";
    /// IDs of vulnerabilities.
    vulnerability_id: StringFilter = "packageVulnerabilityDetails.vulnerabilityId";
    /// Sources of data about vulnerabilities.
    vulnerability_source: StringFilter = "packageVulnerabilityDetails.source";
    /// Severities by vendors.
    vendor_severity: StringFilter = "packageVulnerabilityDetails.vendorSeverity";
    /// Packages.
    vulnerable_packages: PackageFilter = "packageVulnerabilityDetails.vulnerablePackages";
    /// IDs of related vulnerabilities.
    related_vulnerabilities: StringFilter = "packageVulnerabilityDetails.relatedVulnerabilities";
    /// Fixes.
    fix_available: StringFilter = "fixAvailable";
    /// Names of functions.
    lambda_function_name: StringFilter = "";
    /// Layers of functions.
    lambda_function_layers: StringFilter = "";
    /// Runtimes of functions.
    lambda_function_runtime: StringFilter = "";
    /// Times of the last change of functions.
    lambda_function_last_modified_at: DateFilter = "";
    /// Roles of functions.
    lambda_function_execution_role_arn: StringFilter = "";
    /// Known exploits.
    exploit_available: StringFilter = "exploitAvailable";
    /// Names of detectors of vulnerabilities of code.
    code_vulnerability_detector_name: StringFilter = "";
    /// Tags of detectors of vulnerabilities of code.
    code_vulnerability_detector_tags: StringFilter = "";
    /// Paths of files of code.
    code_vulnerability_file_path: StringFilter = "";
    /// Probabilities of an exploit.
    epss_score: NumberFilter = "epss.score";
    /// Projects of code repositories.
    code_repository_project_name: StringFilter = "";
    /// Providers of code repositories.
    code_repository_provider_type: StringFilter = "";
    /// Other clouds: image architecture.
    cloud_image_architecture: StringFilter = "";
    /// Other clouds: image digest.
    cloud_image_digest: StringFilter = "";
    /// Other clouds: image in use count.
    cloud_image_in_use_count: NumberFilter = "";
    /// Other clouds: image last in use at.
    cloud_image_last_in_use_at: DateFilter = "";
    /// Other clouds: image pushed at.
    cloud_image_pushed_at: DateFilter = "";
    /// Other clouds: image registry.
    cloud_image_registry: StringFilter = "";
    /// Other clouds: image repository name.
    cloud_image_repository_name: StringFilter = "";
    /// Other clouds: image tags.
    cloud_image_tags: StringFilter = "";
    /// Other clouds: provider.
    cloud_provider: StringFilter = "";
    /// Other clouds: provider account id.
    cloud_provider_account_id: StringFilter = "";
    /// Other clouds: provider org id.
    cloud_provider_org_id: StringFilter = "";
    /// Other clouds: provider region.
    cloud_provider_region: StringFilter = "";
    /// Other clouds: serverless function execution role.
    cloud_serverless_function_execution_role: StringFilter = "";
    /// Other clouds: serverless function last modified at.
    cloud_serverless_function_last_modified_at: DateFilter = "";
    /// Other clouds: serverless function name.
    cloud_serverless_function_name: StringFilter = "";
    /// Other clouds: serverless function runtime.
    cloud_serverless_function_runtime: StringFilter = "";
    /// Other clouds: vm image reference.
    cloud_vm_image_reference: StringFilter = "";
    /// Other clouds: vm network id.
    cloud_vm_network_id: StringFilter = "";
    /// Other clouds: vm subnet ids.
    cloud_vm_subnet_ids: StringFilter = "";
    /// Machine images: id.
    machine_image_id: StringFilter = "";
    /// Machine images: name.
    machine_image_name: StringFilter = "";
    /// Machine images: owner account id.
    machine_image_owner_account_id: StringFilter = "";
    /// Machine images: platform.
    machine_image_platform: StringFilter = "";
}

/// Finds the values at a path, also in lists.
pub(super) fn find_values<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    if path.is_empty() {
        return Vec::new();
    }
    let mut found = vec![value];
    for name in path.split('.') {
        found = found.into_iter().filter_map(|value| value.get(name)).flat_map(each).collect();
    }
    found.retain(|value| !value.is_null());
    found
}

fn each(value: &Value) -> Vec<&Value> {
    match value {
        Value::List(items) => items.iter().collect(),
        one => vec![one],
    }
}

/// True if one filter matches, and all that exclude a value.
fn matches_filters(filters: impl Iterator<Item = Value>, values: &[&Value]) -> bool {
    let is_exclusion =
        |filter: &Value| filter.get("comparison").and_then(Value::as_text) == Some("NOT_EQUALS");
    let (excluding, including): (Vec<_>, Vec<_>) = filters.partition(is_exclusion);
    let is_included = including.is_empty() || including.iter().any(|filter| matches(filter, values));
    is_included && excluding.iter().all(|filter| matches(filter, values))
}

/// True if a filter matches the values of a finding.
fn matches(filter: &Value, values: &[&Value]) -> bool {
    let text = |name: &str| filter.get(name).and_then(Value::as_text);
    if let Some(key) = text("key") {
        let wanted = text("value").unwrap_or_default();
        return values.iter().any(|tags| tags.get(key).and_then(Value::as_text) == Some(wanted));
    }
    match (text("comparison"), text("value")) {
        (Some(comparison), Some(wanted)) => {
            let mut texts = values.iter().filter_map(|value| value.as_text());
            match comparison {
                "PREFIX" => texts.any(|text| text.starts_with(wanted)),
                "NOT_EQUALS" => texts.all(|text| text != wanted),
                _ => texts.any(|text| text == wanted),
            }
        }
        _ => values.iter().any(|value| is_within(filter, value) && is_package(filter, value)),
    }
}

/// True if a time or a number is between the limits of a filter.
fn is_within(filter: &Value, value: &Value) -> bool {
    let limit = |names: [&str; 2]| names.into_iter().find_map(|name| filter.get(name)).and_then(to_number);
    let low = limit(["startInclusive", "lowerInclusive"]);
    let high = limit(["endInclusive", "upperInclusive"]);
    let Some(number) = to_number(value) else { return low.is_none() && high.is_none() };
    low.is_none_or(|low| number >= low) && high.is_none_or(|high| number <= high)
}

/// True if a package matches all parts of a filter.
fn is_package(filter: &Value, package: &Value) -> bool {
    let parts = [
        ("name", "name"),
        ("version", "version"),
        ("epoch", "epoch"),
        ("release", "release"),
        ("architecture", "arch"),
        ("sourceLayerHash", "sourceLayerHash"),
        ("sourceLambdaLayerArn", "sourceLambdaLayerArn"),
        ("filePath", "filePath"),
    ];
    parts.into_iter().all(|(part, member)| match filter.get(part) {
        Some(part) if !part.is_null() => matches(part, &find_values(package, member)),
        _ => true,
    })
}

/// Returns a number, or the milliseconds of a time since 1970.
pub(super) fn to_number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Time(time) => Some(time.as_millisecond() as f64),
        _ => None,
    }
}
