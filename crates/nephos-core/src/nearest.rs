//! Suggestions for misspelled names.

/// Maximum length of a text that is compared with names.
const MAX_NAME_LENGTH: usize = 256;

/// Returns the known name that is most similar to `wrong`, if any is similar enough.
///
/// ```
/// use nephos_core::nearest::nearest;
///
/// assert_eq!(nearest("retentionInDay", ["Arn", "retentionInDays"]), Some("retentionInDays"));
/// assert_eq!(nearest("LOGGROUPNAME", ["logGroupName", "kmsKeyId"]), Some("logGroupName"));
/// assert_eq!(nearest("colour", ["Arn", "kmsKeyId"]), None);
/// ```
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(wrong, &list(known))
}

fn nearest_of<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    // The similarity takes time proportional to both lengths, and input from a wire may be long.
    if wrong.len() > MAX_NAME_LENGTH {
        return None;
    }
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let wrong = plain(wrong);
    known
        .iter()
        .map(|name| (strsim::jaro_winkler(&wrong, &plain(name)), *name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// Returns the names as a list: every caller's iterator is another type, and this loop is all that is compiled for each.
fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut list = Vec::new();
    for name in names {
        list.push(name);
    }
    list
}

/// Returns a suffix for an error message: the nearest known name, or all of them if there are few.
pub fn suggest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match hint(wrong, known) {
        hint if hint.is_empty() => hint,
        hint => format!("; {hint}"),
    }
}

/// Returns the nearest of the `known` names, or all of them if none is near and there are few.
pub fn hint<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    hint_of(wrong, &list(known))
}

fn hint_of(wrong: &str, known: &[&str]) -> String {
    match (nearest_of(wrong, known), known.len()) {
        (Some(near), _) => format!("did you mean {near}?"),
        (None, 1..=12) => format!("known are {}", known.join(", ")),
        (None, _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_too_long_for_a_name_has_no_nearest_name() {
        let name = "n".repeat(MAX_NAME_LENGTH);
        assert_eq!(nearest(&name, [&*name]), Some(&*name));
        assert_eq!(nearest(&format!("{name}n"), [&*name]), None);
    }
}
