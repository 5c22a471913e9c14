//! Paths and query strings: percent-encoding, and path templates with labels.

pub(crate) use nephos_core::percent::encode;

use nephos_core::{Error, Result, Text, percent};
use std::mem;

/// Decodes percent-encoded text; if `form` is true, `+` is a space.
pub(crate) fn decode(encoded: &str, form: bool) -> Result<Text> {
    let invalid = || Error::new(nephos_core::ErrorKind::Invalid, "the URI is not percent-encoded UTF-8");
    percent::decode(encoded, form).ok_or_else(invalid)
}

/// Splits a text at an ASCII character. It is for long texts: it looks at many bytes at a time.
pub(crate) fn split(text: &str, at: u8) -> impl Iterator<Item = &str> {
    debug_assert!(at.is_ascii());
    let ends = memchr::memchr_iter(at, text.as_bytes()).chain([text.len()]);
    ends.scan(0, |start, end| Some(&text[mem::replace(start, end + 1)..end]))
}

/// Parses the pairs of a query string or form, one by one.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = Result<(Text, Text)>> {
    split(query, b'&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((decode(key, true)?, decode(value, true)?))
    })
}

/// Parses all pairs of a query string.
pub(crate) fn parse_pairs(query: &str) -> Result<Vec<(Text, Text)>> {
    pairs(query).collect()
}

/// Returns the labels of `template` with their values in `path`; `None` if the path does not match.
///
/// `{label}` matches one segment, `{label+}` all remaining segments.
pub(crate) fn match_template<'t>(template: &'t str, path: &str) -> Option<Vec<(&'t str, Text)>> {
    let template = template.split('?').next().unwrap_or(template);
    let mut found = Vec::new();
    let mut segments = path.strip_prefix('/')?.split('/');
    for part in template.strip_prefix('/')?.split('/') {
        let label = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
        let segment = segments.next()?;
        match label {
            Some(label) if label.ends_with('+') => {
                let rest = segments.by_ref().fold(segment.to_owned(), |rest, segment| rest + "/" + segment);
                found.push((label.trim_end_matches('+'), decode(&rest, false).ok()?));
            }
            Some(_) if segment.is_empty() => return None,
            Some(label) => found.push((label, decode(segment, false).ok()?)),
            None if part == segment => {}
            None => return None,
        }
    }
    segments.next().is_none().then_some(found)
}

/// Returns the port in the URL of an endpoint; `None` if there is none. The error says what is wrong with it.
pub fn explicit_port(uri: &http::Uri) -> std::result::Result<Option<u16>, &'static str> {
    let authority = uri.authority().map(http::uri::Authority::as_str).unwrap_or_default();
    let Some(rest) = authority.strip_prefix(uri.host().unwrap_or_default()) else {
        return Err("must not have a user name");
    };
    if rest.is_empty() {
        return Ok(None);
    }
    // A number with a sign is not a port.
    let digits = rest.strip_prefix(':').filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    let port = digits.and_then(|port| port.parse().ok()).filter(|port| *port > 0);
    port.map(Some).ok_or("has an invalid port; a port is a number from 1 to 65535")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn template_labels_match_path_segments() {
        let found = |template, path| {
            match_template(template, path).map(|found| {
                found.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
            })
        };
        assert_eq!(
            found("/v1/registries/name/{registryName}", "/v1/registries/name/a%2Fb").as_deref(),
            Some("registryName=a/b")
        );
        assert_eq!(found("/a/{x}/b/{y}", "/a/1/b/2").as_deref(), Some("x=1 y=2"));
        assert_eq!(found("/tags/{arn+}", "/tags/arn:aws:x/y/z").as_deref(), Some("arn=arn:aws:x/y/z"));
        for (template, path) in [
            ("/a/{x}", "/a"),
            ("/a/{x}", "/a/"),
            ("/a/{x}", "/a/1/2"),
            ("/a", "/b"),
            ("/a", "a"),
            ("/a/{x}", "/a/%zz"),
            ("/a/{x}", "/a/%ff"),
        ] {
            assert_eq!(found(template, path), None, "{template} {path}");
        }
    }

    proptest! {
        #[test]
        fn text_is_split_like_by_the_standard_library(text in "[a,é]{0,40}") {
            prop_assert!(split(&text, b',').eq(text.split(',')));
        }

        #[test]
        fn percent_encoding_round_trips(text: String, slashes: bool, form: bool) {
            let mut encoded = String::new();
            encode(&mut encoded, &text, slashes);
            prop_assert_eq!(decode(&encoded, form).unwrap(), text);
        }

        #[test]
        fn decoding_never_panics(address: String) {
            let _ = (decode(&address, true), parse_pairs(&address), match_template("/a/{b}", &address));
        }
    }
}
