//! Decoders return a result for any input, in bounded memory.

use crate::{
    any::{self, Limits},
    toys::{self, by_ec2_form, by_form, by_path, by_target},
};
use bytes::Bytes;
use nephos_core::{Operation as _, Value, shape::ServiceShape};
use nephos_wire::{
    HttpRequest, HttpResponse, decode_answer, decode_request, encode_answer, encode_request, protocol, route,
};
use proptest::{collection::vec, prelude::*, sample::Index};

static SERVICES: [&ServiceShape; 4] =
    [&by_target::SERVICE, &by_path::SERVICE, &by_form::SERVICE, &by_ec2_form::SERVICE];

const LIMITS: Limits = Limits { list: 1, flat: 1, map: 1, unknown: false };

fn mutated(mut bytes: Vec<u8>, changes: &[(Index, u8, bool)]) -> Bytes {
    for (at, byte, insert) in changes {
        if bytes.is_empty() {
            break;
        }
        let at = at.index(bytes.len());
        if *insert { bytes.insert(at, *byte) } else { bytes[at] = *byte }
    }
    bytes.into()
}

fn decode(message: &HttpRequest) {
    for signed_for in [None, Some("grove"), Some("ec2grove")] {
        let _ = protocol(&toys::REGISTRY, message, signed_for);
        if let Ok(route) = route(&toys::REGISTRY, message, signed_for) {
            let _ = decode_request(route, message);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn mutated_request_never_panics(
        service in 0..4_usize,
        params in any::record(by_form::GrowTree::OPERATION.params, LIMITS),
        changes in vec((any::<Index>(), any::<u8>(), any::<bool>()), 1..6),
    ) {
        let operation = any::operation(SERVICES[service], "GrowTree");
        // An empty name is not allowed in a path.
        let Ok(mut message) = encode_request(&any::request(operation, &params)) else { return Ok(()) };
        let body = mutated(message.body().to_vec(), &changes);
        *message.body_mut() = body;
        decode(&message);
    }

    #[test]
    fn mutated_answer_never_panics(
        service in 0..4_usize,
        fields in any::record(<toys::Trees as nephos_core::Record>::SHAPE, LIMITS),
        changes in vec((any::<Index>(), any::<u8>(), any::<bool>()), 1..6),
        status in 200..600_u16,
    ) {
        let operation = any::operation(SERVICES[service], "GrowTree");
        let name = Value::Map([("Name".into(), "oak".into())].into_iter().collect());
        let request = any::request(operation, &name);
        let route = nephos_wire::Route { service: SERVICES[service], operation };
        let mut message = encode_answer(route, &*any::answer(&request, &fields), "id");
        *message.body_mut() = mutated(message.body().to_vec(), &changes);
        *message.status_mut() = http::StatusCode::from_u16(status).unwrap();
        let _ = decode_answer(&request, &message);
    }

    #[test]
    fn random_request_never_panics(body: Vec<u8>, query in "[!$-;=?-Z_a-z~]{0,40}", form in "([A-Za-z.0-9]{1,9}=[%a-z]{0,3}&){0,9}") {
        for body in [body, format!("Action=GrowTree&Name=x&{form}").into_bytes()] {
            let message = http::Request::post(format!("/?{query}")).body(Bytes::from(body)).unwrap();
            decode(&message);
        }
    }

    #[test]
    fn random_answer_never_panics(body: Vec<u8>, xml in "(<[a-zA-Z]{1,5}>|</[a-zA-Z]{1,5}>|<[a-z]/>|&[a-z#0-9]{1,4};|[a-z]){0,20}") {
        for service in SERVICES {
            let name = Value::Map([("Name".into(), "oak".into())].into_iter().collect());
            let request = any::request(any::operation(service, "GrowTree"), &name);
            for (status, body) in [(200, body.clone()), (200, xml.clone().into_bytes()), (400, xml.clone().into_bytes())] {
                let mut message = HttpResponse::new(body.into());
                *message.status_mut() = http::StatusCode::from_u16(status).unwrap();
                let _ = decode_answer(&request, &message);
            }
        }
    }
}
