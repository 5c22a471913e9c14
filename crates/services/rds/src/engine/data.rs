//! The table of engines. Minor versions are those that the provider has had, so that older descriptions of databases work.

use super::{Engine, Major};

const fn major(
    version: &'static str,
    family: &'static str,
    prefix: &'static str,
    minors: &'static [&'static str],
) -> Major {
    Major { version, family, prefix, minors }
}

const MYSQL_LOGS: &[&str] = &["audit", "error", "general", "iam-db-auth-error", "slowquery"];
const POSTGRES_LOGS: &[&str] = &["iam-db-auth-error", "postgresql", "upgrade"];
const ORACLE_LOGS: &[&str] = &["alert", "audit", "listener", "oemagent", "trace"];
const SQLSERVER_LOGS: &[&str] = &["agent", "error"];
const DB2_LOGS: &[&str] = &["diag.log", "notify.log"];
const GPL: &[&str] = &["general-public-license"];
const POSTGRES_LICENSE: &[&str] = &["postgresql-license"];
const INCLUDED: &[&str] = &["license-included"];
const OWN: &[&str] = &["bring-your-own-license"];
const OWN_OR_MARKET: &[&str] = &["bring-your-own-license", "marketplace-license"];
const POSTGRES_NAMES: &[&str] = &["admin", "rdsadmin", "rds_superuser", "rdsrepladmin", "rds_replication"];
const OTHER_NAMES: &[&str] = &["rdsadmin", "rdsrepladmin"];

/// Oracle versions.
const ORACLE_19: &[&str] = &[
    "2023-10.rur-2023-10.r1",
    "2024-01.rur-2024-01.r1",
    "2024-04.rur-2024-04.r1",
    "2024-07.rur-2024-07.r1",
    "2024-10.rur-2024-10.r1",
    "2025-01.rur-2025-01.r1",
    "2025-04.rur-2025-04.r1",
];

macro_rules! oracle {
    ($name:literal, $title:literal, $licenses:expr, $family:literal) => {
        Engine {
            name: $name,
            title: $title,
            port: 1521,
            licenses: $licenses,
            max_password: 30,
            reserved_names: OTHER_NAMES,
            log_types: ORACLE_LOGS,
            in_clusters: false,
            majors: &[major("19", $family, "19.0.0.0.ru-", ORACLE_19)],
        }
    };
}

macro_rules! sqlserver {
    ($name:literal, $title:literal, $family_14:literal, $family_15:literal, $family_16:literal) => {
        Engine {
            name: $name,
            title: $title,
            port: 1433,
            licenses: INCLUDED,
            max_password: 128,
            reserved_names: OTHER_NAMES,
            log_types: SQLSERVER_LOGS,
            in_clusters: false,
            majors: &[
                major("14.00", $family_14, "14.00.", &["3421.10.v1", "3460.9.v1", "3465.1.v1", "3480.1.v1"]),
                major("15.00", $family_15, "15.00.", &["4236.7.v1", "4345.5.v1", "4410.1.v1", "4430.1.v1"]),
                major("16.00", $family_16, "16.00.", &["4085.2.v1", "4140.3.v1", "4165.4.v1", "4185.3.v1"]),
            ],
        }
    };
}

/// All engines, in order of their names.
pub(super) const ENGINES: &[Engine] = &[
    Engine {
        name: "aurora-mysql",
        title: "Aurora MySQL",
        port: 3306,
        licenses: GPL,
        max_password: 41,
        reserved_names: OTHER_NAMES,
        log_types: &["audit", "error", "general", "iam-db-auth-error", "instance", "slowquery"],
        in_clusters: true,
        majors: &[
            major(
                "5.7",
                "aurora-mysql5.7",
                "5.7.mysql_aurora.2.",
                &[
                    "07.0", "07.2", "08.0", "08.3", "09.2", "10.2", "10.3", "11.1", "11.2", "11.3", "11.4",
                    "11.5", "11.6", "12.0", "12.1", "12.2", "12.3", "12.4", "12.5",
                ],
            ),
            major(
                "8.0",
                "aurora-mysql8.0",
                "8.0.mysql_aurora.3.",
                &[
                    "01.0", "01.1", "02.0", "02.1", "02.2", "03.0", "03.1", "04.0", "04.1", "04.2", "04.3",
                    "04.4", "05.1", "05.2", "06.0", "06.1", "07.0", "07.1", "08.0", "08.1", "08.2", "09.0",
                    "10.0",
                ],
            ),
        ],
    },
    Engine {
        name: "aurora-postgresql",
        title: "Aurora PostgreSQL",
        port: 5432,
        licenses: POSTGRES_LICENSE,
        max_password: 128,
        reserved_names: POSTGRES_NAMES,
        log_types: &["iam-db-auth-error", "instance", "postgresql"],
        in_clusters: true,
        majors: &[
            major(
                "11",
                "aurora-postgresql11",
                "11.",
                &["9", "13", "14", "15", "16", "17", "18", "19", "20", "21"],
            ),
            major(
                "12",
                "aurora-postgresql12",
                "12.",
                &["8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "22"],
            ),
            major(
                "13",
                "aurora-postgresql13",
                "13.",
                &[
                    "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "18", "20",
                    "21", "22",
                ],
            ),
            major(
                "14",
                "aurora-postgresql14",
                "14.",
                &["3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "15", "17", "18", "19"],
            ),
            major(
                "15",
                "aurora-postgresql15",
                "15.",
                &["2", "3", "4", "5", "6", "7", "8", "10", "12", "13", "14"],
            ),
            major("16", "aurora-postgresql16", "16.", &["1", "2", "3", "4", "6", "8", "9", "10"]),
            major("17", "aurora-postgresql17", "17.", &["4", "5", "6"]),
        ],
    },
    Engine {
        name: "db2-ae",
        title: "IBM Db2 Advanced Edition",
        port: 50000,
        licenses: OWN_OR_MARKET,
        max_password: 255,
        reserved_names: OTHER_NAMES,
        log_types: DB2_LOGS,
        in_clusters: false,
        majors: &[major("11.5", "db2-ae-11.5", "11.5.9.0.sb000", &["40052.r1", "45630.r1", "51765.r1"])],
    },
    Engine {
        name: "db2-se",
        title: "IBM Db2 Standard Edition",
        port: 50000,
        licenses: OWN_OR_MARKET,
        max_password: 255,
        reserved_names: OTHER_NAMES,
        log_types: DB2_LOGS,
        in_clusters: false,
        majors: &[major("11.5", "db2-se-11.5", "11.5.9.0.sb000", &["40052.r1", "45630.r1", "51765.r1"])],
    },
    Engine {
        name: "docdb",
        title: "Amazon DocumentDB (with MongoDB compatibility)",
        port: 27017,
        licenses: &["na"],
        max_password: 100,
        reserved_names: &["admin", "rdsadmin"],
        log_types: &["audit", "profiler"],
        in_clusters: true,
        majors: &[
            major("3.6", "docdb3.6", "3.6.", &["0"]),
            major("4.0", "docdb4.0", "4.0.", &["0"]),
            major("5.0", "docdb5.0", "5.0.", &["0"]),
        ],
    },
    Engine {
        name: "mariadb",
        title: "MariaDB Community Edition",
        port: 3306,
        licenses: GPL,
        max_password: 41,
        reserved_names: OTHER_NAMES,
        log_types: MYSQL_LOGS,
        in_clusters: false,
        majors: &[
            major(
                "10.4",
                "mariadb10.4",
                "10.4.",
                &[
                    "8", "13", "18", "21", "22", "24", "25", "26", "27", "28", "29", "30", "31", "32", "33",
                    "34",
                ],
            ),
            major(
                "10.5",
                "mariadb10.5",
                "10.5.",
                &[
                    "8", "9", "12", "13", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25",
                    "26", "27", "28", "29",
                ],
            ),
            major(
                "10.6",
                "mariadb10.6",
                "10.6.",
                &[
                    "5", "7", "8", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21",
                    "22", "23",
                ],
            ),
            major("10.11", "mariadb10.11", "10.11.", &["4", "5", "6", "7", "8", "9", "10", "11", "13", "14"]),
            major("11.4", "mariadb11.4", "11.4.", &["3", "4", "5", "7", "8"]),
        ],
    },
    Engine {
        name: "mysql",
        title: "MySQL Community Edition",
        port: 3306,
        licenses: GPL,
        max_password: 41,
        reserved_names: OTHER_NAMES,
        log_types: MYSQL_LOGS,
        in_clusters: false,
        majors: &[
            major(
                "5.7",
                "mysql5.7",
                "5.7.",
                &[
                    "16", "17", "19", "21", "22", "23", "24", "25", "26", "28", "30", "31", "33", "34", "36",
                    "37", "38", "39", "40", "41", "42", "43", "44",
                ],
            ),
            major(
                "8.0",
                "mysql8.0",
                "8.0.",
                &[
                    "11", "13", "15", "16", "17", "19", "20", "21", "23", "25", "26", "27", "28", "30", "31",
                    "32", "33", "34", "35", "36", "37", "39", "40", "41", "42", "43",
                ],
            ),
            major("8.4", "mysql8.4", "8.4.", &["3", "4", "5", "6"]),
        ],
    },
    Engine {
        name: "neptune",
        title: "Neptune",
        port: 8182,
        licenses: &["amazon-license"],
        max_password: 41,
        reserved_names: OTHER_NAMES,
        log_types: &["audit", "slowquery"],
        in_clusters: true,
        majors: &[
            major("1.2", "neptune1.2", "1.2.", &["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"]),
            major("1.3", "neptune1.3", "1.3.", &["0.0", "1.0", "2.0", "2.1", "3.0", "4.0", "5.0"]),
            major("1.4", "neptune1.4", "1.4.", &["0.0", "1.0", "2.0", "3.0", "4.0", "5.0", "5.1"]),
        ],
    },
    oracle!("oracle-ee", "Oracle Database Enterprise Edition", OWN, "oracle-ee-19"),
    oracle!("oracle-ee-cdb", "Oracle Database Enterprise Edition (CDB)", OWN, "oracle-ee-cdb-19"),
    oracle!(
        "oracle-se2",
        "Oracle Database Standard Edition Two",
        &["license-included", "bring-your-own-license"],
        "oracle-se2-19"
    ),
    oracle!(
        "oracle-se2-cdb",
        "Oracle Database Standard Edition Two (CDB)",
        &["license-included", "bring-your-own-license"],
        "oracle-se2-cdb-19"
    ),
    Engine {
        name: "postgres",
        title: "PostgreSQL",
        port: 5432,
        licenses: POSTGRES_LICENSE,
        max_password: 128,
        reserved_names: POSTGRES_NAMES,
        log_types: POSTGRES_LOGS,
        in_clusters: false,
        majors: &[
            major(
                "11",
                "postgres11",
                "11.",
                &[
                    "1", "2", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17",
                    "18", "19", "20", "21", "22",
                ],
            ),
            major(
                "12",
                "postgres12",
                "12.",
                &[
                    "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17",
                    "18", "19", "20", "22",
                ],
            ),
            major(
                "13",
                "postgres13",
                "13.",
                &[
                    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
                    "18", "20", "21", "22",
                ],
            ),
            major(
                "14",
                "postgres14",
                "14.",
                &[
                    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "15", "17", "18",
                    "19",
                ],
            ),
            major("15", "postgres15", "15.", &["2", "3", "4", "5", "6", "7", "8", "10", "12", "13", "14"]),
            major("16", "postgres16", "16.", &["1", "2", "3", "4", "6", "8", "9", "10"]),
            major("17", "postgres17", "17.", &["1", "2", "4", "5", "6"]),
        ],
    },
    sqlserver!(
        "sqlserver-ee",
        "SQL Server Enterprise Edition",
        "sqlserver-ee-14.0",
        "sqlserver-ee-15.0",
        "sqlserver-ee-16.0"
    ),
    sqlserver!(
        "sqlserver-ex",
        "SQL Server Express Edition",
        "sqlserver-ex-14.0",
        "sqlserver-ex-15.0",
        "sqlserver-ex-16.0"
    ),
    sqlserver!(
        "sqlserver-se",
        "SQL Server Standard Edition",
        "sqlserver-se-14.0",
        "sqlserver-se-15.0",
        "sqlserver-se-16.0"
    ),
    sqlserver!(
        "sqlserver-web",
        "SQL Server Web Edition",
        "sqlserver-web-14.0",
        "sqlserver-web-15.0",
        "sqlserver-web-16.0"
    ),
];
