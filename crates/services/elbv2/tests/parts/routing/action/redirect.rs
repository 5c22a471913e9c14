//! Tests of `routing::action::redirect`.

use nephos_core::{Result, field_value::FieldType};
use nephos_elbv2::Protocol;
use nephos_elbv2::parts::redirect::*;

fn normalized(fields: &[(&str, &str)], listener: Protocol, port: i64) -> Result<RedirectConfig> {
    let mut config = RedirectConfig::blank();
    config.status_code = Some(RedirectStatusCode::Http301);
    for (field, value) in fields {
        let slot = match *field {
            "Protocol" => &mut config.protocol,
            "Port" => &mut config.port,
            "Host" => &mut config.host,
            "Path" => &mut config.path,
            _ => &mut config.query,
        };
        *slot = Some((*value).into());
    }
    config.normalized(&listener, Some(port))
}

#[test]
fn redirect_loop_is_refused() {
    let loops: [&[(&str, &str)]; 6] = [
        &[],
        &[("Query", "a=b")],
        &[("Protocol", "HTTP")],
        &[("Port", "80"), ("Host", "#{host}")],
        &[("Path", "/#{path}"), ("Port", "#{port}")],
        &[("Protocol", "#{protocol}"), ("Query", "")],
    ];
    for fields in loops {
        let error = normalized(fields, Protocol::Http, 80).unwrap_err();
        assert_eq!(error.code(), "InvalidLoadBalancerAction", "{fields:?}");
    }
    let fine: [&[(&str, &str)]; 5] = [
        &[("Protocol", "HTTPS")],
        &[("Port", "81")],
        &[("Host", "www.#{host}")],
        &[("Path", "/new/#{path}")],
        &[("Path", "/"), ("Query", "#{query}&a=b")],
    ];
    for fields in fine {
        normalized(fields, Protocol::Http, 80).unwrap();
    }
    assert!(normalized(&[("Protocol", "HTTP"), ("Host", "x")], Protocol::Https, 443).is_err());
}

#[test]
fn unknown_placeholder_is_refused() {
    for fields in [[("Host", "#{hostname}")], [("Path", "/#{}")], [("Query", "#{query")]] {
        assert!(normalized(&fields, Protocol::Http, 80).is_err(), "{fields:?}");
    }
    let whole = normalized(&[("Host", "#{host}.x"), ("Path", "/a#b")], Protocol::Http, 80).unwrap();
    assert_eq!((whole.protocol(), whole.query()), (Some("#{protocol}"), Some("#{query}")));
}
