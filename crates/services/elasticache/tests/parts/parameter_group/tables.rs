//! Tests of `parameter_group::tables`.

use nephos_elasticache::parts::engine::Family;
use nephos_elasticache::parts::tables::*;
use nephos_elasticache::parts::values;

#[test]
fn a_family_has_a_parameter_once_and_in_order_of_names() {
    for family in Family::ALL {
        let names: Vec<_> = of_family(family).map(|definition| definition.name).collect();
        assert!(names.is_sorted_by(|one, other| one < other), "{family:?}: {names:?}");
    }
    assert_eq!(of_family(Family::Redis50).count(), 57);
}

#[test]
fn default_values_are_allowed() {
    for definition in PARAMETERS {
        if let Some(default) = definition.default {
            assert!(values::is_allowed(definition, default), "{definition:?}");
        }
    }
}
