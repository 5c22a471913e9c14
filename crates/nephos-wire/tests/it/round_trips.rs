//! What one side says is what the other hears, in each protocol.

use crate::{
    any::{self, Limits},
    toys::{self, by_ec2_form, by_form, by_path, by_target},
};
use nephos_core::{Error, ErrorKind, Ids, Ref, Result, Type, Value, record, shape::ServiceShape};
use nephos_wire::{
    decode_answer, decode_request, encode_answer, encode_error, encode_request, fill_tokens, route,
};
use proptest::prelude::*;

/// JSON tells everything apart.
const JSON: Limits = Limits { list: 0, flat: 0, map: 0, unknown: false };
/// A form has no empty mappings.
const FORM: Limits = Limits { list: 0, flat: 0, map: 1, unknown: false };
/// EC2's has no empty lists either.
const EC2_FORM: Limits = Limits { list: 1, flat: 1, map: 1, unknown: false };
/// What stands without anything around it cannot be empty.
const XML: Limits = Limits { list: 0, flat: 1, map: 0, unknown: true };

fn there(service: &'static ServiceShape, limits: Limits) -> BoxedStrategy<(usize, Value)> {
    let operations = service.operations;
    (0..operations.len())
        .prop_flat_map(move |n| any::record(operations[n].params, limits).prop_map(move |params| (n, params)))
        .boxed()
}

fn back(service: &'static ServiceShape, limits: Limits) -> BoxedStrategy<(usize, Value, Value)> {
    let operations = service.operations;
    (0..operations.len())
        .prop_flat_map(move |n| {
            let Some(Type::Record(output)) = operations[n].output else { panic!("an answer is a record") };
            let params = any::record(operations[n].params, EC2_FORM);
            (params, any::record(output, limits)).prop_map(move |(params, answer)| (n, params, answer))
        })
        .boxed()
}

fn request_arrives(service: &'static ServiceShape, (n, params): (usize, Value)) -> Result<(), TestCaseError> {
    let sent = any::request(service.operations[n], &params);
    let message = encode_request(&sent).unwrap();
    let route = route(&toys::REGISTRY, &message, Some(service.signing)).unwrap();
    prop_assert_eq!(route.operation.name, service.operations[n].name);
    prop_assert_eq!(route.service.name, service.name);
    let heard = decode_request(route, &message).unwrap();
    prop_assert!(record::same(&*sent.params, &*heard.params), "{:?}\n{:?}\n{:?}", sent, heard, message);
    Ok(())
}

fn answer_arrives(
    service: &'static ServiceShape,
    (n, params, fields): (usize, Value, Value),
) -> Result<(), TestCaseError> {
    let request = any::request(service.operations[n], &params);
    let message = encode_request(&request).unwrap();
    let route = route(&toys::REGISTRY, &message, Some(service.signing)).unwrap();
    let said = any::answer(&request, &fields);
    let message = encode_answer(route, &*said, "req-1");
    prop_assert_eq!(message.headers()["x-amzn-requestid"].to_str().unwrap(), "req-1");
    let heard = decode_answer(&request, &message).unwrap();
    let (said, heard) = (Ref::Record(&*said), Ref::Record(&*heard));
    prop_assert!(said.same(&heard), "{:?}\n{:?}\n{:?}", said, heard, message);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_json_request_arrives(there in there(&by_target::SERVICE, JSON)) {
        request_arrives(&by_target::SERVICE, there)?;
    }

    #[test]
    fn a_json_answer_arrives(back in back(&by_target::SERVICE, Limits { unknown: true, ..JSON })) {
        answer_arrives(&by_target::SERVICE, back)?;
    }

    #[test]
    fn a_request_by_path_arrives(there in there(&by_path::SERVICE, Limits { list: 1, ..JSON })) {
        request_arrives(&by_path::SERVICE, there)?;
    }

    #[test]
    fn an_answer_by_path_arrives(back in back(&by_path::SERVICE, Limits { unknown: true, ..JSON })) {
        answer_arrives(&by_path::SERVICE, back)?;
    }

    #[test]
    fn a_form_arrives(there in there(&by_form::SERVICE, FORM)) {
        request_arrives(&by_form::SERVICE, there)?;
    }

    #[test]
    fn an_xml_answer_arrives(back in back(&by_form::SERVICE, XML)) {
        answer_arrives(&by_form::SERVICE, back)?;
    }

    #[test]
    fn an_ec2_form_arrives(there in there(&by_ec2_form::SERVICE, EC2_FORM)) {
        request_arrives(&by_ec2_form::SERVICE, there)?;
    }

    #[test]
    fn an_ec2_answer_arrives(back in back(&by_ec2_form::SERVICE, XML)) {
        answer_arrives(&by_ec2_form::SERVICE, back)?;
    }

    #[test]
    fn a_form_in_the_query_string_is_the_same(there in there(&by_form::SERVICE, FORM)) {
        let sent = any::request(by_form::SERVICE.operations[there.0], &there.1);
        let posted = encode_request(&sent).unwrap();
        let query = std::str::from_utf8(posted.body()).unwrap();
        let message = http::Request::get(format!("/?{query}&X-Amz-Signature=00")).body(Default::default()).unwrap();
        let route = route(&toys::REGISTRY, &message, None).unwrap();
        let heard = decode_request(route, &message).unwrap();
        prop_assert!(record::same(&*sent.params, &*heard.params));
    }
}

#[test]
fn refusals_keep_code_status_kind_field_and_request_id() {
    let services = [&by_target::SERVICE, &by_path::SERVICE, &by_form::SERVICE, &by_ec2_form::SERVICE];
    let why = "no <tree> called \"a&b\"";
    for service in services {
        let request = any::request(
            any::operation(service, "FellTree"),
            &Value::Map([("Name".into(), "oak".into())].into_iter().collect()),
        );
        let unlisted = Error::new(ErrorKind::Throttled, why).with_wire_code("ThrottlingException", 400);
        let refusals = service.codes.iter().map(|code| code.with_message(why)).chain([unlisted]);
        for refused in refusals {
            let message = encode_error(service.protocol, &refused, "req-7");
            assert_eq!(message.status().as_u16(), refused.status());
            let heard = decode_answer(&request, &message).err().unwrap();
            let parts = |error: &Error| {
                (error.code().to_owned(), error.status(), error.kind(), error.message().to_owned())
            };
            assert_eq!(parts(&heard), parts(&refused), "{}", service.name);
            assert_eq!(heard.request_id(), Some("req-7"));
        }
        if service.protocol != by_target::SERVICE.protocol && service.protocol != by_path::SERVICE.protocol {
            let mut message = encode_error(service.protocol, &toys::DOWN.with_message(why), "req-8");
            message.headers_mut().clear();
            assert_eq!(decode_answer(&request, &message).err().unwrap().request_id(), Some("req-8"));
        }
        let about = Error::invalid("Leaves[grün].Hue", "is too green").with_code(&toys::INVALID);
        let mut message = encode_error(service.protocol, &about, "req-7");
        let heard = decode_answer(&request, &message).err().unwrap();
        assert_eq!((heard.field(), heard.message()), (Some("Leaves[grün].Hue"), "is too green"));
        // Other clients read the message only, and other servers send nothing else.
        message.headers_mut().remove("x-nephos-field");
        let heard = decode_answer(&request, &message).err().unwrap();
        assert_eq!((heard.field(), heard.message()), (None, "Leaves[grün].Hue: is too green"));
    }
}

#[test]
fn tokens_are_made_up_once_and_only_where_they_are_missing() {
    let params = Value::Map([("Name".into(), "oak".into())].into_iter().collect());
    let mut request = any::request(any::operation(&by_form::SERVICE, "GrowTree"), &params);
    fill_tokens(&mut *request.params, &Ids::seeded(1));
    let token = record::get(&*request.params, "ClientToken").unwrap();
    assert_eq!(token.as_text().map(str::len), Some(36));
    fill_tokens(&mut *request.params, &Ids::seeded(2));
    assert_eq!(record::get(&*request.params, "ClientToken").unwrap(), token);
    assert_eq!(record::get(&*request.params, "MaxRings").unwrap(), Value::Null);
}
