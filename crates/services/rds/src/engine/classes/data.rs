//! The table of families of classes.

use super::{Family, Offer};

/// Family of the class without a size.
pub(super) const SERVERLESS: &str = "serverless";

const BURSTABLE: &[&str] = &["micro", "small", "medium", "large", "xlarge", "2xlarge"];
const SMALL_TO_2: &[&str] = &["small", "medium", "large", "xlarge", "2xlarge"];
const TO_16: &[&str] = &["large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge"];
const TO_24: &[&str] =
    &["large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge"];
const TO_32: &[&str] =
    &["large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge", "32xlarge"];
const TO_48: &[&str] =
    &["large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge", "48xlarge"];

/// Sizes with a fixed number of threads and more memory, for Oracle.
const MORE_MEMORY: &[&str] = &[
    "large.tpc1.mem2x",
    "xlarge.tpc2.mem2x",
    "xlarge.tpc2.mem4x",
    "2xlarge.tpc1.mem2x",
    "2xlarge.tpc2.mem4x",
    "2xlarge.tpc2.mem8x",
    "4xlarge.tpc2.mem2x",
    "4xlarge.tpc2.mem3x",
    "4xlarge.tpc2.mem4x",
    "6xlarge.tpc2.mem4x",
    "8xlarge.tpc2.mem3x",
];

const ORACLE: &[Offer] = &[("oracle", &[])];
const SQLSERVER: &[Offer] = &[("sqlserver-ee", &[]), ("sqlserver-se", &[]), ("sqlserver-web", &[])];
const DB2: &[Offer] = &[("db2", &[])];
const NEPTUNE: &[Offer] = &[("neptune", &[])];
const DOCDB: &[Offer] = &[("docdb", &[])];
const AURORA: &[Offer] = &[("aurora-mysql", &[]), ("aurora-postgresql", &[])];

/// First versions of MySQL with classes that older major versions do not have.
const MYSQL: Offer = ("mysql", &["8.0.11"]);
const ALL_OPEN: &[Offer] = &[("mariadb", &[]), ("mysql", &[]), ("postgres", &[])];
const GRAVITON_2: &[Offer] = &[("mariadb", &[]), MYSQL, ("postgres", &["12.7"])];
const GRAVITON_3: &[Offer] = &[("mariadb", &[]), MYSQL, ("postgres", &["13.4", "14.5"])];
const GRAVITON_4: &[Offer] = &[
    ("mariadb", &["10.4.29", "10.5.20", "10.6.13", "10.11.7", "11.4.3"]),
    ("mysql", &["8.0.32"]),
    ("postgres", SEVENTH_POSTGRES),
];
const GRAVITON_4_DISKS: &[Offer] = &[
    ("mariadb", &["10.5.27", "10.6.19", "10.11.9", "11.4.3"]),
    ("mysql", &["8.0.40"]),
    ("postgres", &["13.18", "14.17", "15.10", "16.6", "17.2"]),
];
const DISKS: &[Offer] = &[("mariadb", &[]), MYSQL, ("postgres", &["13.7", "14.5"])];
const NETWORK: &[Offer] = &[("mariadb", &[]), MYSQL, ("postgres", &["11.16", "12.11", "13.7", "14.3"])];
const SEVENTH: &[Offer] = &[("mariadb", &[]), ("mysql", &["8.0.32"]), ("postgres", SEVENTH_POSTGRES)];
const SEVENTH_POSTGRES: &[&str] = &["13.11", "14.9", "15.4", "16.1", "17.1"];
const AURORA_DISKS: &[Offer] = &[("aurora-postgresql", &["14.9", "15.4", "16.1"])];
const AURORA_7: &[Offer] = &[
    ("aurora-mysql", &["8.0.mysql_aurora.3.04.0"]),
    ("aurora-postgresql", &["13.12", "14.9", "15.4", "16.1"]),
];

const fn family(
    name: &'static str,
    sizes: &'static [&'static str],
    offers: &'static [&'static [Offer]],
) -> Family {
    Family { name, sizes, offers, is_previous: false }
}

/// Engines with classes of the first generations.
const FIRST_ENGINES: &[&[Offer]] = &[ALL_OPEN, ORACLE, &[("sqlserver", &[])]];

const fn previous(name: &'static str, sizes: &'static [&'static str]) -> Family {
    Family { name, sizes, offers: FIRST_ENGINES, is_previous: true }
}

const fn previous_of_clusters(
    name: &'static str,
    sizes: &'static [&'static str],
    offers: &'static [&'static [Offer]],
) -> Family {
    Family { name, sizes, offers, is_previous: true }
}

/// All families, in order of their names.
pub const FAMILIES: &[Family] = &[
    family(
        "c6gd",
        &["medium", "large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge"],
        &[&[MYSQL, ("postgres", &["13.7", "14.5"])]],
    ),
    previous("m1", &["small", "medium", "large", "xlarge"]),
    previous("m2", &["xlarge", "2xlarge", "4xlarge"]),
    previous("m3", &["medium", "large", "xlarge", "2xlarge"]),
    previous("m4", &["large", "xlarge", "2xlarge", "4xlarge", "10xlarge", "16xlarge"]),
    family("m5", TO_24, &[ALL_OPEN, ORACLE, SQLSERVER]),
    family("m5d", TO_24, &[DISKS, ORACLE, SQLSERVER]),
    family("m6g", TO_16, &[GRAVITON_2]),
    family("m6gd", TO_16, &[DISKS]),
    family("m6i", TO_32, &[&[("mariadb", &[]), MYSQL, ("postgres", &[])], ORACLE, SQLSERVER, DB2]),
    family("m6id", TO_32, &[DISKS, ORACLE]),
    family("m6idn", TO_32, &[DISKS, DB2]),
    family("m6in", TO_32, &[NETWORK, ORACLE, DB2]),
    family("m7g", TO_16, &[GRAVITON_3]),
    family("m7i", TO_48, &[SEVENTH, ORACLE, SQLSERVER, DB2]),
    family("m8g", TO_48, &[GRAVITON_4]),
    family("m8gd", TO_48, &[GRAVITON_4_DISKS]),
    previous("r3", &["large", "xlarge", "2xlarge", "4xlarge", "8xlarge"]),
    previous("r4", &["large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "16xlarge"]),
    previous_of_clusters(
        "r4",
        &["large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "16xlarge"],
        &[AURORA, DOCDB, NEPTUNE],
    ),
    family("r5", TO_24, &[ALL_OPEN, ORACLE, SQLSERVER, AURORA, DOCDB, NEPTUNE]),
    family("r5", MORE_MEMORY, &[ORACLE]),
    family("r5b", TO_24, &[GRAVITON_2, ORACLE, SQLSERVER]),
    family("r5b", MORE_MEMORY, &[ORACLE]),
    family("r5d", TO_24, &[DISKS, ORACLE, SQLSERVER, NEPTUNE]),
    family(
        "r6g",
        TO_16,
        &[
            GRAVITON_2,
            &[
                ("aurora-mysql", &["5.7.mysql_aurora.2.09.2", "8.0.mysql_aurora.3.01.0"]),
                ("aurora-postgresql", &[]),
                ("docdb", &["4.0.0"]),
            ],
            NEPTUNE,
        ],
    ),
    family("r6gd", TO_16, &[DISKS, AURORA_DISKS, &[("docdb", &["5.0.0"])]]),
    family(
        "r6i",
        TO_32,
        &[
            &[("mariadb", &[]), MYSQL, ("postgres", &["11.13", "12.8", "13.4"])],
            ORACLE,
            SQLSERVER,
            DB2,
            &[
                ("aurora-mysql", &["5.7.mysql_aurora.2.11.1", "8.0.mysql_aurora.3.02.1"]),
                ("aurora-postgresql", &["12.9", "13.5"]),
                ("neptune", &["1.2.1.0"]),
            ],
        ],
    ),
    family("r6i", MORE_MEMORY, &[ORACLE]),
    family("r6id", TO_32, &[DISKS, ORACLE, AURORA_DISKS]),
    family("r6idn", TO_32, &[DISKS, DB2]),
    family("r6in", TO_32, &[NETWORK, ORACLE, DB2]),
    family(
        "r7g",
        TO_16,
        &[
            GRAVITON_3,
            &[
                ("aurora-mysql", &["8.0.mysql_aurora.3.03.1"]),
                ("aurora-postgresql", &["13.10", "14.7"]),
                ("neptune", &["1.2.1.0"]),
            ],
        ],
    ),
    family("r7i", TO_48, &[SEVENTH, ORACLE, SQLSERVER, DB2, AURORA_7]),
    family("r7i", MORE_MEMORY, &[ORACLE]),
    family("r8g", TO_48, &[GRAVITON_4, AURORA_7, &[("docdb", &["5.0.0"]), ("neptune", &["1.4.3.0"])]]),
    family("r8gd", TO_48, &[GRAVITON_4_DISKS]),
    family(
        SERVERLESS,
        &[""],
        &[&[
            ("aurora-mysql", &["8.0.mysql_aurora.3.02.0"]),
            ("aurora-postgresql", &["13.6", "14.3"]),
            ("docdb", &["5.0.0"]),
            ("neptune", &["1.2.0.1"]),
        ]],
    ),
    previous("t1", &["micro"]),
    previous("t2", BURSTABLE),
    previous_of_clusters("t2", &["small", "medium"], &[&[("aurora-mysql", &[])]]),
    family("t3", BURSTABLE, &[ALL_OPEN]),
    family("t3", SMALL_TO_2, &[ORACLE, DB2, &[("sqlserver-web", &[])]]),
    family("t3", &["micro", "small", "medium", "large", "xlarge"], &[&[("sqlserver-ex", &[])]]),
    family("t3", &["xlarge", "2xlarge"], &[&[("sqlserver-ee", &[]), ("sqlserver-se", &[])]]),
    family("t3", &["medium", "large"], &[AURORA]),
    family("t3", &["medium"], &[DOCDB, NEPTUNE]),
    family("t4g", BURSTABLE, &[GRAVITON_2]),
    family(
        "t4g",
        &["medium", "large"],
        &[&[("aurora-mysql", &["8.0.mysql_aurora.3.01.0"]), ("aurora-postgresql", &[])]],
    ),
    family("t4g", &["medium"], &[&[("docdb", &["4.0.0"])], NEPTUNE]),
    previous("x1", &["16xlarge", "32xlarge"]),
    previous("x1e", &["xlarge", "2xlarge", "4xlarge", "8xlarge", "16xlarge", "32xlarge"]),
    family("x2g", TO_16, &[GRAVITON_2, AURORA, NEPTUNE]),
    family(
        "x2idn",
        &["16xlarge", "24xlarge", "32xlarge"],
        &[&[("mariadb", &[]), MYSQL, ("postgres", &["13.9", "14.6"])], ORACLE],
    ),
    family(
        "x2iedn",
        &["xlarge", "2xlarge", "4xlarge", "8xlarge", "16xlarge", "24xlarge", "32xlarge"],
        &[DISKS, ORACLE, DB2, &[("sqlserver-ee", &[]), ("sqlserver-se", &[]), ("neptune", &["1.2.1.0"])]],
    ),
    family(
        "x2iezn",
        &["2xlarge", "4xlarge", "6xlarge", "8xlarge", "12xlarge"],
        &[ORACLE, &[("neptune", &["1.2.1.0"])]],
    ),
    family("z1d", &["large", "xlarge", "2xlarge", "3xlarge", "6xlarge", "12xlarge"], &[ORACLE, SQLSERVER]),
];
