//! Instants in every form the services use.

use jiff::{Timestamp, civil, tz::TimeZone};

/// How an instant is written on a wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeForm {
    /// As the protocol usually does.
    #[default]
    Usual,
    /// Seconds since 1970, with a fraction where there is one.
    EpochSeconds,
    /// Milliseconds since 1970.
    EpochMillis,
    /// `2026-01-31T12:00:00Z`, with a fraction where there is one.
    Iso8601,
    /// `Sat, 31 Jan 2026 12:00:00 GMT`.
    Http,
}

/// The instant that `text` names: ISO 8601 with or without an offset, a fraction or a time of day (taken as UTC),
/// an HTTP date, or seconds since 1970.
///
/// ```
/// let noon = nephos_core::time::parse("2026-01-31T12:00:00Z");
/// assert!(noon.is_some());
/// assert_eq!(nephos_core::time::parse("2026-01-31 14:00:00+02:00"), noon);
/// assert_eq!(nephos_core::time::parse("2026-01-31T12:00"), noon);
/// assert_eq!(nephos_core::time::parse("Sat, 31 Jan 2026 12:00:00 GMT"), noon);
/// assert_eq!(nephos_core::time::parse("1769860800"), noon);
/// ```
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Some(instant);
    }
    if let Ok(local) = text.parse::<civil::DateTime>() {
        return local.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    }
    if let Ok(zoned) = jiff::fmt::rfc2822::DateTimeParser::new().parse_zoned(text) {
        return Some(zoned.timestamp());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+')) {
        return text.parse().ok().and_then(from_seconds);
    }
    None
}

/// The instant so many seconds after 1970.
pub fn from_seconds(seconds: f64) -> Option<Timestamp> {
    if !seconds.is_finite() {
        return None;
    }
    // A float has microseconds at best at today's instants; what is beyond is noise of the decimal form.
    let micros = (seconds * 1e6).round();
    if micros.abs() >= i64::MAX as f64 {
        return None;
    }
    Timestamp::from_microsecond(micros as i64).ok()
}

/// The seconds since 1970, with their fraction.
pub fn to_seconds(instant: Timestamp) -> f64 {
    instant.as_microsecond() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_time_is_none() {
        for text in ["", "yesterday", "2026-13-01", "2026-01-31T25:00:00Z", "-", "12:30", "1e999", "nan"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn seconds_go_there_and_back_to_the_microsecond() {
        for micros in [0, 1, -1, 1_769_860_800_123_456, 253_402_207_200_000_000] {
            let instant = Timestamp::from_microsecond(micros).unwrap();
            assert_eq!(from_seconds(to_seconds(instant)), Some(instant), "{micros}");
        }
        assert_eq!(parse("1769860800.5"), Timestamp::from_millisecond(1_769_860_800_500).ok());
    }
}
