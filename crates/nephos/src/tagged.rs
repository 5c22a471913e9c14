//! Models of all kinds by their tags.

use crate::{
    Arn, Error, ErrorKind, QueryFuture, REGISTRY, Resource, Result, Session, Text, Value,
    services::tagging::{GetResources, TagFilter},
    shape::{Effect, FieldShape, Identity, KindShape, Presence},
};
use nephos_core::{
    BoxFuture, Outcome, Ref, Workflow, WorkflowContext, dynamic,
    field_value::FieldValue,
    fill::Reader,
    record::{self, Fields},
};
use std::sync::Arc;

/// Lookups of models of all kinds by a tag, through the service that knows the tags of all resources.
///
/// ```
/// use nephos::{Cloud, EventBus, LogGroup, Tag, TaggedModels, prelude::*};
///
/// let session = Cloud::in_memory().session();
/// let tags = vec![Tag::new("team", "web")];
/// LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/web").tags(tags.clone()).build()?).wait()?;
/// EventBus::objects(&session).create(&EventBus::builder().name("web").tags(tags).build()?).wait()?;
/// let found = session.tagged("team", "web").wait()?;
/// let kinds: Vec<_> = found.iter().map(|model| model.kind().name).collect();
/// assert_eq!(kinds, ["EventBus", "LogGroup"]);
/// let group: LogGroup = found[1].to_model().expect("a log group");
/// assert_eq!(group.log_group_name(), Some("/web"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub trait TaggedModels {
    /// Returns the models of all kinds whose tag `key` has this value, in order of their ARNs. Resources of kinds that this build
    /// does not have are left out.
    fn tagged(&self, key: impl Into<Text>, value: impl Into<Text>) -> QueryFuture<'static, Vec<AnyModel>>;
}

impl TaggedModels for Session {
    fn tagged(&self, key: impl Into<Text>, value: impl Into<Text>) -> QueryFuture<'static, Vec<AnyModel>> {
        let (session, key, value) = (self.clone(), key.into(), value.into());
        QueryFuture::new(async move {
            let found = session.transport().run(&session, Arc::new(FindTagged { key, value })).await?;
            let arns = found.downcast::<Vec<Text>>().map_err(|_| wrong_answer())?;
            let mut models = Vec::new();
            for arn in *arns {
                models.extend(find_by_arn(&session, arn).await?);
            }
            Ok(models)
        })
    }
}

/// A model of any kind.
pub struct AnyModel {
    kind: &'static KindShape,
    arn: Text,
    model: Box<dyn FieldValue>,
}

impl AnyModel {
    /// Kind of the model.
    pub fn kind(&self) -> &'static KindShape {
        self.kind
    }

    /// ARN of the resource.
    pub fn arn(&self) -> &str {
        &self.arn
    }

    /// Returns the model with its type; none if it is of another kind.
    pub fn to_model<M: Resource>(&self) -> Option<M> {
        self.record()?.boxed_clone().into_value().and_then(|value| M::from_erased(Some(value)))
    }

    /// Returns the model without its type.
    pub fn record(&self) -> Option<&dyn Fields> {
        match self.model.view() {
            Ref::Record(record) => Some(record),
            _ => None,
        }
    }

    /// Returns the fields of the model.
    pub fn to_value(&self) -> Value {
        self.model.view().to_value()
    }
}

impl std::fmt::Debug for AnyModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ", self.kind.name)?;
        match self.record() {
            Some(record) => record::debug(record, f),
            None => f.write_str("None"),
        }
    }
}

/// Finds the ARNs of resources with a tag.
struct FindTagged {
    key: Text,
    value: Text,
}

impl Workflow for FindTagged {
    fn name(&self) -> &'static str {
        "tagged"
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let filter =
                TagFilter::builder().key(self.key.clone()).values(vec![self.value.clone()]).build()?;
            let mut query = GetResources::new().tag_filters(vec![filter]);
            let mut arns: Vec<Text> = Vec::new();
            loop {
                let page = context.call(query.clone()).await?;
                let found = page.resource_tag_mapping_list().unwrap_or_default().iter();
                arns.extend(found.filter_map(|mapping| mapping.resource_arn().map(Text::new)));
                query.pagination_token =
                    page.pagination_token().filter(|token| !token.is_empty()).map(Text::new);
                if query.pagination_token.is_none() {
                    return Ok(Box::new(arns) as Outcome);
                }
            }
        })
    }
}

fn wrong_answer() -> Error {
    Error::new(ErrorKind::Internal, "the answer has another type")
}

/// Returns the model of the resource with this ARN; none if no kind here has such ARNs, or it was deleted since.
async fn find_by_arn(session: &Session, arn: Text) -> Result<Option<AnyModel>> {
    let Some([_, service, _, _, resource]) = Arn::parts(&arn) else { return Ok(None) };
    let mut kinds: Vec<_> = REGISTRY.kinds().filter(|kind| (kind.service)().signing == service).collect();
    // An ARN may have the form of several kinds: the most specific one is meant.
    let fit = |kind: &KindShape| kind.path.read(resource).map_or(0, |_| kind.path.count_parts());
    kinds.sort_by_key(|kind| std::cmp::Reverse(fit(kind)));
    for kind in kinds {
        let (Some(get), Some(parts)) = (kind.call("get"), read_parts(kind, resource)) else { continue };
        let call = dynamic::call(get, session, &mut |params: &mut dyn Fields| {
            identify(kind, params.shape().fields, &arn, &parts).into_iter().try_for_each(|(name, value)| {
                dynamic::fill_parameter(params, name, Ref::Text(value), &Reader::STRICT)
            })
        })?;
        if let Some(model) = call.run().await?.filter(|model| !model.view().is_null()) {
            return Ok(Some(AnyModel { kind, arn, model }));
        }
    }
    Ok(None)
}

/// Returns the values of the fields in the ARN of a kind. An ARN may leave out the parent of a resource, if that is the default one.
fn read_parts<'a>(kind: &KindShape, resource: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
    if kind.path.is_empty() {
        // Such a kind is found by its ARN only.
        return kind.tags.map(|_| Vec::new());
    }
    kind.path.read_named(resource).or_else(|| {
        let start = kind.path.0.split('{').next().unwrap_or_default();
        let separator = start.chars().last()?;
        let name = resource.strip_prefix(start).filter(|name| !name.contains(separator))?;
        match kind.name_identity {
            Identity::Path([field]) => Some(vec![(*field, name)]),
            _ => None,
        }
    })
}

/// Returns the parameters of `get` that identify the resource: its ARN, or the parts of it.
fn identify<'a>(
    kind: &KindShape,
    params: &'static [FieldShape],
    arn: &'a str,
    parts: &[(&str, &'a str)],
) -> Vec<(&'static str, &'a str)> {
    let is_arn = |name: &str| matches!(kind.arn, Identity::Path([path]) if *path == name);
    if let Some(param) = params.iter().find(|param| is_arn(param.source()) || is_arn(param.name)) {
        return vec![(param.name, arn)];
    }
    let part = |name: &str| parts.iter().find(|(part, _)| *part == name).map(|(_, value)| *value);
    let value = |param: &FieldShape| {
        let named = part(param.source()).or_else(|| part(param.name));
        named.or_else(|| (param.presence == Presence::Required).then_some(arn))
    };
    params.iter().filter_map(|param| Some((param.name, value(param)?))).collect()
}
