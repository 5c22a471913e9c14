//! The table of options.

use crate::{
    engine::{Engine, Major},
    parameter_group::tables::{Definition, parameters},
};

/// Definition of an option.
pub struct OptionDefinition {
    /// Start of the names of the engines with the option.
    engines: &'static str,
    /// Major versions with the option; empty for all.
    pub majors: &'static [&'static str],
    /// Name.
    pub name: &'static str,
    pub(super) description: &'static str,
    /// Port by default, if the option has a port.
    pub(super) port: Option<i64>,
    /// True if the option cannot be removed while an instance uses the group.
    pub(super) persistent: bool,
    /// True if the option cannot be removed.
    pub(super) permanent: bool,
    /// Versions, if the option has versions.
    pub(super) versions: &'static [&'static str],
    /// Options that must be in the group, too.
    pub depends_on: &'static [&'static str],
    /// Options that cannot be in the same group.
    pub conflicts_with: &'static [&'static str],
    /// Settings.
    pub settings: &'static [Definition],
    /// Names of the settings that must be given.
    pub required: &'static [&'static str],
    /// Names of the settings whose values are secret.
    pub secret: &'static [&'static str],
}

/// Returns the options of a version of an engine, in order of their names.
pub fn of_version(engine: &Engine, major: &Major) -> impl Iterator<Item = &'static OptionDefinition> + Clone {
    OPTIONS.iter().filter(move |option| {
        let is_major = option.majors.is_empty() || option.majors.contains(&major.version);
        is_major && engine.name.starts_with(option.engines)
    })
}

impl OptionDefinition {
    /// Finds a setting.
    pub fn setting(&self, name: &str) -> Option<&'static Definition> {
        self.settings.iter().find(|setting| setting.name == name)
    }
}

const SWITCH: &str = "TRUE,FALSE";
const SIDES: &str = "Accepted,Rejected,Requested,Required";

parameters! {
    /// Settings of the audit plugin.
    AUDIT_PLUGIN:
    "SERVER_AUDIT" String["FORCE_PLUS_PERMANENT"] "FORCE_PLUS_PERMANENT" Fixed: "Keeps the plugin loaded.";
    "SERVER_AUDIT_EVENTS" List["CONNECT,QUERY,TABLE,QUERY_DDL,QUERY_DML,QUERY_DML_NO_SELECT,QUERY_DCL"] "CONNECT,QUERY" Dynamic:
        "Events in the log.";
    "SERVER_AUDIT_EXCL_USERS" List[""] Dynamic: "Users whose events are not logged.";
    "SERVER_AUDIT_FILE_PATH" String["/rdsdbdata/log/audit/"] "/rdsdbdata/log/audit/" Static: "Directory of the log.";
    "SERVER_AUDIT_FILE_ROTATE_SIZE" Integer["1-1000000000"] "1000000" Dynamic: "Size in bytes after which a new file starts.";
    "SERVER_AUDIT_FILE_ROTATIONS" Integer["0-100"] "9" Dynamic: "Number of files to keep.";
    "SERVER_AUDIT_INCL_USERS" List[""] Dynamic: "Users whose events are logged.";
    "SERVER_AUDIT_LOGGING" String["ON"] "ON" Fixed: "Writes the log.";
    "SERVER_AUDIT_QUERY_LOG_LIMIT" Integer["0-2147483647"] "1024" Dynamic: "Maximum length of a query in the log.";
}

parameters! {
    /// Settings of memcached.
    MEMCACHED:
    "BACKLOG_QUEUE_LIMIT" Integer["1-2048"] "1024" Static: "Number of connections that can wait.";
    "BINDING_PROTOCOL" String["auto,ascii,binary"] "auto" Static: "Protocol.";
    "CAS_DISABLED" Integer["0,1"] "0" Static: "Turns checks before changes off.";
    "CHUNK_SIZE" Integer["1-48"] "48" Static: "Smallest size of an item in bytes.";
    "CHUNK_SIZE_GROWTH_FACTOR" Float["1-2"] "1.25" Static: "Factor between the sizes of items.";
    "ERROR_ON_MEMORY_EXHAUSTED" Integer["0,1"] "0" Static: "Refuses items when the memory is full.";
    "INNODB_API_TRX_LEVEL" Integer["0-3"] "0" Static: "Isolation of transactions.";
    "MAX_SIMULTANEOUS_CONNECTIONS" Integer["10-1024"] "1024" Static: "Maximum number of connections.";
    "VERBOSITY" String["v,vv,vvv"] "v" Static: "Details in the log.";
}

parameters! {
    /// Settings of encryption between client and server.
    NETWORK_ENCRYPTION:
    "SQLNET.CRYPTO_CHECKSUM_SERVER" String[SIDES] "Requested" Static: "Use of checksums.";
    "SQLNET.CRYPTO_CHECKSUM_TYPES_SERVER" List["SHA256,SHA384,SHA512,SHA1,MD5"] "SHA256,SHA384,SHA512,SHA1,MD5" Static:
        "Checksums, best first.";
    "SQLNET.ENCRYPTION_SERVER" String[SIDES] "Requested" Static: "Use of encryption.";
    "SQLNET.ENCRYPTION_TYPES_SERVER" List["RC4_256,AES256,AES192,3DES168,RC4_128,AES128,3DES112,RC4_56,DES,RC4_40,DES40"]
        "RC4_256,AES256,AES192,3DES168,RC4_128,AES128,3DES112,RC4_56,DES,RC4_40,DES40" Static: "Ciphers, best first.";
}

parameters! {
    /// Settings of the management agent.
    AGENT:
    "AGENT_REGISTRATION_PASSWORD" String[""] Static: "Password with which the agent signs in.";
    "ALLOW_TLS_ONLY" String[SWITCH] "TRUE" Static: "Refuses older protocols than TLS.";
    "MINIMUM_TLS_VERSION" String["TLSv1,TLSv1.2"] "TLSv1" Static: "Oldest allowed version of TLS.";
    "OMS_HOST" String[""] Static: "Host name of the management service.";
    "OMS_PORT" Integer["1-65535"] Static: "Port of the management service.";
}

parameters! {
    /// Settings of encrypted connections.
    SSL:
    "FIPS.SSLFIPS_140" String[SWITCH] "FALSE" Static: "Uses certified ciphers only.";
    "SQLNET.SSL_VERSION" String["1.0,1.2,1.2 or 1.0"] "1.0" Static: "Versions of TLS.";
}

parameters! {
    /// Setting of the time zone.
    TIME_ZONE:
    "TIME_ZONE" String[""] "UTC" Dynamic: "Time zone of the server.";
}

parameters! {
    /// Settings of audits of SQL Server.
    SQL_AUDIT:
    "ENABLE_COMPRESSION" String["true,false"] "true" Dynamic: "Compresses files.";
    "IAM_ROLE_ARN" String[""] Dynamic: "Role with which files are written.";
    "RETENTION_TIME" Integer["0-840"] "0" Dynamic: "Hours for which files are kept on the instance.";
    "S3_BUCKET_ARN" String[""] Dynamic: "Bucket of the files.";
}

parameters! {
    /// Setting of backups of SQL Server.
    SQL_BACKUP:
    "IAM_ROLE_ARN" String[""] Dynamic: "Role with which backups are read and written.";
}

parameters! {
    /// Settings of distributed transactions.
    TRANSACTIONS:
    "AUTHENTICATION" String["MUTUAL,INCOMING,NONE"] "MUTUAL" Dynamic: "Who proves the identity.";
    "ENABLE_INBOUND_CONNECTIONS" String["true,false"] "true" Dynamic: "Allows connections to the instance.";
    "ENABLE_OUTBOUND_CONNECTIONS" String["true,false"] "true" Dynamic: "Allows connections from the instance.";
    "ENABLE_XA" String["true,false"] "false" Dynamic: "Allows XA transactions.";
    "TRANSACTION_LOG_SIZE" Integer["4-1024"] "4" Dynamic: "Size of the log in megabytes.";
}

parameters! {
    /// Setting of services beside SQL Server.
    MEMORY:
    "MAX_MEMORY" Integer["10-80"] "45" Dynamic: "Maximum share of the memory, in percent.";
}

/// An option without anything special.
const PLAIN: OptionDefinition = OptionDefinition {
    engines: "",
    majors: &[],
    name: "",
    description: "",
    port: None,
    persistent: false,
    permanent: false,
    versions: &[],
    depends_on: &[],
    conflicts_with: &[],
    settings: &[],
    required: &[],
    secret: &[],
};

const fn oracle(name: &'static str, description: &'static str) -> OptionDefinition {
    OptionDefinition { engines: "oracle", name, description, ..PLAIN }
}

const fn sqlserver(name: &'static str, description: &'static str) -> OptionDefinition {
    OptionDefinition { engines: "sqlserver", name, description, ..PLAIN }
}

const AUDIT: OptionDefinition = OptionDefinition {
    name: "MARIADB_AUDIT_PLUGIN",
    description: "Logs connections and queries.",
    settings: AUDIT_PLUGIN,
    ..PLAIN
};

/// All options, in order of their names within an engine.
static OPTIONS: &[OptionDefinition] = &[
    OptionDefinition { engines: "mariadb", ..AUDIT },
    OptionDefinition { engines: "mysql", ..AUDIT },
    OptionDefinition {
        engines: "mysql",
        majors: &["5.7", "8.0"],
        name: "MEMCACHED",
        description: "Access to tables with the protocol of memcached.",
        port: Some(11211),
        settings: MEMCACHED,
        ..PLAIN
    },
    OptionDefinition {
        versions: &["21.1.v1", "22.1.v1", "23.1.v1", "24.1.v1"],
        ..oracle("APEX", "Application Express, the runtime.")
    },
    OptionDefinition {
        depends_on: &["APEX"],
        ..oracle("APEX-DEV", "Application Express, the development environment.")
    },
    oracle("JVM", "Java in the database."),
    OptionDefinition {
        conflicts_with: &["SSL"],
        settings: NETWORK_ENCRYPTION,
        ..oracle("NATIVE_NETWORK_ENCRYPTION", "Encryption between client and server.")
    },
    OptionDefinition {
        port: Some(5500),
        conflicts_with: &["OEM_AGENT"],
        ..oracle("OEM", "Management of the database in a browser.")
    },
    OptionDefinition {
        port: Some(3872),
        versions: &["13.4.0.9.v1", "13.5.0.0.v1"],
        conflicts_with: &["OEM"],
        settings: AGENT,
        required: &["AGENT_REGISTRATION_PASSWORD", "OMS_HOST", "OMS_PORT"],
        secret: &["AGENT_REGISTRATION_PASSWORD"],
        ..oracle("OEM_AGENT", "Agent of a management service.")
    },
    OptionDefinition {
        versions: &["1.0"],
        ..oracle("S3_INTEGRATION", "Transfer of files to and from buckets.")
    },
    oracle("SPATIAL", "Spatial data."),
    OptionDefinition {
        port: Some(2484),
        conflicts_with: &["NATIVE_NETWORK_ENCRYPTION"],
        settings: SSL,
        ..oracle("SSL", "Encrypted connections.")
    },
    oracle("STATSPACK", "Statistics of performance."),
    OptionDefinition {
        engines: "oracle-ee",
        persistent: true,
        permanent: true,
        ..oracle("TDE", "Encryption of data files.")
    },
    OptionDefinition {
        persistent: true,
        permanent: true,
        settings: TIME_ZONE,
        ..oracle("Timezone", "Time zone of the server.")
    },
    oracle("UTL_MAIL", "Mail from the database."),
    oracle("XMLDB", "XML data."),
    OptionDefinition {
        port: Some(5000),
        settings: TRANSACTIONS,
        ..sqlserver("MSDTC", "Distributed transactions.")
    },
    OptionDefinition {
        settings: SQL_AUDIT,
        required: &["IAM_ROLE_ARN", "S3_BUCKET_ARN"],
        ..sqlserver("SQLSERVER_AUDIT", "Audits of databases.")
    },
    OptionDefinition {
        settings: SQL_BACKUP,
        required: &["IAM_ROLE_ARN"],
        ..sqlserver("SQLSERVER_BACKUP_RESTORE", "Backup to buckets, and restore from them.")
    },
    OptionDefinition { port: Some(2383), settings: MEMORY, ..sqlserver("SSAS", "Analysis Services.") },
    sqlserver("SSIS", "Integration Services."),
    OptionDefinition { port: Some(8443), settings: MEMORY, ..sqlserver("SSRS", "Reporting Services.") },
    OptionDefinition {
        engines: "sqlserver-ee",
        persistent: true,
        ..sqlserver("TDE", "Encryption of data files.")
    },
    OptionDefinition {
        engines: "sqlserver-se",
        majors: &["15.00", "16.00"],
        persistent: true,
        ..sqlserver("TDE", "Encryption of data files.")
    },
];
