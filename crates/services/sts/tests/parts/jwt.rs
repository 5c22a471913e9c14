//! Tests of `jwt`.

use nephos_core::json;
use nephos_sts::jwt::*;

/// A key of each algorithm that the behaviour cases do not use.
const KEYS: &str = r#"{"keys": [
    {"kty": "RSA", "e": "AQAB", "n": "5ORXCo_PEhVGFz5iDR1FKqlAJzEY81LWwjHNTd_HbJnR5ldepNTr_tTwpUePcTMiCShqNiEbjCgA0md3805wuDkk2wFgxeT1W7BfnLfA7TTIbWBXsrW0geJuy2ZKquwC_3YX15WTY95sPcDFj3MILErzuH-qzcQ_VQsHV8x655cusjgBL-sUAvAx_VnfqtwnYqqRiL7vHbXq7B3PVSRq_iPoYXbePPsI88QQAk-zalZr5eHRCeApRegvXcXUZ-3qga4mWVsQa8wNLNBAsDoHzKeklH8UybnKgqDh9OSn43KCEAT1JsmRRVbstYoXbsD-MMvg9T0OwFC7CVYVQ0LnGw"},
    {"kty": "EC", "crv": "P-384", "x": "pp-m4CzzWIwEfW_LyWhyPHAABsc8U7agZvJ-APyNgawel0aG0WQydNN4CmrMMIuv",
     "y": "qj3qnhsRcHZj5443kj93gT1OiMwb14mb5gK98Vszdl5Ut-EEKYEd4cb86BGOXS-E"}]}"#;

/// Tokens with the claims `{"sub":"ann"}`, signed by another program.
const TOKENS: [&str; 4] = [
    "eyJhbGciOiAiUlMyNTYifQ.eyJzdWIiOiJhbm4ifQ.S63gyMgARKmOlXPEzqGXp6vOczCdRfBdpe-JQkxkx6juKAHOY5EqUAzyzCemIKjlWGlTDpcg6BIQKZaP_O-M1TCEaJZ9DCgdGuSSLp4oqI9skFPztZMvbse2H0YdxqGoY6ezFBc1nOzutmiJIBuKsP69HsaGKtdae-nXZ-Bajr61sK_i7ac9kNAByyN8DebS9ABdNbQ-3BQsC9gA3QV4gVrIfHgIDaTzz7nTKcqwqkGXXwUZrlzlUKW4fgzZXOxziBmCeyLmZWQal-dRrOCkEkF6bOqnGRNJVZ_jUstfP6h0JoCOoLmtqZ6f3D8FjWKVzE3xW0ONoE4Kn0pUE6Gazg",
    "eyJhbGciOiAiUlMzODQifQ.eyJzdWIiOiJhbm4ifQ.eIXz3KEnWuv83UTAWX618T7DXALubmnqoQonn8zvhbK9ycTS7NVhQdqjZK7JlAdibv-gOvs-sVEcxkq_Sji5FDpN3FtC2ZDf-ptkOAro40ejzdDcDuB8HXSE-6spK5tlis-LUC0w4-1vBAvR62P_Y7oj5bNlyXbhgvDtauvNUaSS5pDUxDtHHjXDO9W0CY2qqmuwQ3ulUciSHYA9X7ECmkuF8odljI5HrCg_Wxd6gQno6SZoVmS5QqFD-DoWVdeTDGyLX_5b8wImx2saf7hc4MVsoetknu9fe1kuKI_-A63pyoq0F86fs7c9mRfeELwyLnbPo6q6cMz7_PU8U7OGrg",
    "eyJhbGciOiAiUlM1MTIifQ.eyJzdWIiOiJhbm4ifQ.LzR0cz0DVU8cNFNurZhl1EXkYOQ6msgS0aMDY38-PaSNNf5fKGDSdZUxw1sThHq3GonuxfEevS5LMFGZu8yWipx5-WVPgezppk9knVp289W8EHuGZT0LI_x8CNO1OYkE6cVMxkIbRC0ULOBngVvHZOIZIWpOuDUB88rV9_SXBZ_QOMi_cyFdshnrHeWQoEQQVHc3QaFj5BRxu5SjRp7Jq80m22hp8lujTTq30PeOgwytXbjKm4tEtIq8y8bkkqPkG4k4XhXzIyj4Ti8VF2rGlY4seMXETusModqO6K0ZZr9BPGP71g6hWPSnxCnmjSIgjiLQ8toVRBxzyR7e6x1-XQ",
    "eyJhbGciOiAiRVMzODQifQ.eyJzdWIiOiJhbm4ifQ.B2-Llf2kZB-6sdQ-WQrlciWI01sMK5uKP6ugJQF4RYKfdO8O94iixp0OtsHLqSWcGHr6sGdOiHaXQE8ThPIIlWlps-ZyyOs2unRmi_RRA4j0sfjrYUMI2iz_T-kQ5UwT",
];

#[test]
fn signatures_of_all_algorithms_are_verified() {
    let keys = json::parse(KEYS.as_bytes()).expect("the key set is JSON");
    let signed = |text: &str| text.rsplit_once('.').map(|(signed, _)| signed.to_owned()).unwrap_or_default();
    for (n, text) in TOKENS.iter().enumerate() {
        let mut token = Token::read(text).expect("it is a token");
        assert_eq!(token.text("sub"), Some("ann"));
        assert_eq!(token.verify(&keys), Verification::Valid, "{n}");
        let other = signed(TOKENS[(n + 1) % TOKENS.len()]);
        token.signed = &other;
        assert_eq!(token.verify(&keys), Verification::Invalid, "{n}");
        for header in [r#"{"alg": "none"}"#, r#"{"alg": "RS256", "crit": ["exp"]}"#, "{}"] {
            let mut token = Token::read(text).expect("it is a token");
            token.header = json::parse(header.as_bytes()).expect("it is JSON");
            assert_eq!(token.verify(&keys), Verification::Invalid, "{header}");
        }
    }
    for text in ["", "a", "a.b", "e30.e30", "e30.W10.", "!.e30."] {
        assert!(Token::read(text).is_none(), "{text}");
    }
}
