//! Tests of `masking::keywords`.

fn near(keywords: &[&str], message: &str) -> bool {
    let value = message.find('7').unwrap()..message.rfind('7').unwrap() + 1;
    nephos_logs::masking::keywords::KeywordPositions::new(keywords, message).is_near(message, &value)
}

#[test]
fn a_keyword_is_near_up_to_30_characters_from_the_value() {
    assert!(near(&["ssn"], &format!("ssn{}77", "é".repeat(30).replacen('é', " ", 1))));
    assert!(!near(&["ssn"], &format!("ssn {}77", "é".repeat(30))));
    assert!(near(&["ssn"], &format!("77{} ssn", "-".repeat(29))));
    assert!(!near(&["ssn"], &format!("77{} ssn", "-".repeat(30))));
}

#[test]
fn a_space_in_a_keyword_matches_underscore_hyphen_or_nothing() {
    for message in
        ["card number 7", "card_number=7", "CARD-NUMBER: 7", "cardNumber:7", "\"myCardNumber\":\"7\""]
    {
        assert!(near(&["card number"], message), "{message}");
    }
}

#[test]
fn a_keyword_inside_another_word_is_ignored() {
    for message in ["company 7", "pants 7", "7 span", "pan1 7"] {
        assert!(!near(&["pan"], message), "{message}");
    }
    assert!(near(&["pan"], "é pan:7"));
    assert!(near(&["card number", "card"], "card numbers 7") && near(&["cvv", "cvv2"], "CVV2 7"));
}
