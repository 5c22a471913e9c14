//! Tests of `engine::classes`.

use nephos_rds::engine::classes::*;
use nephos_rds::engine::{Version, find as engine};

fn version(name: &str, version: &str) -> Version {
    engine(name).unwrap().version(version).unwrap()
}

#[test]
fn first_versions_exist() {
    for family in data::FAMILIES {
        for (name, firsts) in family.offers.iter().copied().flatten() {
            let mut engines = nephos_rds::engine::all().iter().filter(|engine| is_of(engine, name));
            let engine = engines.next().unwrap_or_else(|| panic!("{name} of {}", family.name));
            for first in *firsts {
                assert!(engine.versions().any(|one| one.is(first)), "{name} {first} of {}", family.name);
            }
        }
    }
}

#[test]
fn classes_depend_on_engine_version_and_edition() {
    for (name, number, class, expected) in [
        ("mysql", "8.0.35", "db.t4g.micro", true),
        ("mysql", "5.7.44", "db.t4g.micro", false),
        ("mysql", "5.7.44", "db.t3.micro", true),
        ("mysql", "8.0.31", "db.m8g.large", false),
        ("mysql", "8.0.32", "db.m8g.large", true),
        ("mysql", "8.4.3", "db.m8g.large", true),
        ("postgres", "12.6", "db.r6g.large", false),
        ("postgres", "12.7", "db.r6g.large", true),
        ("postgres", "11.22", "db.r6g.large", false),
        ("postgres", "17.5", "db.r6g.large", true),
        ("postgres", "17.5", "db.t2.micro", true),
        ("aurora-postgresql", "13.4", "db.r6i.large", false),
        ("aurora-postgresql", "13.5", "db.r6i.large", true),
        ("aurora-postgresql", "16.1", "db.serverless", true),
        ("aurora-postgresql", "16.1", "db.m5.large", false),
        ("aurora-mysql", "8.0.mysql_aurora.3.01.0", "db.serverless", false),
        ("docdb", "5.0.0", "db.t4g.medium", true),
        ("docdb", "3.6.0", "db.t4g.medium", false),
        ("docdb", "5.0.0", "db.t4g.large", false),
        ("oracle-ee", "19", "db.r5.8xlarge.tpc2.mem3x", true),
        ("oracle-ee", "19", "db.m5.24xlarge", true),
        ("oracle-se2", "19", "db.m5.24xlarge", false),
        ("oracle-ee", "19", "db.t3.micro", false),
        ("sqlserver-ex", "15.00", "db.t3.micro", true),
        ("sqlserver-ex", "15.00", "db.m5.large", false),
        ("sqlserver-ee", "15.00", "db.m5.large", false),
        ("sqlserver-ee", "15.00", "db.m5.xlarge", true),
    ] {
        let version = version(name, number);
        assert_eq!(is_offered(version, class), expected, "{name} {number} {class}");
    }
    for (name, expected) in [
        ("db.m5.large", true),
        ("db.m5.3xlarge", false),
        ("db.m5", false),
        ("db.m5large", false),
        ("m5.large", false),
    ] {
        assert_eq!(is_known(name), expected, "{name}");
    }
}

#[test]
fn numbers_of_cores_follow_from_the_class() {
    let oracle = version("oracle-ee", "19");
    let cores = |name: &str| find(oracle, name).unwrap().processor(oracle.engine).map(|one| one.cores);
    assert_eq!(cores("db.m5.large"), Some(vec![1]));
    assert_eq!(cores("db.m5.4xlarge"), Some(vec![2, 4, 6, 8]));
    assert_eq!(cores("db.r7i.2xlarge"), Some(vec![1, 2, 3, 4]));
    assert_eq!(cores("db.r5.24xlarge").map(|cores| (cores[0], cores.len())), Some((4, 23)));
    assert_eq!(cores("db.t3.large"), None);
    assert_eq!(cores("db.r5.large.tpc1.mem2x"), None);
    let postgres = version("postgres", "16.3");
    assert!(find(postgres, "db.m5.large").unwrap().processor(postgres.engine).is_none());
}
