//! Paths of the control endpoint, in any spelling.

use nephos_core::percent;

/// Path prefix of control requests.
pub(crate) const CONTROL_PREFIX: &str = "/_nephos/";

/// Name of the control endpoint in a path.
const CONTROL_NAME: &str = "_nephos";

/// Maximum number of times that a path is percent-decoded.
const MAX_DECODINGS: usize = 3;

/// Receiver of the requests at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// The control endpoint.
    Control,
    /// A service, or the fallback endpoint.
    Service,
    /// Nobody: the path is another spelling of one of the control endpoint or of a fork.
    Nobody,
}

/// Returns the receiver of the requests at `path`, which is the path without a fork.
pub(crate) fn receiver(path: &str) -> Receiver {
    if path.starts_with(CONTROL_PREFIX) {
        return Receiver::Control;
    }
    match control_segment(path) {
        Some(0) => Receiver::Nobody,
        _ => Receiver::Service,
    }
}

/// True if a segment of `path` is the name of the control endpoint, in any spelling.
pub(crate) fn mentions_control(path: &str) -> bool {
    control_segment(path).is_some()
}

/// Returns the lowest index of a segment that is the name of the control endpoint, in any letter case, when the path is
/// percent-decoded and normalized step by step. A segment that `..` removes later is found, too.
fn control_segment(path: &str) -> Option<usize> {
    if path == "/" {
        return None;
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_DECODINGS {
        match percent::decode(&path, false) {
            Some(decoded) if decoded != path => path = decoded.into(),
            _ => break,
        }
    }
    let (mut found, mut index) = (None, 0_usize);
    for segment in path.split(['/', '\\']).map(str::trim) {
        match segment {
            "" | "." => {}
            ".." => index = index.saturating_sub(1),
            segment => {
                if segment.eq_ignore_ascii_case(CONTROL_NAME) {
                    found = Some(found.map_or(index, |found: usize| found.min(index)));
                }
                index += 1;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_spellings_of_the_control_endpoint_reach_nobody() {
        for path in ["/_nephos/health", "/_nephos/", "/_nephos/forks//try", "/_nephos/../x"] {
            assert_eq!(receiver(path), Receiver::Control, "{path}");
        }
        for path in [
            "/_nephos",
            "//_nephos/forks/try",
            "/_Nephos/forks/try",
            "/_NEPHOS/health",
            "/./_nephos/reset",
            "/x/../_nephos/reset",
            "/%5fnephos/reset",
            "/%255Fnephos/reset",
            "/%2F_nephos/reset",
            "/%2e/_nephos/reset",
            "/_nephos%2Freset",
            "/\\_nephos/reset",
            "/_nephos%20/reset",
            "/_Nephos/../v1/registries/name/k",
            "/%5fnephos/%2e%2e/v1/registries/name/k",
            "/x/_nephos/../../_nephos/reset",
        ] {
            assert_eq!(receiver(path), Receiver::Nobody, "{path}");
        }
        for path in
            ["/", "/v1/registries/name/_nephos", "/x/_nephos/forks/try", "/_nephosx/", "/%zz", "*", ""]
        {
            assert_eq!(receiver(path), Receiver::Service, "{path}");
        }
        assert!(mentions_control("/x/_nephos/forks/try") && !mentions_control("/bucket/nephos"));
    }
}
