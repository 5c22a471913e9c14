//! Random passwords.

use super::{World, errors};
use crate::Secret;
use nephos_core::Result;
use std::collections::HashSet;

/// A password has the length and the sorts of characters that are asked for.
pub(super) fn a_password_has_what_is_asked_for(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let plain = objects.random_password().wait()?;
    assert_eq!(plain.expose().len(), 32);
    let has = |text: &str, sort: fn(char) -> bool| text.chars().any(sort);
    let sorts: [fn(char) -> bool; 4] = [
        |c| c.is_ascii_lowercase(),
        |c| c.is_ascii_uppercase(),
        |c| c.is_ascii_digit(),
        |c| c.is_ascii_punctuation(),
    ];
    for _ in 0..20 {
        let four = objects.random_password().password_length(4).wait()?;
        assert!(sorts.iter().all(|sort| has(four.expose(), *sort)), "one of each sort");
    }
    let long = |call: crate::password::GetRandomPasswordCall| -> Result<String> {
        Ok(call.password_length(2000).wait()?.expose().to_owned())
    };
    assert!(!has(&long(objects.random_password().exclude_lowercase(true))?, sorts[0]));
    assert!(!has(&long(objects.random_password().exclude_uppercase(true))?, sorts[1]));
    assert!(!has(&long(objects.random_password().exclude_numbers(true))?, sorts[2]));
    assert!(!has(&long(objects.random_password().exclude_punctuation(true))?, sorts[3]));
    assert!(!long(objects.random_password())?.contains(' '));
    assert!(long(objects.random_password().include_space(true))?.contains(' '));
    let excluded = long(objects.random_password().exclude_characters("abc\"\\1"))?;
    assert!(!excluded.contains(['a', 'b', 'c', '"', '\\', '1']) && excluded.contains('d'));
    let used: HashSet<char> = long(objects.random_password())?.chars().collect();
    assert_eq!(used.len(), 94, "every character that can be printed");
    let one = objects.random_password().password_length(1).require_each_included_type(false).wait()?;
    assert_eq!(one.expose().len(), 1);
    assert_eq!(format!("{one:?}"), "<secret>");
    Ok(())
}

/// No password is made twice.
pub(super) fn passwords_differ(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let made = (0..50)
        .map(|_| Ok(objects.random_password().wait()?.expose().to_owned()))
        .collect::<Result<HashSet<_>>>()?;
    assert_eq!(made.len(), 50);
    Ok(())
}

/// A password of nothing, or too short for what it has to have, is refused.
pub(super) fn a_password_that_cannot_be_is_refused(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.invalid_secret("PasswordLength", || objects.random_password().password_length(3).wait());
    world.invalid_secret("PasswordLength", || {
        objects.random_password().password_length(4).include_space(true).wait()
    });
    for length in [0, 4097] {
        world.invalid_secret("PasswordLength", || objects.random_password().password_length(length).wait());
    }
    let nothing = || {
        let call = objects.random_password().exclude_lowercase(true).exclude_uppercase(true);
        call.exclude_punctuation(true).exclude_characters("0123456789").wait()
    };
    world.refused(&errors::INVALID_REQUEST, "ExcludeCharacters", nothing);
    assert_eq!(objects.random_password().password_length(4096).wait()?.expose().len(), 4096);
    Ok(())
}
