//! Random passwords.

use super::{World, errors};
use nephos_core::Result;
use nephos_secrets::Secret;
use std::collections::HashSet;

pub(super) fn password_has_requested_length_and_character_types(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let plain = objects.random_password().wait()?;
    assert_eq!(plain.expose().len(), 32);
    let has = |text: &str, matches_type: fn(char) -> bool| text.chars().any(matches_type);
    let types: [fn(char) -> bool; 4] = [
        |c| c.is_ascii_lowercase(),
        |c| c.is_ascii_uppercase(),
        |c| c.is_ascii_digit(),
        |c| c.is_ascii_punctuation(),
    ];
    for _ in 0..20 {
        let four = objects.random_password().password_length(4).wait()?;
        assert!(types.iter().all(|matches_type| has(four.expose(), *matches_type)), "one of each type");
    }
    let long = |call: nephos_secrets::GetRandomPasswordCall| -> Result<String> {
        Ok(call.password_length(2000).wait()?.expose().to_owned())
    };
    assert!(!has(&long(objects.random_password().exclude_lowercase(true))?, types[0]));
    assert!(!has(&long(objects.random_password().exclude_uppercase(true))?, types[1]));
    assert!(!has(&long(objects.random_password().exclude_numbers(true))?, types[2]));
    assert!(!has(&long(objects.random_password().exclude_punctuation(true))?, types[3]));
    assert!(!long(objects.random_password())?.contains(' '));
    assert!(long(objects.random_password().include_space(true))?.contains(' '));
    let excluded = long(objects.random_password().exclude_characters("abc\"\\1"))?;
    assert!(!excluded.contains(['a', 'b', 'c', '"', '\\', '1']) && excluded.contains('d'));
    let used: HashSet<char> = long(objects.random_password())?.chars().collect();
    assert_eq!(used.len(), 94, "every printable character");
    let one = objects.random_password().password_length(1).require_each_included_type(false).wait()?;
    assert_eq!(one.expose().len(), 1);
    assert_eq!(format!("{one:?}"), "<secret>");
    Ok(())
}

pub(super) fn passwords_are_random(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let made = (0..50)
        .map(|_| Ok(objects.random_password().wait()?.expose().to_owned()))
        .collect::<Result<HashSet<_>>>()?;
    assert_eq!(made.len(), 50);
    Ok(())
}

/// A password without allowed characters, or too short for the required types, is refused.
pub(super) fn impossible_password_is_refused(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.assert_invalid("PasswordLength", || objects.random_password().password_length(3).wait());
    world.assert_invalid("PasswordLength", || {
        objects.random_password().password_length(4).include_space(true).wait()
    });
    for length in [0, 4097] {
        world.assert_violation("PasswordLength", || objects.random_password().password_length(length).wait());
    }
    let nothing = || {
        let call = objects.random_password().exclude_lowercase(true).exclude_uppercase(true);
        call.exclude_punctuation(true).exclude_characters("0123456789").wait()
    };
    world.refused(&errors::INVALID_REQUEST, "ExcludeCharacters", nothing);
    assert_eq!(objects.random_password().password_length(4096).wait()?.expose().len(), 4096);
    Ok(())
}
