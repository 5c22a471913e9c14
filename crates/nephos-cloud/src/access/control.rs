//! Permissions for requests to the control endpoint of a server, which belong to no service.

use super::{LoggedDecision, Permissions, RequestSource, policies::CallerPolicies};
use crate::{AccessRequest, Kernel, Scope, Tx};
use nephos_core::{Error, ErrorKind, Result, Text, wait};
use std::sync::Arc;

/// Actions of the control endpoint that policies can allow.
pub(super) const ACTIONS: [&str; 3] = ["nephos:AdvanceClock", "nephos:Explain", "nephos:Fork"];

impl Kernel {
    /// Checks that the policies of a user or role allow an action of the control endpoint on a `resource` of its account: `cloud`, or
    /// `fork/NAME`. They decide in every mode. The decision is logged, unless permissions are off.
    ///
    /// # Errors
    ///
    /// `Denied` also for the root of an account, which no policy is about: it is not the operator of the server.
    pub fn check_control(&self, source: RequestSource, action: &'static str, resource: &str) -> Result<()> {
        let account = source.caller.account();
        let arn = Text::from(format!("arn:aws:nephos::{account}:{resource}"));
        let scope = Scope::new(account, &source.region);
        let (checked, afterwards) = self.read_in(scope, self.0.time.now(), |_, tx| {
            tx.caller = source.caller.clone();
            tx.source = Some(Arc::new(source));
            tx.check_control(action, arn)
        });
        wait(self.log_decisions(afterwards.decisions))?;
        checked
    }
}

impl Tx<'_> {
    fn check_control(&mut self, action: &'static str, resource: Text) -> Result<()> {
        let policies = CallerPolicies::of_caller(self)?;
        let mut asked = AccessRequest::new(self.caller.principal(), action, resource);
        asked.context = self.context(&self.caller, &policies);
        let decision = self.decide(&mut asked, &policies)?.decision;
        let is_refused = !decision.is_allowed || self.caller.identity().is_none();
        if self.permissions != Permissions::Off {
            let logged = LoggedDecision::new(self, &asked, &decision, is_refused);
            self.decisions.push(logged);
        }
        if !is_refused {
            return Ok(());
        }
        let text = if decision.is_allowed {
            "the root of an account is not the operator of the server: use a user or a role whose policy allows this, or the root key"
                .to_owned()
        } else {
            decision.refusal(&asked)
        };
        Err(Error::new(ErrorKind::Denied, text).with_wire_code("AccessDeniedException", 403))
    }
}
