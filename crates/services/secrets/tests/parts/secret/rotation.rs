//! Tests of `secret::rotation`.

use nephos_secrets::parts::rotation::*;

#[test]
fn retry_delay_doubles_up_to_an_hour() {
    let minutes: Vec<_> = (1..10).map(|n| retry_delay(n).as_mins()).collect();
    assert_eq!(minutes, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    assert!((10..1000).all(|n| retry_delay(n).as_mins() == 60));
}
