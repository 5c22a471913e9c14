//! Targets of event rules inside the cloud. A service lists the resources of its own that receive events, so that the service with
//! the rules does not know it.

use crate::{Scope, Service, Tx};
use nephos_core::{Arn, Result, Text};
use std::fmt;

/// An event on its way to a target.
#[derive(Clone, Copy, Debug)]
pub struct TargetEvent<'e> {
    /// ARN of the target.
    pub arn: &'e str,
    /// Last section of the ARN, without the start that the service lists.
    pub resource: &'e str,
    /// Name of the rule that selected the event.
    pub rule: &'e str,
    /// Input that the rule makes from the event: JSON, as text.
    pub input: &'e Text,
}

/// Gives an event to a resource, in the account and Region of its ARN, as the root of the account. The kind of the error decides on
/// further attempts: after `NotFound`, `Denied` and `Invalid` there are none.
pub type PutToTarget = fn(&mut Tx<'_>, &TargetEvent<'_>) -> Result<()>;

/// Resources of a service that are targets of event rules.
#[derive(Clone, Copy)]
pub struct EventTargetEntry {
    resource: &'static str,
    put: PutToTarget,
}

impl EventTargetEntry {
    /// Creates the entry of the resources whose ARNs have a last section that begins with `resource`.
    pub const fn new(resource: &'static str, put: PutToTarget) -> Self {
        Self { resource, put }
    }
}

impl fmt::Debug for EventTargetEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.resource)
    }
}

/// Finds the service of a target, and the function that takes its events.
fn find<'a>(
    services: &[&'static Service],
    service: &str,
    resource: &'a str,
) -> Option<(&'static Service, PutToTarget, &'a str)> {
    let service = services.iter().copied().find(|known| known.shape.name == service)?;
    service.event_targets.iter().find_map(|entry| {
        let rest = resource.strip_prefix(entry.resource)?;
        Some((service, entry.put, rest))
    })
}

impl Tx<'_> {
    /// Gives the input of a rule to the target with this ARN; false if no service of this cloud has such targets.
    ///
    /// # Errors
    ///
    /// Errors of the target.
    pub fn put_to_event_target(&mut self, arn: &str, rule: &str, input: &Text) -> Result<bool> {
        let Some([_, service, region, account, resource]) = Arn::parts(arn) else { return Ok(false) };
        let Some((service, put, resource)) = find(self.services, service, resource) else { return Ok(false) };
        let event = TargetEvent { arn, resource, rule, input };
        let scope = Scope::new(account, region);
        self.in_scope(&scope, |cx| cx.as_service(service, |cx| put(cx, &event)))?;
        Ok(true)
    }
}
