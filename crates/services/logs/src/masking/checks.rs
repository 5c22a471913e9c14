//! Checks of values that a regular expression cannot express: check digits, ranges and prefixes.

use std::net::{IpAddr, Ipv6Addr};

/// Returns the digits of a value, without separators.
fn digits(value: &str) -> Vec<u32> {
    value.chars().filter_map(|char| char.to_digit(10)).collect()
}

/// Returns the sum of the digits multiplied by the weights.
fn weighted_sum(digits: &[u32], weights: impl IntoIterator<Item = u32>) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// Checks the Luhn check digit, which is the last digit.
pub fn luhn(value: &str) -> bool {
    has_luhn_digit(&digits(value))
}

fn has_luhn_digit(digits: &[u32]) -> bool {
    let sum: u32 = digits.iter().rev().enumerate().map(|(n, digit)| luhn_value(n, *digit)).sum();
    !digits.is_empty() && sum.is_multiple_of(10)
}

fn luhn_value(n: usize, digit: u32) -> u32 {
    match digit * 2 {
        _ if n.is_multiple_of(2) => digit,
        double @ 0..10 => double,
        double => double - 9,
    }
}

/// Prefixes of card numbers, with the lengths of the numbers.
const CARDS: &[(std::ops::RangeInclusive<u32>, &[usize])] = &[
    (34..=34, &[15]),
    (37..=37, &[15]),
    (36..=36, &[14]),
    (38..=39, &[14]),
    (300..=305, &[14]),
    (6011..=6011, &[16, 19]),
    (644..=649, &[16, 19]),
    (65..=65, &[16, 19]),
    (3528..=3589, &[16, 17, 18, 19]),
    (51..=55, &[16]),
    (2221..=2720, &[16]),
    (5019..=5019, &[16]),
    (62..=62, &[16, 17, 18, 19]),
    (4..=4, &[13, 16, 19]),
];

/// Card numbers that issuers reserve for tests; the service does not detect them.
#[rustfmt::skip]
const TEST_CARDS: &[&str] = &[
    "122000000000003", "2222405343248877", "2222990905257051", "2223007648726984", "2223577120017656", "30569309025904",
    "34343434343434", "3528000700000000", "3530111333300000", "3566002020360505", "36148900647913", "36700102000000",
    "371449635398431", "378282246310005", "378734493671000", "38520000023237", "4012888888881881", "4111111111111111",
    "4222222222222", "4444333322221111", "4462030000000000", "4484070000000000", "4911830000000", "4917300800000000",
    "4917610000000000", "4917610000000000003", "5019717010103742", "5105105105105100", "5111010030175156",
    "5185540810000019", "5200828282828210", "5204230080000017", "5204740009900014", "5420923878724339",
    "5454545454545454", "5455330760000018", "5506900490000436", "5506900490000444", "5506900510000234",
    "5506920809243667", "5506922400634930", "5506927427317625", "5553042241984105", "5555553753048194",
    "5555555555554444", "5610591081018250", "6011000990139424", "6011000400000000", "6011111111111117",
    "630490017740292441", "630495060000000000", "6331101999990016", "6759649826438453", "6799990100000000019",
    "76009244561",
];

/// Checks the number of a card of a known brand.
pub fn card(value: &str) -> bool {
    let text: String = value.chars().filter(char::is_ascii_digit).collect();
    let branded = CARDS.iter().any(|(prefixes, lengths)| {
        let prefix = text.get(..prefixes.start().to_string().len()).and_then(|prefix| prefix.parse().ok());
        lengths.contains(&text.len()) && prefix.is_some_and(|prefix: u32| prefixes.contains(&prefix))
    });
    branded && luhn(&text) && !TEST_CARDS.contains(&text.as_str())
}

/// Checks the remainder of an IBAN: the first four characters moved to the end, letters as 10 to 35, modulo 97 is 1.
pub fn iban(value: &str) -> bool {
    let text: String = value.chars().filter(|char| *char != ' ').collect();
    let (Some(start), Some(rest)) = (text.get(..4), text.get(4..)) else { return false };
    let remainder =
        rest.chars().chain(start.chars()).filter_map(|char| char.to_digit(36)).fold(0, |sum, digit| {
            let shifted = if digit < 10 { sum * 10 } else { sum * 100 };
            (shifted + digit) % 97
        });
    remainder == 1
}

/// Checks the ninth character of a vehicle identification number (VIN).
pub fn vehicle(value: &str) -> bool {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let number = |char: char| match char.to_ascii_uppercase() {
        char @ 'A'..='I' => u32::from(char) - u32::from('A') + 1,
        char @ 'J'..='R' => u32::from(char) - u32::from('J') + 1,
        char @ 'S'..='Z' => u32::from(char) - u32::from('S') + 2,
        char => char.to_digit(10).unwrap_or(0),
    };
    let numbers: Vec<_> = value.chars().map(number).collect();
    let expected = match weighted_sum(&numbers, WEIGHTS) % 11 {
        10 => Some('X'),
        digit => char::from_digit(digit, 10),
    };
    value.chars().nth(8).map(|char| char.to_ascii_uppercase()) == expected
}

/// Checks an IPv4 or IPv6 address. `::` alone is rejected: it is common in source code paths.
pub fn ip_address(value: &str) -> bool {
    let address: Result<IpAddr, _> = value.parse();
    address.is_ok_and(|address| address != IpAddr::V6(Ipv6Addr::UNSPECIFIED))
}

/// Checks a latitude and a longitude in degrees.
pub fn coordinates(value: &str) -> bool {
    let degrees = |text: &str, max: f64| text.trim().parse().is_ok_and(|degrees: f64| degrees.abs() <= max);
    value
        .split_once(',')
        .is_some_and(|(latitude, longitude)| degrees(latitude, 90.0) && degrees(longitude, 180.0))
}

/// Checks a secret key: 40 characters with upper case, lower case and digits, unlike the hash of a commit.
pub fn secret_key(value: &str) -> bool {
    let has_any = |sort: fn(&u8) -> bool| value.as_bytes().iter().any(sort);
    value.len() == 40
        && has_any(u8::is_ascii_lowercase)
        && has_any(u8::is_ascii_uppercase)
        && has_any(u8::is_ascii_digit)
}

/// Checks that the letters in a date are an English month name or a prefix of one.
pub(super) fn month(value: &str) -> bool {
    const MONTHS: &str =
        "january february march april may june july august september october november december";
    let name: String = value.chars().filter(char::is_ascii_alphabetic).collect();
    MONTHS.split(' ').any(|month| month.starts_with(&name.to_ascii_lowercase()))
}

/// Checks that a private key is not an OpenSSH key, which has its own identifier.
pub(super) fn not_open_ssh(value: &str) -> bool {
    !value.starts_with("-----BEGIN OPENSSH")
}

/// Checks a social security number: no part is all zeros, and the area number is in use.
pub fn social_security(value: &str) -> bool {
    let text: String = value.chars().filter(char::is_ascii_digit).collect();
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
    let area = part(0..3);
    area != "000" && area != "666" && !area.starts_with('9') && part(3..5) != "00" && part(5..9) != "0000"
}

/// Checks the fourth and fifth digits of an individual taxpayer identification number (ITIN).
pub fn itin(value: &str) -> bool {
    let digits = digits(value);
    let group = digits.get(3).zip(digits.get(4)).map(|(tens, ones)| tens * 10 + ones);
    matches!(group, Some(50..=65 | 70..=88 | 90..=92 | 94..=99))
}

/// Checks that the prefix of a national insurance number is in use.
pub fn national_insurance(value: &str) -> bool {
    !["BG", "GB", "KN", "NK", "NT", "TN", "ZZ"].iter().any(|prefix| value.starts_with(prefix))
}

/// Checks the two check digits of a CPF.
pub fn cpf(value: &str) -> bool {
    let digits = digits(value);
    let same = digits.windows(2).all(|pair| pair[0] == pair[1]);
    !same
        && has_brazilian_digit(&digits, 9, &[10, 9, 8, 7, 6, 5, 4, 3, 2])
        && has_brazilian_digit(&digits, 10, &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
}

/// Checks the two check digits of a CNPJ.
pub fn cnpj(value: &str) -> bool {
    let digits = digits(value);
    let weights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
    has_brazilian_digit(&digits, 12, &weights[1..]) && has_brazilian_digit(&digits, 13, &weights)
}

fn has_brazilian_digit(digits: &[u32], place: usize, weights: &[u32]) -> bool {
    let remainder = weighted_sum(digits, weights.iter().copied()) % 11;
    digits.get(place) == Some(&if remainder < 2 { 0 } else { 11 - remainder })
}

/// Checks the last digit of a DEA registration number.
pub fn dea(value: &str) -> bool {
    // The second character may be a 9, which is not part of the checksum.
    let digits = digits(value.get(2..).unwrap_or_default());
    let sum = weighted_sum(&digits, [1, 2, 1, 2, 1, 2]);
    digits.get(6) == Some(&(sum % 10))
}

/// Checks a Medicare beneficiary number: it has no letters that look like digits.
pub(super) fn medicare(value: &str) -> bool {
    !value.contains(['S', 'L', 'O', 'I', 'B', 'Z'])
}

/// Checks the Luhn check digit of a national provider ID, prefixed with 80840 (health care in the United States).
pub fn national_provider(value: &str) -> bool {
    let mut all = vec![8, 0, 8, 4, 0];
    all.extend(digits(value));
    has_luhn_digit(&all)
}

/// Checks the last digit of an NHS number.
pub fn nhs(value: &str) -> bool {
    let digits = digits(value);
    let check = 11 - weighted_sum(&digits, (2..=10).rev()) % 11;
    digits.get(9) == Some(&(check % 11))
}

/// Checks the last letter of a DNI, NIF or NIE; a leading X, Y or Z counts as 0, 1 or 2.
pub fn spanish_letter(value: &str) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let upper = value.to_ascii_uppercase().replace('-', "");
    let Some((number, letter)) = upper.split_at_checked(upper.len().saturating_sub(1)) else { return false };
    let number: Result<usize, _> = number.replace('X', "0").replace('Y', "1").replace('Z', "2").parse();
    number.is_ok_and(|number| letter.as_bytes() == &LETTERS[number % 23..][..1])
}

/// Checks the last two digits of an INSEE code; the departments of Corsica, 2A and 2B, count as 19 and 18.
pub fn insee(value: &str) -> bool {
    let text: String = value.chars().filter(|char| *char != ' ').collect();
    let (Some(number), Some(key)) = (text.get(..13), text.get(13..)) else { return false };
    let number: Result<u64, _> = number.replace("2A", "19").replace("2B", "18").parse();
    number.is_ok_and(|number| key.parse() == Ok(97 - number % 97))
}
