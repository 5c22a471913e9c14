//! Checks a pattern and an event of any bytes: nothing panics, and all ways to match agree.

use nephos_core::json;
use nephos_events::pattern::{Event, Index, Pattern};

/// Checks the pattern in the first line, and the event in the rest.
pub(crate) fn check(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let Some(Ok(pattern)) = parts.next().map(std::str::from_utf8) else { return };
    let value = json::parse(parts.next().unwrap_or_default());
    let pattern = Pattern::parse(pattern);
    if let Err(error) = &pattern {
        assert!(!error.reason().is_empty());
    }
    let (Ok(pattern), Ok(value)) = (pattern, value) else { return };
    let Some(event) = Event::prepare(&value) else { return };
    let matched = pattern.matches(&event);
    let explanation = pattern.explain(&event);
    assert_eq!(explanation.matched, matched);
    assert_eq!(explanation.to_string().starts_with("match"), matched);
    let mut index = Index::default();
    index.add(0, &pattern);
    assert_eq!(!index.matches(&event).is_empty(), matched);
    index.remove(&0);
    assert!(index.matches(&event).is_empty());
}
