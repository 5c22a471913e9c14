//! Tests of `delivery::destination_request`.

use nephos_events::parts::destination_request::*;

#[test]
fn only_urls_on_this_machine_are_called() {
    for url in [
        "http://localhost",
        "http://localhost:8080/a",
        "http://127.0.0.1?x=1",
        "http://127.9.9.9:1/",
        "http://[::1]:80/",
    ] {
        assert!(is_on_this_machine(url), "{url}");
    }
    for url in [
        "https://localhost/",
        "http://example.com/127.0.0.1",
        "http://127.0.0.1@example.com/",
        "http://localhost.example.com/",
        "http://10.0.0.1/",
        "http://[::2]/",
        "",
    ] {
        assert!(!is_on_this_machine(url), "{url}");
    }
}

#[test]
fn values_replace_wildcards_of_the_path_in_order() {
    let values = ["a b".into(), "c/d".into()];
    assert_eq!(fill_path("http://x/*/y/*/*?q=*", &values), "http://x/a%20b/y/c%2Fd/*?q=*");
    assert_eq!(fill_path("http://x/y", &values), "http://x/y");
}
