//! Requests to the control endpoint of a nephos server.

use super::{Remote, client::SigningScope};
use crate::AllServices;
use nephos_cloud::ServiceSet;
use nephos_core::{
    Error, ErrorKind, Result, Session, Value,
    json::{self, Writing},
};

impl Remote {
    /// Sends a request to the control endpoint, and returns the body of the answer.
    pub(super) async fn control(
        &self,
        session: &Session,
        method: &'static str,
        path: &str,
        body: Value,
    ) -> Result<Value> {
        let missing = || Error::new(ErrorKind::Unsupported, "AWS has no control endpoint");
        let address = self.endpoint.as_ref().ok_or_else(missing)?.trim_end_matches('/').to_owned();
        let text =
            if body == Value::Null { String::new() } else { json::write(body.view(), Writing::EXPOSED) };
        let mut message = nephos_wire::HttpRequest::new(text.into());
        *message.method_mut() = method.parse().unwrap_or_default();
        *message.uri_mut() = format!("/_nephos/{path}")
            .parse()
            .map_err(|_| Error::invalid("path", format!("{path:?} is not a path of the control endpoint")))?;
        let credentials = self.credentials(session).await?;
        let signing = SigningScope { service: "nephos", region: session.region() };
        let response = self.client.send(Some(&credentials), signing, &address, &message).await?;
        let foreign =
            || Error::new(ErrorKind::Unsupported, format!("{address} has no control endpoint of nephos"));
        let answer = json::parse(response.body()).map_err(|_| foreign())?;
        if response.status().is_success() {
            return Ok(answer);
        }
        let text = |name: &str| match &answer {
            Value::Map(fields) => fields.get(name).and_then(Value::as_text).unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        if text("Code").is_empty() {
            return Err(foreign());
        }
        let kind = match response.status().as_u16() {
            _ if let Some(kind) = known_kind(path, &text("Code"), &text("Message")) => kind,
            404 => ErrorKind::NotFound,
            409 => ErrorKind::Conflict,
            401 | 403 => ErrorKind::Denied,
            400..=499 => ErrorKind::Invalid,
            _ => ErrorKind::Internal,
        };
        Err(Error::new(kind, text("Message")).with_wire_code(text("Code"), response.status().as_u16()))
    }
}

/// Returns the kind of an error of the service that has a test control.
fn known_kind(control: &str, code: &str, message: &str) -> Option<ErrorKind> {
    let mut services = AllServices::SERVICES.iter();
    let service = services.find(|service| service.controls.iter().any(|known| known.name == control))?;
    service.shape.find_code(code, message).map(|known| known.kind)
}
