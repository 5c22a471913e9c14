//! Encoded requests, answers and errors decode to the same values, in each protocol.

use crate::{
    any::{self, Limits},
    toys::{self, by_ec2_form, by_form, by_path, by_target},
};
use nephos_core::{Error, ErrorKind, Ids, Ref, Result, Type, Value, record, shape::ServiceShape};
use nephos_wire::{
    decode_answer, decode_request, encode_answer, encode_error, encode_request, fill_tokens, route,
};
use proptest::prelude::*;

/// JSON distinguishes all values.
const JSON: Limits = Limits { list: 0, flat: 0, map: 0, unknown: false };
/// A form cannot represent empty mappings.
const FORM: Limits = Limits { list: 0, flat: 0, map: 1, unknown: false };
/// A form of EC2 cannot represent empty lists either.
const EC2_FORM: Limits = Limits { list: 1, flat: 1, map: 1, unknown: false };
/// XML cannot represent empty flat lists and mappings.
const XML: Limits = Limits { list: 0, flat: 1, map: 0, unknown: true };

fn any_request(service: &'static ServiceShape, limits: Limits) -> BoxedStrategy<(usize, Value)> {
    let operations = service.operations;
    (0..operations.len())
        .prop_flat_map(move |n| any::record(operations[n].params, limits).prop_map(move |params| (n, params)))
        .boxed()
}

fn any_answer(service: &'static ServiceShape, limits: Limits) -> BoxedStrategy<(usize, Value, Value)> {
    let operations = service.operations;
    (0..operations.len())
        .prop_flat_map(move |n| {
            let Some(Type::Record(output)) = operations[n].output else {
                panic!("the output must be a record")
            };
            let params = any::record(operations[n].params, EC2_FORM);
            (params, any::record(output, limits)).prop_map(move |(params, answer)| (n, params, answer))
        })
        .boxed()
}

fn check_request(service: &'static ServiceShape, (n, params): (usize, Value)) -> Result<(), TestCaseError> {
    let sent = any::request(service.operations[n], &params);
    let message = encode_request(&sent).unwrap();
    let route = route(&toys::REGISTRY, &message, Some(service.signing)).unwrap();
    prop_assert_eq!(route.operation.name, service.operations[n].name);
    prop_assert_eq!(route.service.name, service.name);
    let decoded = decode_request(route, &message).unwrap();
    prop_assert!(record::same(&*sent.params, &*decoded.params), "{:?}\n{:?}\n{:?}", sent, decoded, message);
    Ok(())
}

fn check_answer(
    service: &'static ServiceShape,
    (n, params, fields): (usize, Value, Value),
) -> Result<(), TestCaseError> {
    let request = any::request(service.operations[n], &params);
    let message = encode_request(&request).unwrap();
    let route = route(&toys::REGISTRY, &message, Some(service.signing)).unwrap();
    let sent = any::answer(&request, &fields);
    let message = encode_answer(route, &*sent, "req-1");
    prop_assert_eq!(message.headers()["x-amzn-requestid"].to_str().unwrap(), "req-1");
    let decoded = decode_answer(&request, &message).unwrap();
    let (sent, decoded) = (Ref::Record(&*sent), Ref::Record(&*decoded));
    prop_assert!(sent.same(&decoded), "{:?}\n{:?}\n{:?}", sent, decoded, message);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn json_request_round_trips(sent in any_request(&by_target::SERVICE, JSON)) {
        check_request(&by_target::SERVICE, sent)?;
    }

    #[test]
    fn json_answer_round_trips(sent in any_answer(&by_target::SERVICE, Limits { unknown: true, ..JSON })) {
        check_answer(&by_target::SERVICE, sent)?;
    }

    #[test]
    fn rest_json_request_round_trips(sent in any_request(&by_path::SERVICE, Limits { list: 1, ..JSON })) {
        check_request(&by_path::SERVICE, sent)?;
    }

    #[test]
    fn rest_json_answer_round_trips(sent in any_answer(&by_path::SERVICE, Limits { unknown: true, ..JSON })) {
        check_answer(&by_path::SERVICE, sent)?;
    }

    #[test]
    fn query_request_round_trips(sent in any_request(&by_form::SERVICE, FORM)) {
        check_request(&by_form::SERVICE, sent)?;
    }

    #[test]
    fn query_answer_round_trips(sent in any_answer(&by_form::SERVICE, XML)) {
        check_answer(&by_form::SERVICE, sent)?;
    }

    #[test]
    fn ec2_request_round_trips(sent in any_request(&by_ec2_form::SERVICE, EC2_FORM)) {
        check_request(&by_ec2_form::SERVICE, sent)?;
    }

    #[test]
    fn ec2_answer_round_trips(sent in any_answer(&by_ec2_form::SERVICE, XML)) {
        check_answer(&by_ec2_form::SERVICE, sent)?;
    }

    #[test]
    fn form_in_query_string_is_decoded(sent in any_request(&by_form::SERVICE, FORM)) {
        let sent = any::request(by_form::SERVICE.operations[sent.0], &sent.1);
        let posted = encode_request(&sent).unwrap();
        let query = std::str::from_utf8(posted.body()).unwrap();
        let message = http::Request::get(format!("/?{query}&X-Amz-Signature=00")).body(Default::default()).unwrap();
        let route = route(&toys::REGISTRY, &message, None).unwrap();
        let decoded = decode_request(route, &message).unwrap();
        prop_assert!(record::same(&*sent.params, &*decoded.params));
    }
}

#[test]
fn errors_keep_code_status_kind_field_and_request_id() {
    let services = [&by_target::SERVICE, &by_path::SERVICE, &by_form::SERVICE, &by_ec2_form::SERVICE];
    let text = "no <tree> called \"a&b\"";
    for service in services {
        let request = any::request(
            any::operation(service, "FellTree"),
            &Value::Map([("Name".into(), "oak".into())].into_iter().collect()),
        );
        let unlisted = Error::new(ErrorKind::Throttled, text).with_wire_code("ThrottlingException", 400);
        let refusals = service.codes.iter().map(|code| code.with_message(text)).chain([unlisted]);
        for refused in refusals {
            let message = encode_error(service.protocol, &refused, "req-7");
            assert_eq!(message.status().as_u16(), refused.status());
            let decoded = decode_answer(&request, &message).err().unwrap();
            let parts = |error: &Error| {
                (error.code().to_owned(), error.status(), error.kind(), error.message().to_owned())
            };
            assert_eq!(parts(&decoded), parts(&refused), "{}", service.name);
            assert_eq!(decoded.request_id(), Some("req-7"));
        }
        if service.protocol != by_target::SERVICE.protocol && service.protocol != by_path::SERVICE.protocol {
            let mut message = encode_error(service.protocol, &toys::DOWN.with_message(text), "req-8");
            message.headers_mut().clear();
            assert_eq!(decode_answer(&request, &message).err().unwrap().request_id(), Some("req-8"));
        }
        let about = Error::invalid("Leaves[grün].Hue", "is too green").with_code(&toys::INVALID);
        let about = about.with_wire_message("Hue is too green.").with_hint("try olive");
        let mut message = encode_error(service.protocol, &about, "req-7");
        let decoded = decode_answer(&request, &message).err().unwrap();
        assert_eq!((decoded.field(), decoded.message()), (Some("Leaves[grün].Hue"), "Hue is too green."));
        assert_eq!(decoded.hint(), None, "a hint is not on the wire");
        // Other clients read only the message, and other servers send only the message.
        message.headers_mut().remove("x-nephos-field");
        let decoded = decode_answer(&request, &message).err().unwrap();
        assert_eq!((decoded.field(), decoded.message()), (None, "Hue is too green."));
    }
}

#[test]
fn missing_idempotency_tokens_are_filled_once() {
    let params = Value::Map([("Name".into(), "oak".into())].into_iter().collect());
    let mut request = any::request(any::operation(&by_form::SERVICE, "GrowTree"), &params);
    fill_tokens(&mut *request.params, &Ids::seeded(1));
    let token = record::get(&*request.params, "ClientToken").unwrap();
    assert_eq!(token.as_text().map(str::len), Some(36));
    fill_tokens(&mut *request.params, &Ids::seeded(2));
    assert_eq!(record::get(&*request.params, "ClientToken").unwrap(), token);
    assert_eq!(record::get(&*request.params, "MaxRings").unwrap(), Value::Null);
}
