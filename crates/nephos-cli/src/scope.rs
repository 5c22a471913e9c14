//! Checks of the account and the Region that a command acts in.

use crate::names;
use nephos::{Error, Result};

/// Directions in the names of Regions.
const DIRECTIONS: [&str; 9] =
    ["central", "east", "north", "northeast", "northwest", "south", "southeast", "southwest", "west"];

/// Regions that are suggested for a misspelled one. Others are accepted if they have the form of a Region.
const REGIONS: [&str; 45] = [
    "af-south-1",
    "ap-east-1",
    "ap-east-2",
    "ap-northeast-1",
    "ap-northeast-2",
    "ap-northeast-3",
    "ap-south-1",
    "ap-south-2",
    "ap-southeast-1",
    "ap-southeast-2",
    "ap-southeast-3",
    "ap-southeast-4",
    "ap-southeast-5",
    "ap-southeast-6",
    "ap-southeast-7",
    "ca-central-1",
    "ca-west-1",
    "cn-north-1",
    "cn-northwest-1",
    "eu-central-1",
    "eu-central-2",
    "eu-isoe-west-1",
    "eu-north-1",
    "eu-south-1",
    "eu-south-2",
    "eu-west-1",
    "eu-west-2",
    "eu-west-3",
    "eusc-de-east-1",
    "il-central-1",
    "me-central-1",
    "me-south-1",
    "mx-central-1",
    "sa-east-1",
    "us-east-1",
    "us-east-2",
    "us-gov-east-1",
    "us-gov-west-1",
    "us-iso-east-1",
    "us-iso-west-1",
    "us-isob-east-1",
    "us-isof-east-1",
    "us-isof-south-1",
    "us-west-1",
    "us-west-2",
];

/// Refuses an account that does not have twelve digits. `source` is the option or the environment variable that has it.
pub(crate) fn check_account(source: &str, account: &str) -> Result<()> {
    if account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    Err(Error::invalid(source, format!("{account:?} is not an account: expected twelve digits")))
}

/// Refuses a Region whose name does not have the form of one. `source` is the option, the environment variable or the setting
/// that has it.
pub(crate) fn check_region(source: &str, region: &str) -> Result<()> {
    if has_form_of_region(region) {
        return Ok(());
    }
    let hint = names::hint(region, REGIONS);
    let expected = "expected a name such as us-east-1, ap-southeast-2 or us-gov-west-1";
    Err(Error::invalid(source, format!("{region:?} is not a Region: {expected}{hint}")))
}

/// True for lowercase words, a direction and a number: `us-gov-west-1`.
fn has_form_of_region(region: &str) -> bool {
    let parts: Vec<&str> = region.split('-').collect();
    let [area @ .., direction, number] = parts.as_slice() else { return false };
    let is_lowercase = |word: &str| word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_word = |word: &&str| is_lowercase(word) && !DIRECTIONS.contains(word);
    let is_number = (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    !area.is_empty() && area.iter().all(is_word) && DIRECTIONS.contains(direction) && is_number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn region_is_words_a_direction_and_a_number() {
        for region in REGIONS.into_iter().chain(["xx-northeast-12", "us-new-central-9"]) {
            assert!(check_region("--region", region).is_ok(), "{region}");
        }
        for region in [
            "",
            "mars",
            "us",
            "us-east",
            "east-1",
            "us-east-",
            "us-east-1a",
            "us-east-one",
            "us-east-100",
            "us--east-1",
            "-us-east-1",
            "us-est-1",
            "US-EAST-1",
            "us-east-1 ",
            "us_east_1",
            "u2-east-1",
            "us-east-1-x",
            "aws-global",
            "../us-east-1",
        ] {
            assert!(check_region("--region", region).is_err(), "{region:?}");
        }
    }

    #[test]
    fn account_has_twelve_digits() {
        assert!(check_account("--account", "000000000012").is_ok());
        for account in ["", "12", "1234567890123", "12345678901x", "１２３４５６７８９０１２"] {
            assert!(check_account("--account", account).is_err(), "{account:?}");
        }
    }

    #[test]
    fn near_region_is_suggested() {
        let message = |region: &str| check_region("--region", region).unwrap_err().to_string();
        for (wrong, near) in [
            ("us-est-1", "us-east-1"),
            ("us-east-1a", "us-east-1"),
            ("EU-WEST-1", "eu-west-1"),
            ("us-gov-wets-1", "us-gov-west-1"),
            ("ap-south-east-2", "ap-southeast-2"),
        ] {
            assert!(message(wrong).ends_with(&format!("; did you mean {near}?")), "{}", message(wrong));
        }
        assert!(!message("mars").contains("did you mean"), "{}", message("mars"));
    }
}
