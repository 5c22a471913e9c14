//! Who calls: what a request's signature says, whether or not it is checked.

use nephos::{DEFAULT_ACCOUNT, DEFAULT_REGION};
use nephos_wire::HttpRequest;

/// The caller that a request's signature names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The public part of the credentials.
    pub access_key_id: Option<String>,
    /// The Region it is signed for.
    pub region: Option<String>,
    /// The service it is signed for.
    pub service: Option<String>,
}

impl Caller {
    /// The caller of `message`: from its `Authorization` header or, presigned, from its address.
    pub fn of(message: &HttpRequest) -> Self {
        let header = message.headers().get(http::header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let from_header = header.and_then(|value| {
            let (_, rest) = value.split_once("Credential=")?;
            rest.split([',', ' ']).next()
        });
        let from_query = || {
            let query = message.uri().query()?;
            query.split('&').find_map(|pair| pair.strip_prefix("X-Amz-Credential="))
        };
        let credential = from_header.or_else(from_query).unwrap_or_default().replace("%2F", "/");
        // The access key may hold slashes; what follows it does not.
        let mut parts = credential.rsplitn(5, '/');
        let (_, service, region) = (parts.next(), parts.next(), parts.next());
        let (_, access_key_id) = (parts.next(), parts.next());
        let given = |part: Option<&str>| part.filter(|part| !part.is_empty()).map(str::to_owned);
        Self { access_key_id: given(access_key_id), region: given(region), service: given(service) }
    }

    /// The account that acts: an access key of twelve digits is the account itself.
    pub fn account(&self) -> &str {
        let is_account = |key: &&str| key.len() == 12 && key.bytes().all(|byte| byte.is_ascii_digit());
        self.access_key_id.as_deref().filter(is_account).unwrap_or(DEFAULT_ACCOUNT)
    }

    /// The Region it acts in.
    pub fn region(&self) -> &str {
        self.region.as_deref().unwrap_or(DEFAULT_REGION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn caller(uri: &str, authorization: Option<&str>) -> Caller {
        let mut message = HttpRequest::new(Bytes::new());
        *message.uri_mut() = uri.parse().unwrap();
        if let Some(value) = authorization {
            message.headers_mut().insert(http::header::AUTHORIZATION, value.parse().unwrap());
        }
        Caller::of(&message)
    }

    #[test]
    fn the_signature_says_who_calls_and_where() {
        let signed = "AWS4-HMAC-SHA256 Credential=210987654321/20260101/eu-west-1/logs/aws4_request, SignedHeaders=host, Signature=0";
        let found = caller("/", Some(signed));
        assert_eq!((found.account(), found.region()), ("210987654321", "eu-west-1"));
        assert_eq!(found.service.as_deref(), Some("logs"));

        let presigned =
            "/?X-Amz-Credential=AKIA%2F20260101%2Fus-west-2%2Fschemas%2Faws4_request&X-Amz-Signature=0";
        let found = caller(presigned, None);
        assert_eq!((found.account(), found.region()), (DEFAULT_ACCOUNT, "us-west-2"));
        assert_eq!(found.access_key_id.as_deref(), Some("AKIA"));

        for odd in
            [None, Some(""), Some("Basic abc"), Some("AWS4-HMAC-SHA256 Credential="), Some("Credential=a/b")]
        {
            let found = caller("/", odd);
            assert_eq!((found.account(), found.region()), (DEFAULT_ACCOUNT, DEFAULT_REGION), "{odd:?}");
        }
    }
}
