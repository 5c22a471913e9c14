//! What engines and their versions can do.

use super::{CharacterSet, Engine, Version, character_sets};

impl Engine {
    /// True for Aurora.
    pub(crate) fn is_aurora(&self) -> bool {
        self.name.starts_with("aurora-")
    }

    /// True for Oracle.
    pub(crate) fn is_oracle(&self) -> bool {
        self.name.starts_with("oracle-")
    }

    /// True for SQL Server.
    pub(crate) fn is_sqlserver(&self) -> bool {
        self.name.starts_with("sqlserver-")
    }

    /// True for engines of the community, which have no editions.
    pub(crate) fn is_open(&self) -> bool {
        ["mariadb", "mysql", "postgres"].contains(&self.name)
    }

    /// True if instances can have read replicas.
    pub(crate) fn has_read_replicas(&self) -> bool {
        self.is_open()
            || self.name.starts_with("oracle-ee")
            || self.name == "sqlserver-ee"
            || self.name.starts_with("db2-")
    }

    /// True if instances can have a standby.
    pub(crate) fn has_standby(&self) -> bool {
        !self.in_clusters && !["sqlserver-ex", "sqlserver-web"].contains(&self.name)
    }

    /// True if clusters of instances in several zones can be made.
    pub(crate) fn has_multi_zone_clusters(&self) -> bool {
        ["mysql", "postgres"].contains(&self.name)
    }

    /// True if users can be those of a directory.
    pub(crate) fn has_directories(&self) -> bool {
        !["mariadb", "docdb", "neptune"].contains(&self.name)
    }

    /// True if the operating system can be measured.
    pub(crate) fn has_monitoring(&self) -> bool {
        !["docdb", "neptune"].contains(&self.name)
    }

    /// True if a certificate can be changed without a restart.
    pub(crate) fn changes_certificates_without_restart(&self) -> bool {
        self.is_open() || self.in_clusters
    }

    /// True if instances can have further storage volumes.
    pub(crate) fn has_volumes(&self) -> bool {
        self.is_oracle() || self.is_sqlserver()
    }

    /// Types of storage; none for instances that use the storage of their cluster.
    pub(crate) fn storage_types(&self) -> &'static [&'static str] {
        match self.name {
            "docdb" => &["standard", "iopt1"],
            "neptune" => &["aurora"],
            _ if self.in_clusters => &["aurora", "aurora-iopt1"],
            _ => crate::instance::storage::TYPES,
        }
    }

    /// Modes of activity streams.
    pub(crate) fn activity_stream_modes(&self) -> &'static [&'static str] {
        match self.name {
            "aurora-postgresql" => &["async", "sync"],
            _ if self.is_aurora() || self.has_volumes() => &["async"],
            _ => &[],
        }
    }

    /// Features that instances use with a role.
    pub(crate) fn feature_names(&self) -> &'static [&'static str] {
        match self.name {
            "postgres" | "aurora-postgresql" => &["Lambda", "s3Export", "s3Import"],
            _ if self.is_oracle() => &["S3_INTEGRATION"],
            _ if self.is_sqlserver() => &["S3_INTEGRATION", "SQLSERVER_AUDIT", "SQLSERVER_BACKUP_RESTORE"],
            _ => &[],
        }
    }

    /// Character sets of databases with their descriptions, the default one first.
    pub(crate) fn character_sets(&self) -> Vec<CharacterSet> {
        match self.name {
            _ if self.is_oracle() => character_sets::ORACLE.to_vec(),
            _ if self.is_sqlserver() => character_sets::SQLSERVER.iter().map(|name| (*name, "")).collect(),
            _ => Vec::new(),
        }
    }

    /// National character sets of databases with their descriptions.
    pub(crate) fn nchar_character_sets(&self) -> &'static [CharacterSet] {
        if self.is_oracle() { character_sets::ORACLE_NATIONAL } else { &[] }
    }

    /// Time zones of databases.
    pub(crate) fn timezones(&self) -> &'static [&'static str] {
        if self.is_sqlserver() { character_sets::TIME_ZONES } else { &[] }
    }
}

impl Version {
    /// Description: `MySQL 8.0.40`.
    pub(crate) fn description(self) -> String {
        let number = self.name();
        match self.engine.name {
            "aurora-mysql" => {
                let (mysql, own) = number.split_once(".mysql_aurora.").unwrap_or((&number, &number));
                format!("Aurora MySQL {own} (compatible with MySQL {mysql})")
            }
            "aurora-postgresql" => format!("Aurora PostgreSQL (compatible with PostgreSQL {number})"),
            "mysql" => format!("MySQL {number}"),
            "mariadb" => format!("MariaDB {number}"),
            "postgres" => format!("PostgreSQL {number}"),
            "docdb" => format!("DocDB version {number}"),
            "neptune" => format!("Neptune {number}"),
            _ if self.engine.is_oracle() => format!("Oracle {number}"),
            _ if self.engine.is_sqlserver() => {
                let year = match self.major.version {
                    "14.00" => "2017",
                    "15.00" => "2019",
                    _ => "2022",
                };
                format!("SQL Server {year} {number}")
            }
            _ => format!("Db2 {number}"),
        }
    }

    /// True if users can sign in with credentials of the account.
    pub(crate) fn has_account_sign_in(self) -> bool {
        match self.engine.name {
            "mariadb" => self.is_from(&["10.6.5"]),
            "mysql" | "postgres" | "neptune" => true,
            _ => self.engine.is_aurora(),
        }
    }

    /// True for global clusters.
    pub(crate) fn has_global_clusters(self) -> bool {
        match self.engine.name {
            "docdb" => self.is_from(&["4.0.0"]),
            "neptune" => true,
            _ => self.engine.is_aurora(),
        }
    }

    /// True if clusters understand the protocol of SQL Server, too.
    pub(crate) fn has_babelfish(self) -> bool {
        self.engine.name == "aurora-postgresql" && self.is_from(&["13.4"])
    }

    /// True if readers can forward writes.
    pub(crate) fn forwards_writes(self) -> bool {
        match self.engine.name {
            "aurora-mysql" => self.is_from(&["8.0.mysql_aurora.3.04.0"]),
            "aurora-postgresql" => self.is_from(&["14.13", "15.8", "16.4"]),
            _ => false,
        }
    }

    /// True if data can be copied to a data warehouse as they change.
    pub(crate) fn has_integrations(self) -> bool {
        match self.engine.name {
            "aurora-mysql" => self.is_from(&["8.0.mysql_aurora.3.05.2"]),
            "aurora-postgresql" => self.is_from(&["16.4", "17.4"]),
            "mysql" => self.is_from(&["8.0.32"]),
            "postgres" => self.is_from(&["15.7", "16.3", "17.1"]),
            _ => false,
        }
    }
}
