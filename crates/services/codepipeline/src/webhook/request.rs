//! Requests of third parties to the addresses of webhooks.

use super::{WebhookAuthenticationType, WebhookDefinition, WebhookRow, filter, find_row};
use crate::{
    execution::{ExecutionTrigger, NewExecution, TriggerType, resolve_variables, start},
    pipeline::{self, PipelineDeclaration},
};
use hmac::{Hmac, KeyInit, Mac};
use nephos_cloud::{
    Caller, FrontAnswer, FrontReply, FrontRequest, HttpFront, Kernel, RequestSource, Scope, Stored, Tx,
    WholeBody,
};
use nephos_core::{Error, ErrorKind, Result, Text, Value, hex, json, shape::Effect};
use sha1::Sha1;
use std::net::IpAddr;

/// Paths of webhooks.
pub(crate) const FRONT: HttpFront = HttpFront { prefix: "/trigger", answer, refuse: to_reply };

/// Maximum size of a body, in bytes.
const MAX_BODY: usize = 1 << 20;
/// Header with the signature of the body.
const SIGNATURE: &str = "x-hub-signature";

fn answer(cloud: &Kernel, request: FrontRequest) -> FrontAnswer {
    let cloud = cloud.clone();
    FrontAnswer::Whole(WholeBody {
        max_bytes: MAX_BODY,
        answer: Box::new(move |body| match body.and_then(|body| start_pipeline(&cloud, &request, body)) {
            Ok(()) => FrontReply::new(200),
            Err(error) => to_reply(&error),
        }),
    })
}

fn to_reply(error: &Error) -> FrontReply {
    let status = match error.kind() {
        ErrorKind::Denied => 403,
        ErrorKind::NotFound => 404,
        ErrorKind::Internal | ErrorKind::Corrupt => 500,
        _ => 400,
    };
    FrontReply::new(status)
        .header("Content-Type", "text/plain; charset=utf-8")
        .bytes(error.message().to_owned())
}

/// Starts the pipeline of the webhook in the address.
fn start_pipeline(cloud: &Kernel, request: &FrontRequest, body: &[u8]) -> Result<()> {
    let unknown = || Error::new(ErrorKind::NotFound, "no webhook has this address");
    let token = request.parameter("t").filter(|_| request.method == "POST").ok_or_else(unknown)?;
    let [account, region, secret, name] = split_token(&token).ok_or_else(unknown)?;
    let scope = Scope::parse(&account, &region).map_err(|_| unknown())?;
    let body = body.to_vec();
    let source = RequestSource::new(Caller::root(scope.account()), scope.region());
    let address = request.address;
    let signature = request.header(SIGNATURE).map(Text::from);
    cloud.run_request(source, Effect::Write, move |cx| {
        let row = find_row(cx, &name)?.filter(|row| row.url_token.as_ref() == Some(&secret));
        let row = row.ok_or_else(unknown)?;
        row.authenticate(cx, address, signature.as_deref(), &body)?;
        row.run(cx, &body)
    })
}

/// Returns account, Region, secret and name of the webhook in the token of an address.
fn split_token(token: &str) -> Option<[Text; 4]> {
    let parts: Vec<_> = token.splitn(4, '.').map(Text::from).collect();
    parts.try_into().ok()
}

impl WebhookRow {
    /// Token in the address: the place of the webhook, and its secret.
    pub(super) fn address_token(&self, scope: &Scope) -> String {
        let secret = self.url_token.as_deref().unwrap_or_default();
        let name = self.name.as_deref().unwrap_or_default();
        format!("{}.{}.{secret}.{name}", scope.account(), scope.region())
    }

    /// Refuses requests without the signature, or from another address, that the webhook demands.
    fn authenticate(&self, cx: &Tx<'_>, address: IpAddr, signature: Option<&str>, body: &[u8]) -> Result<()> {
        let definition = self.definition.as_ref();
        let is_allowed = match definition.and_then(|definition| definition.authentication.as_ref()) {
            Some(WebhookAuthenticationType::GithubHmac) => self.is_signed(cx, signature, body)?,
            Some(WebhookAuthenticationType::Ip) => {
                let settings =
                    definition.and_then(|definition| definition.authentication_configuration.as_ref());
                let range = settings.and_then(|settings| settings.allowed_ip_range.as_deref());
                range.is_some_and(|range| is_in_range(address, range))
            }
            _ => true,
        };
        if !is_allowed {
            return Err(Error::new(ErrorKind::Denied, "the request is not authenticated"));
        }
        Ok(())
    }

    /// True if the signature is the one of the body with the secret of the webhook.
    fn is_signed(&self, cx: &Tx<'_>, signature: Option<&str>, body: &[u8]) -> Result<bool> {
        let given = signature.and_then(|signature| signature.strip_prefix("sha1=")).and_then(hex::decode);
        let (Some(given), Some(sealed)) = (given, &self.secret_token) else { return Ok(false) };
        let secret = cx.open(&[Self::TABLE, self.name.as_deref().unwrap_or_default()], sealed)?;
        let mut expected = Hmac::<Sha1>::new_from_slice(&secret).expect("HMAC accepts keys of any length");
        expected.update(body);
        Ok(expected.verify_slice(&given).is_ok())
    }

    /// Starts the pipeline, if the body matches all filters.
    fn run(mut self, cx: &mut Tx<'_>, body: &[u8]) -> Result<()> {
        let Some(definition) = self.definition.clone() else { return Ok(()) };
        let target = definition.target_pipeline.as_deref().unwrap_or_default();
        let pipeline = pipeline::require_declaration(cx, target, "name")?;
        if !matches_filters(&definition, &pipeline, body) {
            return Err(Error::new(
                ErrorKind::Invalid,
                "the request does not match the filters of the webhook",
            ));
        }
        let trigger = ExecutionTrigger {
            trigger_type: Some(TriggerType::Webhook),
            trigger_detail: Some(self.arn(cx.scope())),
        };
        let variables = resolve_variables(&pipeline, &[])?;
        start(cx, &pipeline, NewExecution { trigger, variables, revision_overrides: Vec::new() })?;
        self.last_triggered = Some(cx.now());
        cx.put(self)
    }
}

/// True if a body has the values that all filters require.
fn matches_filters(definition: &WebhookDefinition, pipeline: &PipelineDeclaration, body: &[u8]) -> bool {
    let Ok(body) = json::parse(body) else { return false };
    let mut actions = pipeline.all_actions();
    let action = actions.find(|action| action.name == definition.target_action);
    let is_match = |path: &str, wanted: Option<&str>| {
        let Some(found) = filter::find_value(&body, path) else { return false };
        let Some(wanted) = wanted else { return *found != Value::Null };
        let wanted = filter::fill_properties(wanted, action.and_then(|action| action.configuration.as_ref()));
        filter::to_text(found) == wanted
    };
    let mut filters = definition.filters.iter().flatten();
    filters.all(|one| is_match(one.json_path.as_deref().unwrap_or_default(), one.match_equals.as_deref()))
}

/// True if an address is in a range such as `192.0.2.0/24`.
fn is_in_range(address: IpAddr, range: &str) -> bool {
    let Some((start, bits)) = range.split_once('/') else { return false };
    let (Ok(start), Ok(bits)) = (start.parse::<IpAddr>(), bits.parse::<u32>()) else { return false };
    match (address.to_canonical(), start) {
        (IpAddr::V4(address), IpAddr::V4(start)) => {
            let ignored = 32_u32.saturating_sub(bits);
            u64::from(address.to_bits()) >> ignored == u64::from(start.to_bits()) >> ignored
        }
        (IpAddr::V6(address), IpAddr::V6(start)) => {
            let ignored = 128_u32.saturating_sub(bits);
            let cut = |bits: u128| bits.checked_shr(ignored).unwrap_or_default();
            cut(address.to_bits()) == cut(start.to_bits())
        }
        _ => false,
    }
}
