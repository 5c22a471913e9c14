//! Tests of `certificate::der`.

use nephos_iam::parts::der::*;

#[test]
fn values_are_read_and_written() {
    for length in [0, 1, 127, 128, 255, 256, 70_000] {
        let content = vec![7; length];
        let encoded = encode(OCTET_STRING, &content);
        let mut reader = Reader::new(&encoded);
        let read = reader.next().expect("it is complete");
        assert_eq!((read.tag, read.content, read.whole), (OCTET_STRING, &content[..], &encoded[..]));
        assert!(reader.next().is_none());
        assert!(Reader::new(&encoded[..encoded.len() - 1]).next().is_none(), "{length}");
    }
    assert!(Reader::new(&[SEQUENCE, 0x85, 0, 0, 0, 0, 0]).next().is_none());
}

#[test]
fn pem_has_nothing_else() {
    let text = encode_pem("KEY", vec![1; 100]);
    assert!(text.lines().all(|line| line.len() <= 64));
    let blocks = decode_pem(&format!("\n{text}\r\n{text}")).expect("it is valid");
    assert_eq!((blocks.len(), blocks[0].label.as_str(), &blocks[1].content.0[..]), (2, "KEY", &[1; 100][..]));
    assert_eq!(decode_pem(" ").map(|blocks| blocks.len()), Some(0));
    for text in [
        "x",
        "-----BEGIN A-----",
        "-----BEGIN A-----\n!\n-----END A-----",
        "-----BEGIN A-----\n-----END B-----",
    ] {
        assert!(decode_pem(text).is_none(), "{text}");
    }
}
