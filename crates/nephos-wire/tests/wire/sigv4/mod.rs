//! Verification accepts signatures by botocore and by the provider's crate, and rejects all others.

mod tampered;

use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SignatureLocation, SigningSettings, sign},
    sign::v4,
};
use bytes::Bytes;
use http::{HeaderName, HeaderValue};
use nephos_core::{Blob, Secret, SignedDuration, Text, Timestamp, Value, json, shape::Protocol, time};
use nephos_wire::{
    HttpRequest,
    sigv4::{Caller, Key, Keys, SignatureError, SignatureParts, Verifier},
};
use std::time::{Duration, SystemTime};

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const TOKEN: &str = "FwoGZXIvYXdzE//token+with/odd=characters==";

struct KnownKeys;

impl Keys for KnownKeys {
    fn find_key(&self, access_key_id: &str) -> Option<Key> {
        let key = |secret: &str, token: Option<&str>| Key {
            secret: secret.into(),
            session_token: token.map(Secret::from),
            account: "123456789012".into(),
        };
        match access_key_id {
            "AKIAIOSFODNN7EXAMPLE" => Some(key(SECRET, None)),
            "ASIAIOSFODNN7EXAMPLE" => Some(key("session/secret+KEY", Some(TOKEN))),
            _ => None,
        }
    }
}

fn noon() -> Timestamp {
    time::parse("2026-01-31T12:00:00Z").unwrap()
}

fn verify(message: &HttpRequest, service: &str, now: Timestamp) -> Result<Caller, SignatureError> {
    Verifier::new(KnownKeys).verify(message, &SignatureParts::from_request(message)?, service, now)
}

/// A request signed by botocore, with its expected parts.
struct Signed {
    name: String,
    message: HttpRequest,
    service: String,
    region: String,
    access_key_id: String,
    token: Option<String>,
    expires: Option<i64>,
}

fn fixtures() -> Vec<Signed> {
    let Value::List(fixture_list) = json::parse(include_bytes!("../../fixtures/sigv4.json")).unwrap() else {
        panic!()
    };
    fixture_list.iter().map(signed).collect()
}

fn signed(fact: &Value) -> Signed {
    let Value::Map(fact) = fact else { panic!("expected a mapping") };
    let text = |key: &str| fact[key].as_text().unwrap().to_owned();
    let body = Blob::from_base64(&text("body")).unwrap().into_bytes();
    let mut message = HttpRequest::new(Bytes::from(body));
    *message.method_mut() = text("method").parse().unwrap();
    *message.uri_mut() = text("uri").parse().unwrap();
    let Value::List(headers) = &fact["headers"] else { panic!("expected a list of headers") };
    for header in headers {
        let Value::List(header) = header else { panic!("expected a header") };
        let (name, value) = (header[0].as_text().unwrap(), header[1].as_text().unwrap());
        let name: HeaderName = name.parse().unwrap();
        message.headers_mut().append(name, HeaderValue::from_bytes(value.trim().as_bytes()).unwrap());
    }
    Signed {
        name: text("name"),
        message,
        service: text("service"),
        region: text("region"),
        access_key_id: text("access_key_id"),
        token: fact["token"].as_text().map(str::to_owned),
        expires: fact["expires"].as_int(),
    }
}

#[test]
fn request_signed_by_botocore_is_accepted() {
    let fixtures = fixtures();
    assert!(fixtures.len() >= 30);
    for Signed { name, message, service, region, access_key_id, token, expires } in fixtures {
        let parts = SignatureParts::from_request(&message).unwrap();
        assert_eq!(parts.access_key_id, access_key_id, "{name}");
        assert_eq!((&*parts.scope.service, &*parts.scope.region), (&*service, &*region), "{name}");
        assert_eq!((&*parts.scope.date, &*parts.date), ("20260131", "20260131T120000Z"), "{name}");
        assert_eq!(parts.session_token, token.map(Secret::from), "{name}");
        assert_eq!(parts.expires.map(i64::from), expires, "{name}");
        let caller = verify(&message, &service, noon());
        assert_eq!(caller.map(|caller| caller.account), Ok("123456789012".into()), "{name}");
    }
}

/// Signs `message` with the provider's crate.
fn sign_with_crate(mut message: HttpRequest, service: &str, at: Timestamp, presigned: bool) -> HttpRequest {
    let credentials =
        aws_credential_types::Credentials::new("AKIAIOSFODNN7EXAMPLE", SECRET, None, None, "test");
    let identity = credentials.into();
    let mut settings = SigningSettings::default();
    if presigned {
        settings.signature_location = SignatureLocation::QueryParams;
        settings.expires_in = Some(Duration::from_secs(900));
    }
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region("eu-central-1")
        .name(service)
        .time(SystemTime::UNIX_EPOCH + Duration::from_secs(at.as_second().try_into().unwrap()))
        .settings(settings)
        .build()
        .unwrap()
        .into();
    let copy = message.clone();
    let headers = copy.headers().iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap()));
    let uri = format!("https://x.test{}", copy.uri());
    let unsigned = copy.headers().get("x-amz-content-sha256").is_some_and(|hash| hash == "UNSIGNED-PAYLOAD");
    let body = if unsigned { SignableBody::UnsignedPayload } else { SignableBody::Bytes(copy.body()) };
    let signable = SignableRequest::new(copy.method().as_str(), uri, headers, body).unwrap();
    sign(signable, &params).unwrap().into_parts().0.apply_to_request_http1x(&mut message);
    message
}

fn plain() -> HttpRequest {
    let message = http::Request::post("/").header("host", "x.test");
    message.body(Bytes::from_static(b"Action=GetCallerIdentity")).unwrap()
}

#[test]
fn signature_is_valid_for_fifteen_minutes_before_and_after() {
    let message = sign_with_crate(plain(), "sts", noon(), false);
    let at = |minutes: i64, seconds: i64| {
        verify(&message, "sts", noon() + SignedDuration::from_secs(minutes * 60 + seconds))
    };
    for (minutes, seconds) in [(0, 0), (15, 0), (-15, 0)] {
        assert!(at(minutes, seconds).is_ok(), "{minutes}:{seconds}");
    }
    for (minutes, seconds) in [(15, 1), (-15, -1), (60 * 24 * 365, 0)] {
        assert!(matches!(at(minutes, seconds), Err(SignatureError::Expired(_))), "{minutes}:{seconds}");
    }
}

#[test]
fn presigned_request_expires() {
    let message = sign_with_crate(plain(), "sts", noon(), true);
    let at = |seconds| verify(&message, "sts", noon() + SignedDuration::from_secs(seconds));
    assert!(at(900).is_ok() && at(-900).is_ok());
    assert!(matches!(at(901), Err(SignatureError::Expired(_))));
    assert!(matches!(at(-901), Err(SignatureError::Expired(_))));
    let uri = message.uri().to_string();
    for expires in ["604801", "0", "-1", "x", ""] {
        let mut changed = message.clone();
        *changed.uri_mut() =
            uri.replace("X-Amz-Expires=900", &format!("X-Amz-Expires={expires}")).parse().unwrap();
        assert!(
            matches!(SignatureParts::from_request(&changed), Err(SignatureError::Incomplete(_))),
            "{expires}"
        );
    }
    let mut longer = message.clone();
    *longer.uri_mut() = uri.replace("X-Amz-Expires=900", "X-Amz-Expires=901").parse().unwrap();
    assert_eq!(verify(&longer, "sts", noon()), Err(SignatureError::Mismatch));
}

fn without(message: &HttpRequest, name: &str) -> HttpRequest {
    let mut message = message.clone();
    message.headers_mut().remove(name).unwrap();
    message
}

fn with(message: &HttpRequest, name: &'static str, value: &str) -> HttpRequest {
    let mut message = message.clone();
    message.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
    message
}

#[test]
fn wrong_credential_scope_is_rejected() {
    let message = sign_with_crate(plain(), "sts", noon(), false);
    assert!(matches!(verify(&message, "iam", noon()), Err(SignatureError::WrongScope(_))));
    let header = message.headers()["authorization"].to_str().unwrap().to_owned();
    for (from, to) in [
        ("/sts/", "/iam/"),
        ("eu-central-1", "eu-central-2"),
        ("/20260131/", "/20260130/"),
        ("aws4_request", "aws5_request"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLF"),
        ("AKIAIOSFODNN7EXAMPLE", ""),
        ("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA512"),
        ("Signature=", "Signatur="),
        ("SignedHeaders=", "Signature="),
        ("host;", ""),
        ("host;", "host;host;"),
    ] {
        assert!(header.contains(from), "{header}");
        let changed = with(&message, "authorization", &header.replace(from, to));
        let service = if from == "/sts/" { "iam" } else { "sts" };
        assert!(verify(&changed, service, noon()).is_err(), "{from} {to}");
    }
    // A key can be derived for any date, so the date of the scope must be exactly the day of the signature.
    for date in ["", "2", "2026", "2026013", "20260131T", "20260131T120000Z"] {
        let changed = header.replace("/20260131/", &format!("/{date}/"));
        let verified = verify(&with(&message, "authorization", &changed), "sts", noon());
        assert!(matches!(verified, Err(SignatureError::WrongScope(_))), "{date}: {verified:?}");
    }
}

#[test]
fn host_and_x_amz_headers_must_be_signed() {
    let message = sign_with_crate(plain(), "logs", noon(), false);
    assert!(verify(&message, "logs", noon()).is_ok());
    let targeted = with(&message, "x-amz-target", "Logs_20140328.DeleteLogGroup");
    assert!(matches!(verify(&targeted, "logs", noon()), Err(SignatureError::WrongScope(_))));
    assert!(verify(&without(&message, "host"), "logs", noon()).is_err());
    assert!(matches!(
        verify(&without(&message, "x-amz-date"), "logs", noon()),
        Err(SignatureError::Incomplete(_))
    ));
    assert_eq!(verify(&without(&message, "authorization"), "logs", noon()), Err(SignatureError::Missing));
    // Headers added by proxies need not be signed.
    assert!(verify(&with(&message, "user-agent", "x"), "logs", noon()).is_ok());
    let mut twice = message.clone();
    twice.headers_mut().append("authorization", message.headers()["authorization"].clone());
    assert!(matches!(verify(&twice, "logs", noon()), Err(SignatureError::Incomplete(_))));
}

#[test]
fn host_in_the_uri_is_accepted() {
    let message = sign_with_crate(plain(), "logs", noon(), false);
    let mut newer = without(&message, "host");
    *newer.uri_mut() = "https://x.test/".parse().unwrap();
    assert!(verify(&newer, "logs", noon()).is_ok());
    *newer.uri_mut() = "https://y.test/".parse().unwrap();
    assert_eq!(verify(&newer, "logs", noon()), Err(SignatureError::Mismatch));
    let mut both = message.clone();
    *both.uri_mut() = "https://x.test/".parse().unwrap();
    assert!(verify(&both, "logs", noon()).is_ok());
    *both.uri_mut() = "https://y.test/".parse().unwrap();
    assert_eq!(verify(&both, "logs", noon()), Err(SignatureError::Mismatch));
}

#[test]
fn unsigned_payload_is_accepted_for_s3_only_and_a_wrong_hash_is_not() {
    for service in ["logs", "ec2", "sts"] {
        let message = with(&plain(), "x-amz-content-sha256", "UNSIGNED-PAYLOAD");
        let message = sign_with_crate(message, service, noon(), false);
        assert_eq!(verify(&message, service, noon()), Err(SignatureError::Mismatch), "{service}");
    }
    let message = with(&plain(), "x-amz-content-sha256", "UNSIGNED-PAYLOAD");
    let mut message = sign_with_crate(message, "s3", noon(), false);
    *message.body_mut() = Bytes::from_static(b"another body");
    assert!(verify(&message, "s3", noon()).is_ok());
    assert!(verify(&without(&message, "x-amz-content-sha256"), "s3", noon()).is_err());
    let streamed = with(&message, "x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
    assert!(verify(&streamed, "s3", noon()).is_err());
    let unsigned = sign_with_crate(with(&plain(), "x-amz-content-sha256", "0000"), "logs", noon(), false);
    assert_eq!(verify(&unsigned, "logs", noon()), Err(SignatureError::Mismatch));
}

#[test]
fn head_is_checked_without_the_body() {
    let message = sign_with_crate(plain(), "logs", noon(), false);
    let mut head = message.clone();
    *head.body_mut() = Bytes::new();
    let parts = SignatureParts::from_request(&head).unwrap();
    let check = |head: &HttpRequest, service: &str, now: Timestamp| {
        let find = || KnownKeys.find_key(&parts.access_key_id).ok_or(SignatureError::UnknownKey);
        nephos_wire::sigv4::check_head(head, &parts, service, now, find).map(|key| key.account)
    };
    assert_eq!(check(&head, "logs", noon()), Ok("123456789012".into()));
    assert!(matches!(check(&head, "ec2", noon()), Err(SignatureError::WrongScope(_))));
    let late = noon() + SignedDuration::from_secs(901);
    assert!(matches!(check(&head, "logs", late), Err(SignatureError::Expired(_))));
    let added = with(&head, "x-amz-target", "Logs_20140328.DeleteLogGroup");
    assert!(matches!(check(&added, "logs", noon()), Err(SignatureError::WrongScope(_))));
    assert_eq!(verify(&head, "logs", noon()), Err(SignatureError::Mismatch));
}

#[test]
fn session_token_must_match() {
    let message = fixtures().into_iter().find(|signed| signed.name == "token").unwrap().message;
    assert!(verify(&message, "sts", noon()).is_ok());
    let other = with(&message, "x-amz-security-token", "other");
    assert_eq!(verify(&other, "sts", noon()), Err(SignatureError::UnknownKey));
    assert_eq!(
        verify(&without(&message, "x-amz-security-token"), "sts", noon()),
        Err(SignatureError::UnknownKey)
    );
    let parts = SignatureParts::from_request(&message).unwrap();
    assert!(!format!("{parts:?}").contains(TOKEN));
    assert!(!format!("{:?}", KnownKeys.find_key(&parts.access_key_id)).contains("session/secret"));
}

#[test]
fn signing_key_cache_is_bounded_and_follows_the_secret() {
    let verifier = Verifier::new(KnownKeys);
    for day in 0..300 {
        let at = noon() + SignedDuration::from_hours(24 * day);
        let message = sign_with_crate(plain(), "sts", at, false);
        let parts = SignatureParts::from_request(&message).unwrap();
        for _ in 0..2 {
            assert!(verifier.verify(&message, &parts, "sts", at).is_ok());
        }
        let mut wrong = parts.clone();
        wrong.scope.region = "us-none-1".into();
        assert_eq!(verifier.verify(&message, &wrong, "sts", at), Err(SignatureError::Mismatch));
    }
    assert_eq!(verifier.cached_keys(), 256);

    struct Rotating(std::sync::Mutex<&'static str>);
    impl Keys for Rotating {
        fn find_key(&self, _: &str) -> Option<Key> {
            let secret = Secret::from(*self.0.lock().unwrap());
            Some(Key { secret, session_token: None, account: Text::default() })
        }
    }
    static KEYS: Rotating = Rotating(std::sync::Mutex::new(SECRET));
    struct Shared;
    impl Keys for Shared {
        fn find_key(&self, id: &str) -> Option<Key> {
            KEYS.find_key(id)
        }
    }
    let verifier = Verifier::new(Shared);
    let message = sign_with_crate(plain(), "sts", noon(), false);
    let parts = SignatureParts::from_request(&message).unwrap();
    assert!(verifier.verify(&message, &parts, "sts", noon()).is_ok());
    *KEYS.0.lock().unwrap() = "another";
    assert_eq!(verifier.verify(&message, &parts, "sts", noon()), Err(SignatureError::Mismatch));
}

#[test]
fn each_protocol_has_its_own_error_codes() {
    let json = Protocol::AwsJson { target: "", version: "1.1", message: "message" };
    let (query, ec2) = (Protocol::AwsQuery { namespace: "" }, Protocol::Ec2Query { namespace: "" });
    let codes = |refused: SignatureError| {
        [json, Protocol::RestJson, query, ec2].map(|protocol| {
            let error = refused.clone().into_error(protocol);
            format!("{} {}", error.code(), error.status())
        })
    };
    assert_eq!(
        codes(SignatureError::Missing),
        [
            "MissingAuthenticationTokenException 400",
            "MissingAuthenticationTokenException 403",
            "MissingAuthenticationToken 403",
            "MissingAuthenticationToken 403",
        ]
    );
    assert_eq!(
        codes(SignatureError::Incomplete("x".into())),
        [
            "IncompleteSignatureException 400",
            "IncompleteSignatureException 403",
            "IncompleteSignature 400",
            "IncompleteSignature 400",
        ]
    );
    assert_eq!(
        codes(SignatureError::UnknownKey),
        [
            "UnrecognizedClientException 400",
            "UnrecognizedClientException 403",
            "InvalidClientTokenId 403",
            "AuthFailure 401",
        ]
    );
    let mismatch = [
        "InvalidSignatureException 400",
        "InvalidSignatureException 403",
        "SignatureDoesNotMatch 403",
        "AuthFailure 401",
    ];
    assert_eq!(codes(SignatureError::Mismatch), mismatch);
    assert_eq!(codes(SignatureError::WrongScope("x".into())), mismatch);
    assert_eq!(
        codes(SignatureError::Expired("x".into())),
        [
            "InvalidSignatureException 400",
            "InvalidSignatureException 403",
            "SignatureDoesNotMatch 403",
            "RequestExpired 400",
        ]
    );
}
