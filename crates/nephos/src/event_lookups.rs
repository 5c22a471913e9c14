//! Lookups of typed events: the resources and requests that an event is about.

#[cfg(feature = "elbv2")]
use crate::{LoadBalancer, QueryFuture};
use crate::{
    REGISTRY, Result,
    services::events::typed::{EventDetail, ParsedRequest, TypedEvent},
};

/// Lookups of a [`TypedEvent`].
///
/// ```
/// use nephos::{EventLookups, services::events::typed::TypedEvent};
///
/// let event = TypedEvent::parse(
///     r#"{"source": "aws.logs", "detail-type": "AWS API Call via CloudTrail", "detail": {
///         "eventVersion": "1.11", "eventTime": "2026-01-31T12:00:00Z", "eventSource": "logs.amazonaws.com",
///         "eventName": "CreateLogGroup", "awsRegion": "us-east-1", "requestParameters": {"logGroupName": "/web"}}}"#,
/// )?;
/// let request = event.parsed_request(true)?.expect("an API call");
/// assert_eq!(request.get("logGroupName")?, "/web".into());
/// # Ok::<(), nephos::Error>(())
/// ```
pub trait EventLookups {
    /// Returns the parameters of an API call by the shape of its operation; `None` for other events. If `strict` is true,
    /// parameters that the operation does not accept are an error; else they are a map.
    fn parsed_request(&self, strict: bool) -> Result<Option<ParsedRequest>>;

    /// Finds the load balancer that a call of its service was about, through the session of the event; `None` if the event has no
    /// session, is not about a load balancer, or the load balancer does not exist any more.
    #[cfg(feature = "elbv2")]
    fn load_balancer(&self) -> QueryFuture<'static, Option<LoadBalancer>>;
}

impl EventLookups for TypedEvent {
    fn parsed_request(&self, strict: bool) -> Result<Option<ParsedRequest>> {
        match self.detail() {
            EventDetail::ApiCall(call) => call.parsed_request(&REGISTRY, strict).map(Some),
            _ => Ok(None),
        }
    }

    #[cfg(feature = "elbv2")]
    fn load_balancer(&self) -> QueryFuture<'static, Option<LoadBalancer>> {
        let (session, arn) = (self.session(), self.load_balancer_arn().map(str::to_owned));
        QueryFuture::new(async move {
            match (session, arn) {
                (Some(session), Some(arn)) => {
                    LoadBalancer::objects(&session).get().load_balancer_arn(arn).await
                }
                _ => Ok(None),
            }
        })
    }
}
