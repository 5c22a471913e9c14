//! The operations of the manager of discoverers.

use super::{
    CreateDiscoverer, DeleteDiscoverer, DescribeDiscoverer, Discoverer, DiscovererManager,
    DiscovererStateOutput, ListDiscoverers, StartDiscoverer, StopDiscoverer, UpdateDiscoverer,
};
use crate::{given, paging, tagging};
use nephos_core::{
    ErrorKind, Listing, Page, PageRequest, Resource, Result, Steppable, Steps, Text, operation,
};

/// Creates a discoverer, with its tags; it learns from then on.
#[operation(kind = Discoverer, call = "create", case = "snake", effect = write, output = Discoverer)]
pub struct Create {
    /// The discoverer.
    #[field(model)]
    pub model: Discoverer,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Discoverer> {
        let discoverer = &self.model;
        let create = CreateDiscoverer::new(given(&discoverer.source_arn, "SourceArn")?)
            .description(discoverer.description.clone())
            .cross_account(discoverer.cross_account)
            .tags(discoverer.tags.clone());
        steps.call(create).await
    }
}

/// A discoverer, if there is one.
#[operation(kind = Discoverer, call = "get", effect = read, output = Option<Discoverer>)]
pub struct Get {
    /// Its id.
    pub discoverer_id: Text,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<Discoverer>> {
        match steps.call(DescribeDiscoverer::new(self.discoverer_id.clone())).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            found => found.map(Some),
        }
    }
}

/// The discoverers, in ASCII order of their ids.
#[operation(kind = Discoverer, call = "list", effect = read, output = Page<Discoverer>, pages)]
pub struct List {
    /// Only those whose ids begin so.
    pub discoverer_id_prefix: Option<Text>,
    /// How many to fetch at a time; 100 if not said.
    #[field(page_size, range(1..))]
    pub limit: Option<i64>,
    /// Only those of event buses whose resource names begin so.
    pub source_arn_prefix: Option<Text>,
}

impl Listing for List {
    type Model = Discoverer;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<Discoverer>> {
        let narrowed = |field| paging::beginning(&request.filter, field);
        let list = ListDiscoverers::new()
            .discoverer_id_prefix(self.discoverer_id_prefix.clone().or_else(|| narrowed("DiscovererId")))
            .limit(self.limit)
            .source_arn_prefix(self.source_arn_prefix.clone().or_else(|| narrowed("SourceArn")))
            .next_token(request.token.clone());
        let found = steps.call(list).await?;
        Ok(Page { items: found.discoverers.unwrap_or_default(), next_token: found.next_token })
    }
}

/// Changes the description, the accounts and the tags of a discoverer: what differs from what the model was read with.
#[operation(kind = Discoverer, call = "update", case = "snake", effect = write, output = Discoverer)]
pub struct Update {
    /// The discoverer.
    #[field(model)]
    pub model: Discoverer,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<Discoverer> {
        let (model, changed) = (&self.model, self.model.changed());
        let id = given(&model.discoverer_id, "DiscovererId")?;
        model.check_changes()?;
        let current = steps.call(DescribeDiscoverer::new(id.clone())).await?;
        let description =
            changed.contains(&"Description").then(|| model.description.clone().unwrap_or_default());
        // What is taken away is as if it had never been said.
        let cross_account = changed.contains(&"CrossAccount").then(|| model.cross_account.unwrap_or(true));
        if description.is_some() || cross_account.is_some() {
            let update = UpdateDiscoverer::new(id.clone());
            steps.call(update.description(description).cross_account(cross_account)).await?;
        }
        tagging::retag(steps, &current.discoverer_arn, &current, model).await?;
        steps.call(DescribeDiscoverer::new(id)).await
    }
}

/// Deletes a discoverer. What it learnt stays.
#[operation(kind = Discoverer, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// Its id.
    pub discoverer_id: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteDiscoverer::new(self.discoverer_id.clone())).await?;
        Ok(())
    }
}

/// Lets a discoverer learn. One that does already goes on.
#[operation(kind = Discoverer, call = "start", effect = write, output = DiscovererStateOutput, instance)]
pub struct Start {
    /// Its id.
    pub discoverer_id: Text,
}

impl Steppable for Start {
    async fn run(&self, steps: &Steps) -> Result<DiscovererStateOutput> {
        steps.call(StartDiscoverer::new(self.discoverer_id.clone())).await
    }
}

/// Lets a discoverer rest. One that does already goes on resting.
#[operation(kind = Discoverer, call = "stop", effect = write, output = DiscovererStateOutput, instance)]
pub struct Stop {
    /// Its id.
    pub discoverer_id: Text,
}

impl Steppable for Stop {
    async fn run(&self, steps: &Steps) -> Result<DiscovererStateOutput> {
        steps.call(StopDiscoverer::new(self.discoverer_id.clone())).await
    }
}
