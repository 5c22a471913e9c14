//! The manager of listeners.

use super::{
    CreateListener, DeleteListener, DescribeListeners, Listener, ListenerManager, ModifyListener,
    MutualAuthentication,
};
use crate as elbv2;
use crate::{Certificate, none_if_missing, tagging};
use nephos_core::{Listing, Page, PageRequest, Resource, Result, Steppable, Steps, Tag, Text, operation};

impl Listener {
    /// The certificates as they are sent: without what only the service says of them.
    fn sent_certificates(&self) -> Option<Vec<Certificate>> {
        self.certificates.as_ref().map(|list| list.iter().map(Certificate::sent).collect())
    }

    /// The same of the certificates of clients.
    fn sent_authentication(&self) -> Option<MutualAuthentication> {
        let authentication = self.mutual_authentication.clone()?;
        Some(MutualAuthentication { trust_store_association_status: None, ..authentication })
    }
}

/// Creates a listener, with its tags.
#[operation(kind = Listener, call = "create", effect = write, output = Vec<Listener>)]
pub struct Create {
    /// The listener.
    #[field(model, name = "model")]
    pub model: Listener,
    /// Its tags; they win over those of the model, key by key.
    pub tags: Option<Vec<Tag>>,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Vec<Listener>> {
        let listener = &self.model;
        let tags = tagging::merged(listener.tags.as_deref(), self.tags.as_deref());
        let (balancer, actions) = (listener.load_balancer_arn.clone(), listener.default_actions.clone());
        let create = CreateListener::new(balancer.unwrap_or_default(), actions.unwrap_or_default())
            .protocol(listener.protocol.clone())
            .port(listener.port)
            .ssl_policy(listener.ssl_policy.clone())
            .certificates(listener.sent_certificates())
            .alpn_policy(listener.alpn_policy.clone())
            .mutual_authentication(listener.sent_authentication())
            .tags(tags.clone());
        let made = steps.call(create).await?.listeners.unwrap_or_default();
        Ok(made.into_iter().map(|made| Listener { tags: tags.clone(), ..made }).collect())
    }
}

/// A listener, if there is one.
#[operation(kind = Listener, call = "get", effect = read, output = Option<Listener>)]
pub struct Get {
    /// Its resource name.
    pub listener_arn: Text,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<Listener>> {
        let describe = DescribeListeners::new().listener_arns([self.listener_arn.clone()]);
        let Some(found) = none_if_missing(steps.call(describe).await)? else { return Ok(None) };
        let Some(mut listener) = found.listeners.unwrap_or_default().into_iter().next() else {
            return Ok(None);
        };
        listener.tags = tagging::of(steps, &self.listener_arn).await?;
        Ok(Some(listener))
    }
}

/// The listeners of a balancer, in order of their ports, or those that are asked for.
#[operation(kind = Listener, call = "list", effect = read, output = Page<Listener>, pages)]
pub struct List {
    /// The balancer they belong to.
    pub load_balancer_arn: Option<Text>,
    /// Only these.
    pub listener_arns: Option<Vec<Text>>,
    /// How many to fetch at a time; 400 if not said.
    #[field(page_size, range(1..=400))]
    pub limit: Option<i64>,
}

impl Listing for List {
    type Model = Listener;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<Listener>> {
        let (balancer, listeners) = (self.load_balancer_arn.is_some(), self.listener_arns.is_some());
        elbv2::exactly_one("LoadBalancerArn", balancer, "ListenerArns", listeners)?;
        if elbv2::any_empty([&self.listener_arns]) {
            return Ok(Page::default());
        }
        let describe = DescribeListeners::new()
            .load_balancer_arn(self.load_balancer_arn.clone())
            .listener_arns(self.listener_arns.clone())
            .page_size(self.limit)
            .marker(request.token.clone());
        let found = steps.call(describe).await?;
        Ok(Page { items: found.listeners.unwrap_or_default(), next_token: found.next_marker })
    }
}

/// Changes a listener: what differs from what the model was read with. Lists are put in place of those that are there.
#[operation(kind = Listener, call = "update", effect = write, output = Vec<Listener>)]
pub struct Update {
    /// The listener.
    #[field(model, name = "model")]
    pub model: Listener,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<Vec<Listener>> {
        let (listener, changed) = (&self.model, self.model.changed());
        listener.check_changes()?;
        let arn = elbv2::marked(&listener.listener_arn, "ListenerArn")?;
        let has = |field: &str| changed.contains(&field);
        let modify = ModifyListener::new(arn.clone())
            .port(listener.port.filter(|_| has("Port")))
            .protocol(listener.protocol.clone().filter(|_| has("Protocol")))
            .ssl_policy(listener.ssl_policy.clone().filter(|_| has("SslPolicy")))
            .certificates(listener.sent_certificates().filter(|_| has("Certificates")))
            .default_actions(listener.default_actions.clone().filter(|_| has("DefaultActions")))
            .alpn_policy(listener.alpn_policy.clone().filter(|_| has("AlpnPolicy")))
            .mutual_authentication(listener.sent_authentication().filter(|_| has("MutualAuthentication")));
        let made = steps.call(modify).await?.listeners.unwrap_or_default();
        tagging::retag(steps, &arn, listener).await?;
        let tags = tagging::of(steps, &arn).await?;
        Ok(made.into_iter().map(|made| Listener { tags: tags.clone(), ..made }).collect())
    }
}

/// Deletes a listener, with its rules.
#[operation(kind = Listener, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// Its resource name.
    pub listener_arn: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteListener::new(self.listener_arn.clone())).await?;
        Ok(())
    }
}
