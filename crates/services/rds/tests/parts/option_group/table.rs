//! Tests of `option_group::table`.

use nephos_rds::engine;
use nephos_rds::parts::table::*;
use nephos_rds::parts::values;

#[test]
fn options_are_consistent() {
    for engine in engine::all() {
        for major in engine.majors {
            let names: Vec<_> = of_version(engine, major).map(|option| option.name).collect();
            assert!(names.is_sorted(), "{}", engine.name);
            for option in of_version(engine, major) {
                let others = option.depends_on.iter().chain(option.conflicts_with);
                assert!(others.copied().all(|other| names.contains(&other)), "{}", option.name);
                let mut named = option.required.iter().chain(option.secret);
                assert!(named.all(|name| option.setting(name).is_some()), "{}", option.name);
                for setting in option.settings {
                    let is_allowed = |value| values::is_constant_allowed(setting, value);
                    assert!(setting.default.is_none_or(is_allowed), "{}", setting.name);
                }
            }
        }
    }
}
