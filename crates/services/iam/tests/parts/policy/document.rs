//! Tests of `policy::document`.

use nephos_iam::parts::document::*;

#[test]
fn decoding_returns_the_encoded_document() {
    let document = "{\"Sid\": \"a-b_c.d~e\"}\n% é";
    let encoded = encode(document);
    assert_eq!(encoded, "%7B%22Sid%22%3A%20%22a-b_c.d~e%22%7D%0A%25%20%C3%A9");
    assert_eq!(decode(&encoded), document);
    for plain in ["", "{}", "100%", "%G1", "%é1"] {
        assert_eq!(decode(plain), plain);
    }
}
