//! Paths of field names: `Endpoint.Port`, `Actions[0].Order`, `Tags[team]`.

use crate::{Error, Result, Text};

/// Parses a path into its steps, at least one: fields, keys, and indices of items.
pub(crate) fn parse(text: &str) -> Result<Vec<Text>> {
    let bad = |message: &str| Error::invalid(text, format!("is not a path of field names: {message}"));
    let mut steps = Vec::new();
    let mut rest = text;
    loop {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        if end == 0 {
            return Err(bad("a name is missing"));
        }
        steps.push(rest[..end].into());
        rest = &rest[end..];
        while let Some(inside) = rest.strip_prefix('[') {
            let (key, after) = inside.split_once(']').ok_or_else(|| bad("a ] is missing"))?;
            steps.push(key.into());
            rest = after;
        }
        match rest.strip_prefix('.') {
            Some(more) => rest = more,
            None if rest.is_empty() => return Ok(steps),
            None => return Err(bad("expected . or [ after ]")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_names_keys_and_indices() {
        assert_eq!(parse("Actions[0].Tags[a.b].x").unwrap(), ["Actions", "0", "Tags", "a.b", "x"]);
        for bad in ["", ".", "a.", "a..b", "a[0", "a[0]b", "[0]"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
