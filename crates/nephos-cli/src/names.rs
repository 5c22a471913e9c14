//! Spelling of names on the command line.

use nephos_core::{nearest::nearest, shape::FieldShape};

/// Converts a name to kebab case: `LogGroup` is `log-group`, `DBInstance` is `db-instance`.
pub(crate) fn kebab(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (n, &c) in chars.iter().enumerate() {
        let before = n.checked_sub(1).map(|n| chars[n]);
        let after = chars.get(n + 1);
        let begins = c.is_uppercase()
            && before.is_some_and(|before| {
                before != '_' && (!before.is_uppercase() || after.is_some_and(|after| after.is_lowercase()))
            });
        if begins {
            out.push('-');
        }
        out.push(if c == '_' { '-' } else { c.to_ascii_lowercase() });
    }
    out
}

/// Returns the flag of a parameter, without the dashes: `retention-in-days`.
pub(crate) fn flag(field: &FieldShape) -> String {
    field.rust_name.trim_start_matches("r#").replace('_', "-")
}

/// Returns the placeholder of a value in a usage line: `LOG_GROUP_NAME`.
pub(crate) fn placeholder(field: &FieldShape) -> String {
    field.rust_name.trim_start_matches("r#").to_uppercase()
}

/// Returns a suffix for an error message that suggests the nearest known name; empty if none is near.
pub(crate) fn hint<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(wrong, known).map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::kebab;

    #[test]
    fn kind_names_are_converted_to_kebab_case() {
        for (name, expected) in [
            ("LogGroup", "log-group"),
            ("DBInstance", "db-instance"),
            ("ClassicELB", "classic-elb"),
            ("Key", "key"),
            ("get_fields", "get-fields"),
            ("EC2Instance", "ec2-instance"),
        ] {
            assert_eq!(kebab(name), expected);
        }
    }
}
