//! The operation that describes versions of engines.

use crate::{
    DBInstance, DBInstanceManager, certificate,
    cluster::capacity,
    engine::{self, CharacterSet as CharacterSetFacts, Engine, Version, classes},
    filters::{self, Filter, Filters},
    identifier::Page,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Tag, Text, Timestamp, field_value::FieldType, operation};

/// A character set.
#[derive(Record)]
#[record(answer)]
pub struct CharacterSet {
    /// Name.
    character_set_name: Option<Text>,
    /// Description.
    character_set_description: Option<Text>,
}

impl From<CharacterSetFacts> for CharacterSet {
    fn from((name, description): CharacterSetFacts) -> Self {
        Self {
            character_set_name: Some(name.into()),
            character_set_description: Some(description).filter(|text| !text.is_empty()).map(Text::new),
        }
    }
}

/// A time zone.
#[derive(Record)]
#[record(answer)]
pub struct Timezone {
    /// Name.
    timezone_name: Option<Text>,
}

/// A version that databases can be upgraded to.
#[derive(Record)]
#[record(answer)]
pub struct UpgradeTarget {
    /// Engine.
    engine: Option<Text>,
    /// Version.
    engine_version: Option<Text>,
    /// Description of the version.
    description: Option<Text>,
    /// True if databases with automatic upgrades are upgraded to it.
    auto_upgrade: Option<bool>,
    /// True for another major version.
    is_major_version_upgrade: Option<bool>,
    /// Modes of the engine.
    supported_engine_modes: Option<Vec<Text>>,
    /// True if queries can run in the storage.
    supports_parallel_query: Option<bool>,
    /// True for global clusters.
    supports_global_databases: Option<bool>,
    /// True if clusters understand the protocol of SQL Server.
    supports_babelfish: Option<bool>,
    /// True for clusters with shards.
    supports_limitless_database: Option<bool>,
    /// True if readers can forward writes.
    supports_local_write_forwarding: Option<bool>,
    /// True for copies of changing data in a data warehouse.
    supports_integrations: Option<bool>,
}

/// The image of a custom version.
#[derive(Record)]
#[record(answer)]
pub struct CustomDBEngineVersionAMI {
    /// ID of the image.
    image_id: Option<Text>,
    /// Status.
    status: Option<Text>,
}

/// Capacity of serverless instances of a version.
#[derive(Record)]
#[record(answer)]
pub struct ServerlessV2FeaturesSupport {
    /// Least capacity.
    min_capacity: Option<f64>,
    /// Largest capacity.
    max_capacity: Option<f64>,
}

/// A version of an engine.
#[derive(Record)]
#[record(answer)]
pub struct DBEngineVersion {
    /// Engine.
    engine: Option<Text>,
    /// Major version.
    major_engine_version: Option<Text>,
    /// Version.
    engine_version: Option<Text>,
    /// Bucket with the files of a custom version.
    #[field(name = "DatabaseInstallationFilesS3BucketName")]
    database_installation_files_s3_bucket_name: Option<Text>,
    /// Prefix of the files of a custom version.
    #[field(name = "DatabaseInstallationFilesS3Prefix")]
    database_installation_files_s3_prefix: Option<Text>,
    /// Files of a custom version.
    database_installation_files: Option<Vec<Text>>,
    /// Manifest of a custom version.
    #[field(name = "CustomDBEngineVersionManifest")]
    custom_db_engine_version_manifest: Option<Text>,
    /// Family of parameter groups.
    #[field(name = "DBParameterGroupFamily")]
    db_parameter_group_family: Option<Text>,
    /// Description of the engine.
    #[field(name = "DBEngineDescription")]
    db_engine_description: Option<Text>,
    /// ARN of a custom version.
    #[field(name = "DBEngineVersionArn")]
    db_engine_version_arn: Option<Text>,
    /// Description of the version.
    #[field(name = "DBEngineVersionDescription")]
    db_engine_version_description: Option<Text>,
    /// Default character set.
    default_character_set: Option<CharacterSet>,
    /// Reason why a custom version could not be created.
    failure_reason: Option<Text>,
    /// Image of a custom version.
    image: Option<CustomDBEngineVersionAMI>,
    /// Source of the files of a custom version.
    #[field(name = "DBEngineMediaType")]
    db_engine_media_type: Option<Text>,
    /// Crypto key of a custom version.
    #[field(name = "CryptoKeyId", wire = "KMSKeyId")]
    crypto_key_id: Option<Text>,
    /// Time of creation of a custom version.
    create_time: Option<Timestamp>,
    /// Character sets, if they were requested.
    #[field(item = "CharacterSet")]
    supported_character_sets: Option<Vec<CharacterSet>>,
    /// National character sets, if character sets were requested.
    #[field(item = "CharacterSet")]
    supported_nchar_character_sets: Option<Vec<CharacterSet>>,
    /// Versions that databases can be upgraded to.
    #[field(item = "UpgradeTarget")]
    valid_upgrade_target: Option<Vec<UpgradeTarget>>,
    /// Time zones, if they were requested.
    #[field(item = "Timezone")]
    supported_timezones: Option<Vec<Timezone>>,
    /// Types of logs that can be exported.
    exportable_log_types: Option<Vec<Text>>,
    /// True if logs can be exported.
    #[field(wire = "SupportsLogExportsToCloudwatchLogs")]
    supports_log_exports: Option<bool>,
    /// True for read replicas.
    supports_read_replica: Option<bool>,
    /// Modes of the engine.
    supported_engine_modes: Option<Vec<Text>>,
    /// Features that are used with a role.
    supported_feature_names: Option<Vec<Text>>,
    /// Status: available or deprecated.
    status: Option<Text>,
    /// True if queries can run in the storage.
    supports_parallel_query: Option<bool>,
    /// True for global clusters.
    supports_global_databases: Option<bool>,
    /// Tags of a custom version.
    #[field(item = "Tag")]
    tag_list: Option<Vec<Tag>>,
    /// True if clusters understand the protocol of SQL Server.
    supports_babelfish: Option<bool>,
    /// True for clusters with shards.
    supports_limitless_database: Option<bool>,
    /// True if a certificate can be changed without a restart.
    supports_certificate_rotation_without_restart: Option<bool>,
    /// Certificate authorities.
    #[field(name = "SupportedCACertificateIdentifiers")]
    supported_ca_certificate_identifiers: Option<Vec<Text>>,
    /// True if readers can forward writes.
    supports_local_write_forwarding: Option<bool>,
    /// True for copies of changing data in a data warehouse.
    supports_integrations: Option<bool>,
    /// Capacity of serverless instances.
    #[field(wire = "ServerlessV2FeaturesSupport")]
    serverless_v2_features_support: Option<ServerlessV2FeaturesSupport>,
}

/// Filters of versions.
const FILTERS: &[&str] = &["db-parameter-group-family", "engine", "engine-mode", "engine-version", "status"];

/// Status of all versions.
const AVAILABLE: &str = "available";

/// Mode of engines with clusters.
const PROVISIONED: &str = "provisioned";

/// Describes the versions of engines, in order of engines and versions.
#[operation(
    of = DBInstance, call = "engine_versions",
    page(db_engine_versions(name = "DBEngineVersions", item = "DBEngineVersion"): DBEngineVersion, marker), include(Page),
    effect = read, access = list, subject = "*"
)]
pub struct DescribeDBEngineVersions {
    /// Name of an engine.
    pub engine: Option<Text>,
    /// Version, or major version.
    pub engine_version: Option<Text>,
    /// Family of parameter groups.
    #[field(name = "DBParameterGroupFamily")]
    pub db_parameter_group_family: Option<Text>,
    /// Filters: db-parameter-group-family, engine, engine-mode, engine-version or status.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
    /// True for the default version of each engine only. With a version or a family, it is the newest.
    pub default_only: Option<bool>,
    /// True to list character sets.
    pub list_supported_character_sets: Option<bool>,
    /// True to list time zones.
    pub list_supported_timezones: Option<bool>,
    /// True to include versions that are not available. There are none.
    pub include_all: Option<bool>,
}

impl Handler for DescribeDBEngineVersions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let filters = filters::read(self.filters.as_deref(), FILTERS)?;
        let all = engine::all().iter().flat_map(Engine::versions);
        let selected = all.filter(|version| self.selects(*version, &filters));
        let (page, marker) = cx.page_list(&self, selected)?;
        let described: Vec<_> = page.into_iter().map(|version| self.describe(version)).collect();
        Ok((described, marker).into())
    }
}

/// True if a version has the value of a filter.
fn has(version: Version, name: &str, value: &str) -> bool {
    match name {
        "db-parameter-group-family" => version.major.family == value,
        "engine" => version.engine.name == value,
        "engine-mode" => version.engine.in_clusters && value == PROVISIONED,
        "engine-version" => version.matches(value),
        _ => value == AVAILABLE,
    }
}

impl DescribeDBEngineVersions {
    fn selects(&self, version: Version, filters: &Filters<'_>) -> bool {
        let is =
            |name: &str, given: &Option<Text>| given.as_deref().is_none_or(|value| has(version, name, value));
        let is_default = || match self.engine_version.is_some() || self.db_parameter_group_family.is_some() {
            true => version.is_newest_minor(),
            false => version.is_newest(),
        };
        is("engine", &self.engine)
            && is("engine-version", &self.engine_version)
            && is("db-parameter-group-family", &self.db_parameter_group_family)
            && (self.default_only != Some(true) || is_default())
            && filters.match_all(|name, value| has(version, name, value))
    }

    fn describe(&self, version: Version) -> DBEngineVersion {
        let engine = version.engine;
        let mut described = DBEngineVersion::of(version);
        let sets = engine.character_sets();
        described.default_character_set = sets.first().copied().map(CharacterSet::from);
        if self.list_supported_character_sets == Some(true) {
            let read = |sets: &[CharacterSetFacts]| Some(sets.iter().copied().map(Into::into).collect());
            described.supported_character_sets = read(&sets);
            described.supported_nchar_character_sets = read(engine.nchar_character_sets());
        }
        if self.list_supported_timezones == Some(true) {
            let zone = |name: &&str| Timezone { timezone_name: Some(Text::new(name)) };
            described.supported_timezones = Some(engine.timezones().iter().map(zone).collect());
        }
        described
    }
}

fn texts(names: &[&str]) -> Option<Vec<Text>> {
    Some(names.iter().map(|name| Text::new(name)).collect())
}

/// Modes of an engine.
fn modes(engine: &Engine) -> Option<Vec<Text>> {
    engine.in_clusters.then(|| vec![PROVISIONED.into()])
}

impl DBEngineVersion {
    fn of(version: Version) -> Self {
        let engine = version.engine;
        let is_target = |other: &Version| version.can_upgrade_to(*other);
        let targets = engine.versions().filter(is_target).map(|to| UpgradeTarget::of(version, to));
        let serverless = classes::is_offered(version, "db.serverless");
        Self {
            engine: Some(engine.name.into()),
            major_engine_version: Some(version.major.version.into()),
            engine_version: Some(version.name().into()),
            db_parameter_group_family: Some(version.major.family.into()),
            db_engine_description: Some(engine.title.into()),
            db_engine_version_description: Some(version.description().into()),
            valid_upgrade_target: Some(targets.collect()),
            exportable_log_types: texts(engine.log_types),
            supports_log_exports: Some(!engine.log_types.is_empty()),
            supports_read_replica: Some(engine.has_read_replicas()),
            supported_engine_modes: modes(engine),
            supported_feature_names: texts(engine.feature_names()),
            status: Some(AVAILABLE.into()),
            supports_parallel_query: Some(engine.name == "aurora-mysql"),
            supports_global_databases: Some(version.has_global_clusters()),
            tag_list: Some(Vec::new()),
            supports_babelfish: Some(version.has_babelfish()),
            supports_limitless_database: Some(false),
            supports_certificate_rotation_without_restart: Some(
                engine.changes_certificates_without_restart(),
            ),
            supported_ca_certificate_identifiers: Some(certificate::identifiers()),
            supports_local_write_forwarding: Some(version.forwards_writes()),
            supports_integrations: Some(version.has_integrations()),
            serverless_v2_features_support: serverless.then(|| {
                let (min, _, max) = capacity::limits(engine);
                ServerlessV2FeaturesSupport { min_capacity: Some(min), max_capacity: Some(max) }
            }),
            ..Self::blank()
        }
    }
}

impl UpgradeTarget {
    fn of(from: Version, to: Version) -> Self {
        let is_major = from.is_other_major(to);
        let of_aurora = |value: bool| to.engine.is_aurora().then_some(value);
        Self {
            engine: Some(to.engine.name.into()),
            engine_version: Some(to.name().into()),
            description: Some(to.description().into()),
            auto_upgrade: Some(!is_major && to.is_newest_minor()),
            is_major_version_upgrade: Some(is_major),
            supported_engine_modes: modes(to.engine),
            supports_parallel_query: of_aurora(to.engine.name == "aurora-mysql"),
            supports_global_databases: of_aurora(to.has_global_clusters()),
            supports_babelfish: of_aurora(to.has_babelfish()),
            supports_limitless_database: of_aurora(false),
            supports_local_write_forwarding: of_aurora(to.forwards_writes()),
            supports_integrations: of_aurora(to.has_integrations()),
        }
    }
}
