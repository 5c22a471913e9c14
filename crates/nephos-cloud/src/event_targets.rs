//! Targets of event rules inside the cloud. A service lists the resources of its own that receive events, so that the service with
//! the rules does not know it.

use crate::{Scope, Service, Tx};
use nephos_core::{Arn, Error, ErrorKind, Result, Text};
use std::fmt;

/// Names that policies of resources have for the service with the rules.
const PRINCIPALS: &[&str] = &["events.amazonaws.com", "delivery.logs.amazonaws.com"];

/// An event on its way to a target.
#[derive(Clone, Copy, Debug)]
pub struct TargetEvent<'e> {
    /// ARN of the target.
    pub arn: &'e str,
    /// Name of the rule that selected the event.
    pub rule: &'e str,
    /// ARN of the role with which the rule calls the target.
    pub role: Option<&'e str>,
    /// Input that the rule makes from the event: JSON, as text.
    pub input: &'e Text,
}

/// Gives an event to a resource, as the root of its account. The resource is named by the last section of its ARN, without the start
/// that the service lists. The kind of the error decides on further attempts: after `NotFound`, `Denied` and `Invalid` there are none.
pub type PutToTarget = fn(&mut Tx<'_>, resource: &str, event: &TargetEvent<'_>) -> Result<()>;

/// Resources of a service that are targets of event rules.
#[derive(Clone, Copy)]
pub struct EventTargetEntry {
    resource: &'static str,
    action: Option<&'static str>,
    put: PutToTarget,
}

impl EventTargetEntry {
    /// Creates the entry of the resources whose ARNs have a last section that begins with `resource`. `action` is the one that
    /// policies must allow, if they are enforced.
    pub const fn new(resource: &'static str, action: Option<&'static str>, put: PutToTarget) -> Self {
        Self { resource, action, put }
    }
}

impl fmt::Debug for EventTargetEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.resource)
    }
}

/// Finds the service of a target, its entry, and the name of the resource.
fn find<'a>(
    services: &[&'static Service],
    service: &str,
    resource: &'a str,
) -> Option<(&'static Service, &'static EventTargetEntry, &'a str)> {
    let service = services.iter().copied().find(|known| known.shape.name == service)?;
    service.event_targets.iter().find_map(|entry| {
        let rest = resource.strip_prefix(entry.resource)?;
        Some((service, entry, rest))
    })
}

impl Tx<'_> {
    /// Gives the input of a rule of this account and Region to a target; false if no service of this cloud has such targets.
    ///
    /// # Errors
    ///
    /// - `Denied`: the target is of another account or Region, or policies are enforced and allow it neither to the role of the rule
    ///   nor, without a role, to the service with the rules.
    /// - Errors of the target.
    pub fn put_to_event_target(&mut self, event: &TargetEvent<'_>) -> Result<bool> {
        let Some([_, service, region, account, resource]) = Arn::parts(event.arn) else { return Ok(false) };
        let Some((service, entry, resource)) = find(self.services, service, resource) else {
            return Ok(false);
        };
        if self.scope() != &Scope::new(account, region) {
            let message =
                format!("The target {} is not of the account and the Region of the rule.", event.arn);
            return Err(Error::new(ErrorKind::Denied, message));
        }
        if let Some(action) = entry.action {
            self.check_action_of_service(PRINCIPALS, event.role, service.shape, action, event.arn)?;
        }
        self.as_service(service, |cx| (entry.put)(cx, resource, event))?;
        Ok(true)
    }
}
