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
    if let Some(instant) = parse_usual(text.as_bytes()) {
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

/// The form that nearly all instants come in, `2026-01-31T12:00:00[.250]Z`; `None` for every other.
pub(crate) fn parse_usual(text: &[u8]) -> Option<Timestamp> {
    let (date_time, rest) = text.split_first_chunk::<19>()?;
    let fraction = rest.strip_suffix(b"Z")?;
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if separators.iter().any(|(at, byte)| date_time[*at] != *byte) {
        return None;
    }
    let mut wrong = false;
    let mut two = |at: usize| {
        let (tens, ones) = (date_time[at].wrapping_sub(b'0'), date_time[at + 1].wrapping_sub(b'0'));
        wrong |= tens > 9 || ones > 9;
        i64::from(tens.wrapping_mul(10).wrapping_add(ones))
    };
    let (year, month, day) = (two(0) * 100 + two(2), two(5), two(8));
    let (hour, minute, second) = (two(11), two(14), two(17));
    if wrong || hour > 23 || minute > 59 || second > 59 {
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
    let date = civil::Date::new(i16::try_from(year).ok()?, month as i8, day as i8).ok()?;
    let seconds = days_since_1970(date) * 86_400 + hour * 3600 + minute * 60 + second;
    Timestamp::new(seconds, nanos).ok()
}

/// Days from 1970-01-01 to `date`, by counting from March so that leap days come last.
fn days_since_1970(date: civil::Date) -> i64 {
    let (year, month, day) = (i64::from(date.year()), i64::from(date.month()), i64::from(date.day()));
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Adds `instant` to `out` in ISO 8601, with as much of a fraction as there is.
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
    fn the_usual_form_is_read_and_written_as_jiff_does() {
        for seconds in (-62_135_596_800..253_402_207_200_i64).step_by(86_400 * 97 + 12_345) {
            for nanos in [0, 250_000_000, 1, 999_999_999, 120_000] {
                let instant = Timestamp::new(seconds, nanos).unwrap();
                let text = instant.to_string();
                assert_eq!(parse_usual(text.as_bytes()), Some(instant), "{text}");
                let mut written = Vec::new();
                write_iso8601(&mut written, instant);
                assert_eq!(String::from_utf8(written).unwrap(), text);
            }
        }
        for bad in
            ["2026-02-29T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31t00:00:00Z", "2026-01-31T00:00:00.Z"]
        {
            assert_eq!(parse_usual(bad.as_bytes()), None, "{bad}");
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
