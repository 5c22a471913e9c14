//! The nearest known name to a wrong one.

/// How long a text may be to be taken for a name.
const MAX_NAME_LENGTH: usize = 256;

/// The known name that `wrong` was most probably meant to be, if any comes close.
///
/// ```
/// use nephos_core::nearest::nearest;
///
/// assert_eq!(nearest("retentionInDay", ["Arn", "retentionInDays"]), Some("retentionInDays"));
/// assert_eq!(nearest("LOGGROUPNAME", ["logGroupName", "kmsKeyId"]), Some("logGroupName"));
/// assert_eq!(nearest("colour", ["Arn", "kmsKeyId"]), None);
/// ```
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Likeness costs the product of both lengths, and what comes over a wire may be of any.
    if wrong.len() > MAX_NAME_LENGTH {
        return None;
    }
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let wrong = plain(wrong);
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&wrong, &plain(name)), name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// An addition to an error message: the nearest known name, or all of them if there are few.
pub fn suggest<'a>(wrong: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = nearest(wrong, known.clone()) {
        return format!("; did you mean {near}?");
    }
    let names: Vec<_> = known.take(13).collect();
    match names.len() {
        0 => String::new(),
        1..=12 => format!("; known are {}", names.join(", ")),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_for_a_name_is_near_none() {
        let name = "n".repeat(MAX_NAME_LENGTH);
        assert_eq!(nearest(&name, [&*name]), Some(&*name));
        assert_eq!(nearest(&format!("{name}n"), [&*name]), None);
    }
}
