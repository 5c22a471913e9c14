//! The operation that describes major versions of engines.

use crate::{
    DBInstance, DBInstanceManager,
    engine::{self, Engine, Major},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, Timestamp, choices, operation};

choices! {
    /// Support of a major version.
    pub enum LifecycleSupportName {
        /// The support that every database has.
        Standard = "open-source-rds-standard-support",
        /// Support after the standard support, for a price.
        Extended = "open-source-rds-extended-support",
    }
}

/// A time of support of a major version.
#[derive(Record)]
#[record(answer)]
pub struct SupportedEngineLifecycle {
    /// Support.
    lifecycle_support_name: Option<LifecycleSupportName>,
    /// Start of the support.
    lifecycle_support_start_date: Option<Timestamp>,
    /// End of the support.
    lifecycle_support_end_date: Option<Timestamp>,
}

/// A major version of an engine.
#[derive(Record)]
#[record(answer, name = "DBMajorEngineVersion")]
pub struct DBMajorEngineVersion {
    /// Engine.
    engine: Option<Text>,
    /// Major version.
    major_engine_version: Option<Text>,
    /// Times of support, for engines of the community and Aurora.
    #[field(item = "SupportedEngineLifecycle")]
    supported_engine_lifecycles: Option<Vec<SupportedEngineLifecycle>>,
}

/// Describes the major versions of engines, in order of engines and versions.
#[operation(
    of = DBInstance, call = "major_engine_versions",
    page(db_major_engine_versions(name = "DBMajorEngineVersions", item = "DBMajorEngineVersion"): DBMajorEngineVersion, marker),
    effect = read, access = list, subject = "*"
)]
pub struct DescribeDBMajorEngineVersions {
    /// Name of an engine.
    #[field(length(1..=50))]
    pub engine: Option<Text>,
    /// Major version.
    #[field(length(1..=50))]
    pub major_engine_version: Option<Text>,
    /// Pagination token of the previous page.
    #[field(page_token)]
    pub marker: Option<Text>,
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size = 100, range(20..=100))]
    pub max_records: Option<i64>,
}

impl Handler for DescribeDBMajorEngineVersions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let accepts = |given: &Option<Text>, own: &str| given.as_deref().is_none_or(|given| given == own);
        let engines = engine::all().iter().filter(|engine| accepts(&self.engine, engine.name));
        let majors = engines.flat_map(|engine| engine.majors.iter().map(move |major| (engine, major)));
        let majors = majors.filter(|(_, major)| accepts(&self.major_engine_version, major.version));
        Ok(cx.page_list(&self, majors.map(|(engine, major)| describe(engine, major)))?.into())
    }
}

fn describe(engine: &Engine, major: &Major) -> DBMajorEngineVersion {
    let known = SUPPORT.iter().find(|(name, version, ..)| (*name, *version) == (engine.name, major.version));
    let lifecycle = |name, (start, end): Days| SupportedEngineLifecycle {
        lifecycle_support_name: Some(name),
        lifecycle_support_start_date: format!("{start}T00:00:00Z").parse().ok(),
        lifecycle_support_end_date: format!("{end}T23:59:59.999Z").parse().ok(),
    };
    let lifecycles = known.map(|(_, _, standard, extended)| {
        let standard = lifecycle(LifecycleSupportName::Standard, *standard);
        let extended = extended.map(|days| lifecycle(LifecycleSupportName::Extended, days));
        [standard].into_iter().chain(extended).collect()
    });
    DBMajorEngineVersion {
        engine: Some(engine.name.into()),
        major_engine_version: Some(major.version.into()),
        supported_engine_lifecycles: lifecycles,
    }
}

/// First and last day.
type Days = (&'static str, &'static str);

/// Engine, major version, days of the standard and of the extended support.
type Support = (&'static str, &'static str, Days, Option<Days>);

/// Support of major versions, as far as the days are known.
const SUPPORT: &[Support] = &[
    ("aurora-mysql", "5.7", ("2018-02-06", "2024-10-31"), Some(("2024-11-01", "2027-02-28"))),
    ("aurora-postgresql", "11", ("2019-11-26", "2024-02-29"), Some(("2024-03-01", "2027-03-31"))),
    ("aurora-postgresql", "12", ("2020-12-23", "2025-02-28"), Some(("2025-03-01", "2028-02-29"))),
    ("aurora-postgresql", "13", ("2021-08-26", "2026-02-28"), Some(("2026-03-01", "2029-02-28"))),
    ("aurora-postgresql", "14", ("2022-02-24", "2027-02-28"), Some(("2027-03-01", "2030-02-28"))),
    ("aurora-postgresql", "15", ("2023-02-08", "2028-02-29"), Some(("2028-03-01", "2031-02-28"))),
    ("aurora-postgresql", "16", ("2024-01-31", "2029-02-28"), Some(("2029-03-01", "2032-02-28"))),
    ("aurora-postgresql", "17", ("2025-05-01", "2030-02-28"), Some(("2030-03-01", "2033-02-28"))),
    ("mariadb", "10.6", ("2022-02-03", "2026-07-31"), None),
    ("mysql", "5.7", ("2016-02-22", "2024-02-29"), Some(("2024-03-01", "2027-02-28"))),
    ("mysql", "8.0", ("2018-10-23", "2026-07-31"), Some(("2026-08-01", "2029-07-31"))),
    ("postgres", "11", ("2019-03-13", "2024-02-29"), Some(("2024-03-01", "2027-03-31"))),
    ("postgres", "12", ("2020-03-31", "2025-02-28"), Some(("2025-03-01", "2028-02-29"))),
    ("postgres", "13", ("2021-02-24", "2026-02-28"), Some(("2026-03-01", "2029-02-28"))),
    ("postgres", "14", ("2022-02-03", "2027-02-28"), Some(("2027-03-01", "2030-02-28"))),
    ("postgres", "15", ("2023-02-27", "2028-02-29"), Some(("2028-03-01", "2031-02-28"))),
];
