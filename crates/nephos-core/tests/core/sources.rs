//! Clocks, random IDs, ARNs, errors and suggestions of names.

use crate::toys::{REGISTRY, shelf};
use nephos_core::{
    Arn, Clock, Error, ErrorKind, Ids, SignedDuration, Timestamp, nearest::nearest, partition_of,
};
use proptest::prelude::*;
use std::{collections::HashSet, error::Error as _};

fn timestamp(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn frozen_clock_moves_only_when_it_is_advanced() {
    let clock = Clock::frozen(timestamp("2026-01-31T12:00:00Z"));
    let other = clock.clone();
    assert_eq!(
        (clock.now(), clock.now()),
        (timestamp("2026-01-31T12:00:00Z"), timestamp("2026-01-31T12:00:00Z"))
    );
    clock.advance(SignedDuration::from_mins(90));
    assert_eq!(other.now(), timestamp("2026-01-31T13:30:00Z"), "clones are the same clock");
    other.advance(SignedDuration::from_secs(-1));
    assert_eq!(clock.now(), timestamp("2026-01-31T13:29:59Z"));
    assert!(!clock.runs());
    assert_eq!(format!("{clock:?}"), "Clock(frozen)");
}

#[test]
fn stepped_clock_advances_at_each_read() {
    let clock = Clock::stepped(timestamp("2026-01-31T12:00:00Z"), SignedDuration::from_millis(1500));
    let read = [clock.now(), clock.now(), clock.clone().now()];
    assert_eq!(
        read,
        [
            timestamp("2026-01-31T12:00:00Z"),
            timestamp("2026-01-31T12:00:01.5Z"),
            timestamp("2026-01-31T12:00:03Z")
        ]
    );
    clock.advance(SignedDuration::from_hours(1));
    assert_eq!(clock.now(), timestamp("2026-01-31T13:00:04.5Z"));
    assert!(clock.runs());
}

#[test]
fn system_clock_runs_and_can_be_advanced() {
    let clock = Clock::system();
    assert!(clock.runs());
    let before = clock.now();
    assert!(clock.now() >= before);
    assert!(before > timestamp("2025-01-01T00:00:00Z"), "{before}");
    clock.advance(SignedDuration::from_hours(24 * 365));
    let ahead = clock.now();
    assert!(ahead.duration_since(before) >= SignedDuration::from_hours(24 * 365), "{before} {ahead}");
}

#[test]
fn clocks_saturate_at_their_limits() {
    let noon = timestamp("2026-01-31T12:00:00Z");
    for clock in [
        Clock::frozen(noon),
        Clock::stepped(noon, SignedDuration::from_secs(1)),
        Clock::stepped(noon, SignedDuration::MAX),
        Clock::system(),
    ] {
        clock.advance(SignedDuration::MAX);
        clock.advance(SignedDuration::MAX);
        let (late, later) = (clock.now(), clock.now());
        assert!(late > timestamp("9999-01-01T00:00:00Z") && later >= late, "{clock:?} {late} {later}");
    }
    let clock = Clock::frozen(noon);
    clock.advance(SignedDuration::MIN);
    assert!(clock.now() < timestamp("-009998-01-01T00:00:00Z"), "{}", clock.now());
}

#[test]
fn seeded_ids_are_deterministic() {
    let draw = |ids: &Ids| {
        (ids.uuid(), ids.hex(17), ids.alphanumeric(9), ids.below(1000), ids.from_alphabet(b"ab", 20))
    };
    assert_eq!(draw(&Ids::seeded(7)), draw(&Ids::seeded(7)));
    assert_ne!(draw(&Ids::seeded(7)), draw(&Ids::seeded(8)));
    let ids = Ids::seeded(7);
    assert_ne!(draw(&ids), draw(&ids.clone()), "a clone continues the same sequence");
    let (mut whole, mut parts) = ([0; 24], [0; 24]);
    Ids::seeded(1).fill(&mut whole);
    let ids = Ids::seeded(1);
    parts.chunks_mut(8).for_each(|part| ids.fill(part));
    assert_eq!(whole, parts);
}

#[test]
fn ids_have_the_right_length_and_alphabet() {
    for ids in [Ids::system(), Ids::seeded(3)] {
        let mut seen = HashSet::new();
        for _ in 0..200 {
            let uuid = ids.uuid();
            let lengths: Vec<_> = uuid.split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{uuid}");
            assert!(uuid.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit()), "{uuid}");
            assert_eq!(uuid, uuid.to_lowercase());
            assert_eq!(&uuid[14..15], "4", "{uuid}");
            assert!("89ab".contains(&uuid[19..20]), "{uuid}");
            assert!(seen.insert(uuid));
            let key = ids.alphanumeric(20);
            assert!(key.len() == 20 && key.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{key}");
            assert!(ids.hex(9).bytes().all(|byte| b"0123456789abcdef".contains(&byte)));
        }
        assert_eq!((ids.hex(0).len(), ids.hex(17).len()), (0, 17));
    }
    let drawn = [Ids::system().uuid(), Ids::system().uuid()];
    assert_ne!(drawn[0], drawn[1]);
}

#[test]
fn numbers_below_a_limit_are_uniform() {
    let ids = Ids::seeded(42);
    for limit in [1, 2, 3, 7, 62] {
        let mut counts = vec![0_u32; limit as usize];
        (0..1000 * limit).for_each(|_| counts[ids.below(limit) as usize] += 1);
        assert!(counts.iter().all(|count| (800..1200).contains(count)), "{limit}: {counts:?}");
    }
    // The remainder alone would return the lower half of this range twice as often.
    let limit = u64::MAX / 3 * 2;
    let low = (0..2000).filter(|_| ids.below(limit) < limit / 2).count();
    assert!((850..1150).contains(&low), "{low}");
}

proptest! {
    #[test]
    fn arn_round_trips_through_text(
        partition in "aws(-cn|-us-gov)?", service in "[a-z0-9-]{1,8}", region in "([a-z]{2}-[a-z]{4}-[0-9])?",
        account in "([0-9]{12})?", resource in "[a-zA-Zé:/*._-]{1,30}",
    ) {
        let text = format!("arn:{partition}:{service}:{region}:{account}:{resource}");
        let arn: Arn = text.parse().unwrap();
        prop_assert_eq!(arn.to_string(), text.clone());
        prop_assert_eq!(arn.as_str(), text.as_str());
        prop_assert_eq!(format!("{arn:?}"), text);
        prop_assert_eq!(
            (arn.partition(), arn.service(), arn.region(), arn.account(), arn.resource()),
            (partition.as_str(), service.as_str(), region.as_str(), account.as_str(), resource.as_str()),
        );
        let made = Arn::new(&service, &region, &account, &resource);
        prop_assert_eq!(made.partition(), partition_of(&region));
        prop_assert_eq!(
            (made.service(), made.region(), made.account(), made.resource()),
            (service.as_str(), region.as_str(), account.as_str(), resource.as_str()),
        );
        prop_assert_eq!(made.to_string().parse::<Arn>().unwrap(), made);
    }

    #[test]
    fn invalid_arn_is_an_error_and_not_a_panic(text in "(arn)?(:?[a-zé]{0,3}){0,8}") {
        let parts: Vec<_> = text.splitn(6, ':').collect();
        let right = parts.len() == 6 && parts[0] == "arn" && [1, 2, 5].iter().all(|n| !parts[*n].is_empty());
        prop_assert_eq!(text.parse::<Arn>().is_ok(), right, "{}", text);
    }
}

#[test]
fn arn_of_empty_parts_can_be_split() {
    let arn = Arn::new("logs", "us-east-1", "123456789012", "");
    assert_eq!((arn.partition(), arn.service(), arn.resource()), ("aws", "logs", ""));
    assert_eq!(Arn::new("", "", "", "x").region(), "");
}

#[test]
fn every_error_kind_is_a_value_error_or_a_runtime_error_or_neither() {
    use ErrorKind as K;
    let distinct: HashSet<_> = K::ALL.into_iter().collect();
    assert_eq!(distinct.len(), K::ALL.len());
    let codes: HashSet<_> = K::ALL.iter().map(|kind| Error::new(*kind, "x").code().to_owned()).collect();
    assert_eq!(codes.len(), K::ALL.len(), "each kind has a default code of its own");
    for kind in K::ALL {
        let error = Error::new(kind, "x");
        assert_eq!(error.is_value_error(), kind == K::Invalid, "{kind:?}");
        let at_run_time =
            matches!(kind, K::NoMatch | K::Frozen | K::NotUpdatable | K::DaemonDown | K::NoSession);
        assert_eq!(error.is_runtime_error(), at_run_time, "{kind:?}");
        assert!(!(error.is_value_error() && error.is_runtime_error()));
        assert_eq!(error.retryable(), matches!(kind, K::Throttled | K::Transport | K::Internal), "{kind:?}");
        assert!((400..600).contains(&error.status()), "{kind:?}");
        assert_eq!(error.to_string(), format!("{}: x", error.code()));
        assert_eq!(format!("{error:?}"), format!("{kind:?}({error})"));
    }
    let refused = Error::new(K::Internal, "x").with_wire_code("Odd", 400);
    assert!(!refused.retryable(), "an error of the client does not go away");
}

#[test]
fn errors_print_as_one_line() {
    for error in [
        Error::invalid("a\nb", "c\r\nd"),
        Error::new(ErrorKind::Denied, "\n\nx\n"),
        Error::new(ErrorKind::Denied, "x\u{2028}y\u{b}z\u{85}").with_wire_code("Odd\nCode", 403),
        Error::new(ErrorKind::Denied, ""),
    ] {
        let line = error.to_string();
        let breaks = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
        assert!(!line.contains(breaks), "{line:?}");
        assert!(!format!("{error:?}").contains(breaks));
    }
    let error = Error::invalid("Order", "is low").in_field("[2]").in_field("Actions");
    assert_eq!(error.to_string(), "ValidationError: Actions[2].Order: is low");
    assert_eq!(Error::new(ErrorKind::Denied, "no").in_field("Actions").field(), Some("Actions"));
}

#[test]
fn error_keeps_source_request_id_operation_and_field() {
    let cause = std::io::Error::other("connection lost");
    let error = Error::new(ErrorKind::Transport, "no answer").with_source(cause).with_request_id("r-1");
    let error = error.during("PutBook").during("create");
    assert_eq!(
        (error.operation(), error.request_id()),
        (Some("PutBook"), Some("r-1")),
        "the innermost operation is kept"
    );
    assert_eq!(error.source().unwrap().to_string(), "connection lost");
    assert_eq!(error.clone().source().unwrap().to_string(), "connection lost");
    let row = shelf::code("BookExistsException").unwrap();
    let exists = row.with_message("rust is there").with_field("title");
    assert_eq!((exists.kind(), exists.status()), (ErrorKind::AlreadyExists, 409));
    assert_eq!(exists.to_string(), "BookExistsException: title: rust is there");
    let coded = Error::invalid("title", "is long").with_code(row);
    assert_eq!(
        (coded.kind(), coded.code(), coded.field()),
        (ErrorKind::AlreadyExists, row.code, Some("title"))
    );
}

#[test]
fn every_error_code_has_a_meaning() {
    for service in REGISTRY.services {
        let codes: HashSet<_> = service.codes.iter().map(|code| (code.code, code.kind)).collect();
        assert_eq!(codes.len(), service.codes.len(), "{}", service.name);
        assert!(service.codes.contains(&service.invalid) && service.invalid.kind == ErrorKind::Invalid);
        for code in service.codes {
            assert!(code.meaning.ends_with('.') && !code.meaning.starts_with(' '), "{code:?}");
            assert_eq!(code.with_message("x").kind(), code.kind);
        }
    }
}

#[test]
fn nearest_finds_similar_names() {
    let known = ["title", "pages", "lendable", "shelvedAt"];
    for (wrong, right) in [
        ("titel", "title"),
        ("page", "pages"),
        ("shelved_at", "shelvedAt"),
        ("SHELVED-AT", "shelvedAt"),
        ("lendible", "lendable"),
        ("title", "title"),
    ] {
        assert_eq!(nearest(wrong, known), Some(right), "{wrong}");
    }
    for wrong in ["", "colour", "xyz"] {
        assert_eq!(nearest(wrong, known), None, "{wrong}");
    }
    assert_eq!(nearest("title", []), None);
}
