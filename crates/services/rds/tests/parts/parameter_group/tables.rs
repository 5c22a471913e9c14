//! Tests of `parameter_group::tables`.

use nephos_rds::engine;
use nephos_rds::parts::tables::*;
use nephos_rds::parts::values;

fn find(family: &str, level: Level, name: &str) -> Option<&'static Definition> {
    of_family(family, level).into_iter().find(|definition| definition.name == name)
}

#[test]
fn default_values_are_allowed() {
    for family in engine::all().iter().flat_map(|engine| engine.majors).map(|major| major.family) {
        assert!(has_family(family, Level::Instance), "{family}");
        for level in [Level::Instance, Level::Cluster] {
            for definition in of_family(family, level) {
                let allowed = definition.default.is_none_or(|value| values::is_allowed(definition, value));
                assert!(allowed, "{family} {}", definition.name);
            }
        }
    }
}

#[test]
fn families_have_parameters_of_their_level_and_version() {
    let force_ssl = |family| find(family, Level::Instance, "rds.force_ssl").unwrap().default;
    assert_eq!((force_ssl("postgres14"), force_ssl("postgres15")), (Some("0"), Some("1")));
    assert!(find("aurora-mysql8.0", Level::Cluster, "binlog_format").is_some());
    assert!(find("aurora-mysql8.0", Level::Instance, "binlog_format").is_none());
    assert!(has_family("postgres13", Level::Cluster) && !has_family("postgres12", Level::Cluster));
    assert!(!has_family("mariadb10.6", Level::Cluster) && has_family("docdb5.0", Level::Cluster));
}
