//! Tests of `secret::filters`.

use nephos_core::{Record, Text, field_value::FieldType};
use nephos_secrets::parts::filters::*;
use nephos_secrets::parts::secret::SecretRow;

fn passes(key: FilterKey, values: &[&str]) -> bool {
    let secret = r#"{"Name": "web/ApiKey-v2", "Description": "The key of the Shop's checkout", "PrimaryRegion": "us-east-1",
        "Tags": [{"Key": "team", "Value": "web"}, {"Key": "Stage", "Value": "live"}]}"#;
    let secret = SecretRow::from_json(secret).unwrap();
    let values: Vec<_> = values.iter().copied().map(Text::from).collect();
    let filter = SecretsFilter::builder().key(key).values(values).build().unwrap();
    match_all(Some(&[filter]), &secret)
}

#[test]
fn name_tag_and_region_filters_match_case_sensitive_prefixes() {
    use FilterKey::*;
    for (key, value, expected) in [
        (Name, "web/", true),
        (Name, "web/api", false),
        (Name, "Api", false),
        (Name, "", true),
        (TagKey, "te", true),
        (TagKey, "stage", false),
        (TagValue, "li", true),
        (TagValue, "team", false),
        (PrimaryRegion, "us-", true),
        (OwningService, "rds", false),
        (Name, "!web/", false),
        (Name, "!other", true),
    ] {
        assert_eq!(passes(key.clone(), &[value]), expected, "{key:?} {value}");
    }
    assert!(passes(Name, &["other", "web"]), "one of the values is enough");
    assert!(match_all(None, &SecretRow::blank()));
}

#[test]
fn description_and_all_filters_match_prefixes_of_words() {
    use FilterKey::*;
    for (key, value, expected) in [
        (Description, "check", true),
        (Description, "SHOP key", true),
        (Description, "eckout", false),
        (Description, "web", false),
        (All, "key web", true),
        (All, "KeyApi", true),
        (All, "apikey", false),
        (All, "v 2", true),
        (All, "live", true),
        (All, "api live", false),
        (All, "checkout", true),
        (All, "us-east-1", false),
        (All, "/", false),
        (All, "", false),
        (All, "nothing", false),
        (All, "!nothing", true),
    ] {
        assert_eq!(passes(key.clone(), &[value]), expected, "{key:?} {value}");
    }
}

#[test]
fn words_end_at_punctuation_digits_and_changes_of_case() {
    for (text, words) in [
        ("credsDatabase#892", &["creds", "database", "892"][..]),
        ("prod-AppBeta/x_y+z=a.b@c", &["prod", "app", "beta", "x", "y", "z", "a", "b", "c"]),
        ("COMPANY", &["company"]),
        ("COMPANYthings", &["compan", "ythings"]),
        ("MyDB2nd", &["my", "db", "2", "nd"]),
        ("über Ähre", &["über", "ähre"]),
        ("+", &[]),
    ] {
        assert_eq!(split_words(text), words, "{text}");
    }
}
