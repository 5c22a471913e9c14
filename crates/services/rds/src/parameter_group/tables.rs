//! The parameters of all families: a selection of those that are well known.

mod commercial;
mod mysql;
mod postgres;

use nephos_core::Text;
use std::collections::BTreeMap;

/// What parameters are for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// For an instance.
    Instance,
    /// For a cluster and all its members.
    Cluster,
}

/// Type of the values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum DataType {
    Boolean,
    Float,
    Integer,
    /// Several of the allowed values, with commas between them.
    List,
    String,
}

impl DataType {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Float => "float",
            Self::Integer => "integer",
            Self::List => "list",
            Self::String => "string",
        }
    }
}

/// When a change of a parameter takes effect, and if it can be changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    /// At once, or after a reboot, as the caller asks.
    Dynamic,
    /// After a reboot.
    Static,
    /// It cannot be changed.
    Fixed,
}

/// Definition of a parameter.
#[derive(Debug)]
pub struct Definition {
    /// First major version with this definition; 0 for all.
    pub(crate) since: u32,
    /// Name.
    pub name: &'static str,
    pub(crate) data_type: DataType,
    /// Values and ranges, such as `0,20-65535`; empty if the values are not limited.
    pub(crate) allowed: &'static str,
    /// Value that the service sets; none if the engine has its own.
    pub default: Option<&'static str>,
    pub(crate) change: Change,
    pub(crate) description: &'static str,
}

impl Definition {
    /// True if the value can be changed.
    pub(crate) fn is_modifiable(&self) -> bool {
        self.change != Change::Fixed
    }

    /// True if a change takes effect after a reboot only.
    pub(crate) fn is_static(&self) -> bool {
        self.change != Change::Dynamic
    }

    /// Type of changes: static or dynamic.
    pub(crate) fn apply_type(&self) -> &'static str {
        if self.is_static() { "static" } else { "dynamic" }
    }

    /// The allowed values, if they are limited.
    pub(crate) fn allowed_values(&self) -> Option<Text> {
        (!self.allowed.is_empty()).then(|| self.allowed.into())
    }
}

/// A table of parameters.
pub(crate) type Table = &'static [Definition];

/// Families of one engine, or of engines with the same parameters.
struct Line {
    /// Start of the names of the families; their versions follow.
    prefix: &'static str,
    /// Tables of the parameters of instances. A later definition of the same name counts.
    instance: &'static [Table],
    /// Tables of the parameters of clusters.
    cluster: &'static [Table],
    /// First major version with clusters; none if there are no clusters.
    clusters_since: Option<u32>,
}

/// All families.
const LINES: &[Line] = &[
    Line {
        prefix: "aurora-mysql",
        instance: &[mysql::COMMON, mysql::AURORA],
        cluster: &[mysql::COMMON, mysql::SERVER, mysql::AURORA, mysql::AURORA_CLUSTER],
        clusters_since: Some(0),
    },
    Line {
        prefix: "aurora-postgresql",
        instance: &[postgres::COMMON, postgres::AURORA],
        cluster: &[postgres::COMMON, postgres::SERVER, postgres::AURORA, postgres::AURORA_CLUSTER],
        clusters_since: Some(0),
    },
    Line { prefix: "db2-", instance: &[commercial::DB2], cluster: &[], clusters_since: None },
    Line { prefix: "docdb", instance: &[], cluster: &[commercial::DOCDB], clusters_since: Some(0) },
    Line {
        prefix: "mariadb",
        instance: &[mysql::COMMON, mysql::SERVER, mysql::MARIADB],
        cluster: &[],
        clusters_since: None,
    },
    Line {
        prefix: "mysql",
        instance: &[mysql::COMMON, mysql::SERVER, mysql::MYSQL],
        cluster: &[mysql::COMMON, mysql::SERVER, mysql::MYSQL],
        clusters_since: Some(8),
    },
    Line {
        prefix: "neptune",
        instance: &[commercial::NEPTUNE],
        cluster: &[commercial::NEPTUNE_CLUSTER],
        clusters_since: Some(0),
    },
    Line { prefix: "oracle-", instance: &[commercial::ORACLE], cluster: &[], clusters_since: None },
    Line {
        prefix: "postgres",
        instance: &[postgres::COMMON, postgres::SERVER],
        cluster: &[postgres::COMMON, postgres::SERVER],
        clusters_since: Some(13),
    },
    Line { prefix: "sqlserver-", instance: &[commercial::SQLSERVER], cluster: &[], clusters_since: None },
];

/// Finds the line of a family, and returns it with the major version.
fn line_of(family: &str) -> Option<(&'static Line, u32)> {
    let line = LINES.iter().find(|line| family.starts_with(line.prefix))?;
    let digits = family.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let major = digits.split('.').next().and_then(|major| major.parse().ok());
    Some((line, major.unwrap_or_default()))
}

/// True if a family has groups of this level.
pub fn has_family(family: &str, level: Level) -> bool {
    line_of(family).is_some_and(|(line, major)| {
        level == Level::Instance || line.clusters_since.is_some_and(|since| since <= major)
    })
}

/// Returns the parameters of a family, in order of their names.
pub fn of_family(family: &str, level: Level) -> Vec<&'static Definition> {
    let Some((line, major)) = line_of(family) else { return Vec::new() };
    let tables = if level == Level::Instance { line.instance } else { line.cluster };
    let all = tables.iter().copied().flatten().filter(|definition| definition.since <= major);
    let by_name: BTreeMap<_, _> = all.map(|definition| (definition.name, definition)).collect();
    by_name.into_values().collect()
}

/// Defines a table: name, type with the allowed values, default value, change, first major version if it is not the first, description.
macro_rules! parameters {
    ($(#[$doc:meta])* $table:ident: $(
        $name:literal $data_type:ident[$allowed:expr] $($default:literal)? $change:ident $(since $since:literal)?: $description:literal;
    )+) => {
        $(#[$doc])*
        pub(super) const $table: crate::parameter_group::tables::Table = &[$(crate::parameter_group::tables::Definition {
            since: 0 $(+ $since)?,
            name: $name,
            data_type: crate::parameter_group::tables::DataType::$data_type,
            allowed: $allowed,
            default: $crate::parameter_group::tables::parameters!(@default $($default)?),
            change: crate::parameter_group::tables::Change::$change,
            description: $description,
        }),+];
    };
    (@default) => { None };
    (@default $value:literal) => { Some($value) };
}
pub(crate) use parameters;
