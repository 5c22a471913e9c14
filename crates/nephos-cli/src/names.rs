//! Names as the command line spells them.

use nephos_core::{nearest::nearest, shape::FieldShape};

/// A kind's name with hyphens: `LogGroup` is `log-group`, `DBInstance` is `db-instance`.
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

/// A parameter's flag, without the dashes: `retention-in-days`.
pub(crate) fn flag(field: &FieldShape) -> String {
    field.rust_name.trim_start_matches("r#").replace('_', "-")
}

/// What stands for a value in a usage line: `LOG_GROUP_NAME`.
pub(crate) fn placeholder(field: &FieldShape) -> String {
    field.rust_name.trim_start_matches("r#").to_uppercase()
}

/// An addition to a message: the known name that was probably meant.
pub(crate) fn hint<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(wrong, known).map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::kebab;

    #[test]
    fn kinds_are_spelled_with_hyphens_at_each_word() {
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
