//! Instants in all forms that the services use.

use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp, civil, tz::TimeZone};

/// Form of an instant on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeForm {
    /// Default form of the protocol.
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

/// Parses a duration: `30d`, `1d12h`, `90 minutes`, or ISO 8601. A day has 24 hours, without daylight saving time.
///
/// ```
/// use nephos_core::{SignedDuration, time::parse_duration};
/// assert_eq!(parse_duration("1d12h"), Some(SignedDuration::from_hours(36)));
/// assert_eq!(parse_duration("PT90M"), Some(SignedDuration::from_mins(90)));
/// assert_eq!(parse_duration("soon"), None);
/// ```
pub fn parse_duration(text: &str) -> Option<SignedDuration> {
    let span: Span = text.parse().ok()?;
    span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()
}

/// Parses an instant: ISO 8601 with or without an offset, a fraction or a time of day (taken as UTC), an HTTP
/// date, or seconds since 1970.
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
    if let Some(instant) = parse_fast(text.as_bytes()) {
        return Some(instant);
    }
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

/// Fast path: parses the most frequent form, `2026-01-31T12:00:00[.250]Z`; `None` for every other.
pub(crate) fn parse_fast(text: &[u8]) -> Option<Timestamp> {
    let (date_time, rest) = text.split_first_chunk::<19>()?;
    let fraction = rest.strip_suffix(b"Z")?;
    let from_year = pairs(date_time.first_chunk()?, b"0000-00-")?;
    let from_day = pairs(date_time[8..].first_chunk()?, b"00T00:00")?;
    let from_hour = pairs(date_time.last_chunk()?, b"00:00:00")?;
    let year = u32::from(from_year[0]) * 100 + u32::from(from_year[2]);
    let (month, day) = (from_year[5], from_day[0]);
    let [hour, _, _, minute, _, _, second, _] = from_hour;
    if !(1..=12).contains(&month) || !(1..=days_of(month, year)).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let nanos = match fraction {
        [] => 0,
        [b'.', digits @ ..] if (1..=9).contains(&digits.len()) => {
            let value = digits
                .iter()
                .try_fold(0_i32, |n, d| d.is_ascii_digit().then(|| n * 10 + i32::from(d - b'0')))?;
            value * 10_i32.pow(9 - digits.len() as u32)
        }
        _ => return None,
    };
    let seconds = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    let days = days_since_1970(year, month.into(), day.into());
    Timestamp::new(days * 86_400 + seconds, nanos).ok()
}

/// Returns the two-digit numbers at the positions where they begin. `None` if `text` has no digits where `form`
/// has zeros, or differs from it elsewhere.
#[inline]
fn pairs(text: &[u8; 8], form: &[u8; 8]) -> Option<[u8; 8]> {
    // All eight bytes at once: the addition carries into the high bit where a digit is above nine, or where
    // another byte differs from the form.
    let limits = form.map(|byte| if byte == b'0' { 0x76 } else { 0x7F });
    let digits = u64::from_le_bytes(*text) ^ u64::from_le_bytes(*form);
    let wrong = digits.wrapping_add(u64::from_le_bytes(limits)) | digits;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    (wrong & 0x8080_8080_8080_8080 == 0).then(|| pairs.to_le_bytes())
}

fn days_of(month: u8, year: u32) -> u8 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days from 1970-01-01 to a date of the year 0 or later, counting years from March so that leap days
/// come last.
fn days_since_1970(year: u32, month: u32, day: u32) -> i64 {
    // Shift by one 400-year cycle, so that January of the year 0 does not underflow.
    let year = year + 400 - u32::from(month <= 2);
    let day_of_year = (153 * (if month <= 2 { month + 9 } else { month - 3 }) + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year;
    i64::from(days) - 719_468 - 146_097
}

/// Appends `instant` to `out` in `form`; `Usual` means ISO 8601.
pub fn write(out: &mut Vec<u8>, instant: Timestamp, form: TimeForm) {
    match form {
        TimeForm::Usual | TimeForm::Iso8601 => write_iso8601(out, instant),
        TimeForm::EpochMillis => out.extend_from_slice(instant.as_millisecond().to_string().as_bytes()),
        TimeForm::EpochSeconds => {
            let micros = instant.as_microsecond();
            let (whole, fraction) = (micros / 1_000_000, micros % 1_000_000);
            if fraction == 0 {
                return out.extend_from_slice(whole.to_string().as_bytes());
            }
            let sign = if micros < 0 { "-" } else { "" };
            let text = format!("{sign}{}.{:06}", whole.unsigned_abs(), fraction.unsigned_abs());
            out.extend_from_slice(text.trim_end_matches('0').as_bytes());
        }
        TimeForm::Http => {
            let zoned = instant.to_zoned(TimeZone::UTC);
            let text =
                jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&zoned.timestamp());
            // Years with more than four digits have no such form.
            out.extend_from_slice(text.unwrap_or_else(|_| instant.to_string()).as_bytes());
        }
    }
}

/// Appends `instant` to `out` in ISO 8601, with the shortest fraction.
pub(crate) fn write_iso8601(out: &mut Vec<u8>, instant: Timestamp) {
    let at = TimeZone::UTC.to_datetime(instant);
    if !(0..=9999).contains(&at.year()) {
        return out.extend_from_slice(instant.to_string().as_bytes());
    }
    let two = |n: i8| [b'0' + n as u8 / 10, b'0' + n as u8 % 10];
    let year = at.year();
    out.extend_from_slice(&two((year / 100) as i8));
    out.extend_from_slice(&two((year % 100) as i8));
    for (separator, part) in
        [(b'-', at.month()), (b'-', at.day()), (b'T', at.hour()), (b':', at.minute()), (b':', at.second())]
    {
        out.push(separator);
        out.extend_from_slice(&two(part));
    }
    let mut nanos = at.subsec_nanosecond();
    if nanos != 0 {
        out.push(b'.');
        let mut place = 100_000_000;
        while nanos != 0 {
            out.push(b'0' + (nanos / place) as u8);
            nanos %= place;
            place /= 10;
        }
    }
    out.push(b'Z');
}

/// Converts from seconds since 1970.
pub fn from_seconds(seconds: f64) -> Option<Timestamp> {
    if !seconds.is_finite() {
        return None;
    }
    // A float has about microseconds at today's instants; smaller digits are noise of the decimal form.
    let micros = (seconds * 1e6).round();
    if micros.abs() >= i64::MAX as f64 {
        return None;
    }
    Timestamp::from_microsecond(micros as i64).ok()
}

/// Converts to seconds since 1970, with a fraction.
pub fn to_seconds(instant: Timestamp) -> f64 {
    instant.as_microsecond() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_can_be_parsed_after_writing() {
        for (micros, seconds) in [
            (0, "0"),
            (1_500_000, "1.5"),
            (-1_500_000, "-1.5"),
            (-250_000, "-0.25"),
            (1_769_860_800_000_001, "1769860800.000001"),
        ] {
            let instant = Timestamp::from_microsecond(micros).unwrap();
            let written = |form| {
                let mut out = Vec::new();
                write(&mut out, instant, form);
                String::from_utf8(out).unwrap()
            };
            assert_eq!(written(TimeForm::EpochSeconds), seconds);
            assert_eq!(parse(&written(TimeForm::EpochSeconds)), Some(instant));
            assert_eq!(parse(&written(TimeForm::Iso8601)), Some(instant));
            assert_eq!(
                written(TimeForm::EpochMillis),
                (micros.div_euclid(1000)).max(micros / 1000).to_string()
            );
        }
        let mut out = Vec::new();
        write(&mut out, parse("2026-01-31T12:00:00Z").unwrap(), TimeForm::Http);
        assert_eq!(out, b"Sat, 31 Jan 2026 12:00:00 GMT");
    }

    #[test]
    fn invalid_times_are_none() {
        for text in ["", "yesterday", "2026-13-01", "2026-01-31T25:00:00Z", "-", "12:30", "1e999", "nan"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn fast_path_reads_and_writes_the_same_as_jiff() {
        for seconds in (-62_135_596_800..253_402_207_200_i64).step_by(86_400 * 97 + 12_345) {
            for nanos in [0, 250_000_000, 1, 999_999_999, 120_000] {
                let instant = Timestamp::new(seconds, nanos).unwrap();
                let text = instant.to_string();
                assert_eq!(parse_fast(text.as_bytes()), Some(instant), "{text}");
                let mut written = Vec::new();
                write_iso8601(&mut written, instant);
                assert_eq!(String::from_utf8(written).unwrap(), text);
            }
        }
        for bad in [
            "2026-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31t00:00:00Z",
            "2026-01-31T00:00:00.Z",
            "2026-01-31T00:0/:00Z",
            "2026-01-31T00:0::00Z",
            "2026-01-3\u{fe}T00:00Z",
        ] {
            assert_eq!(parse_fast(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn fast_path_checks_every_byte() {
        let noon = b"2024-02-29T12:34:56.5Z";
        for at in 0..noon.len() {
            for byte in 0..=0x7F {
                let mut text = *noon;
                text[at] = byte;
                let text = std::str::from_utf8(&text).unwrap();
                let (ours, theirs) = (parse_fast(text.as_bytes()), text.parse().ok());
                if byte.is_ascii_digit() && noon[at].is_ascii_digit() {
                    assert_eq!(ours, theirs, "{text:?}");
                } else {
                    assert!(ours.is_none() || ours == theirs, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn seconds_round_trip_to_the_microsecond() {
        for micros in [0, 1, -1, 1_769_860_800_123_456, 253_402_207_200_000_000] {
            let instant = Timestamp::from_microsecond(micros).unwrap();
            assert_eq!(from_seconds(to_seconds(instant)), Some(instant), "{micros}");
        }
        assert_eq!(parse("1769860800.5"), Timestamp::from_millisecond(1_769_860_800_500).ok());
    }
}
