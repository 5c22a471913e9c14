//! Calls of managers that take a whole model.

use super::tagging::Tagging;
use nephos_core::{
    FromModel, Ref, Resource, Result, WorkflowContext,
    fill::{self, Reader},
    operation::WireOperation,
    retag,
};

/// Declares a call of a manager that takes the whole model: `SchemaCreate = "create" of Schema(model, context) { … }`.
macro_rules! model_call {
    (
        $(#[$($docs:tt)*])*
        $call:ident = $name:tt of $kind:ident($model:ident, $context:ident $(, $own:ident)?) { $($body:tt)* }
        $($parameters:tt)*
    ) => {
        $(#[$($docs)*])*
        #[operation(kind = $kind, call = $name, case = "snake", effect = write, output = $kind)]
        pub struct $call {
            /// Model of the resource.
            #[field(model)]
            pub model: $kind,
            $($parameters)*
        }

        impl nephos_core::ManagerOperation for $call {
            async fn run(&self, $context: &nephos_core::WorkflowContext) -> Result<$kind> {
                let $model = &self.model;
                $(let $own = self;)?
                $($body)*
            }
        }
    };
}

pub(super) use model_call;

/// Sends the changes of a model, completed by `complete`, and of its tags. `describe` reads the resource before and
/// after.
pub(super) async fn update_model<M: Resource, O: WireOperation>(
    context: &WorkflowContext,
    model: &M,
    describe: impl WireOperation<Output = M>,
    complete: impl FnOnce(&mut O) -> Result<()>,
) -> Result<M> {
    let changes = O::changes_of(model)?;
    let current = context.call(describe.clone()).await?;
    if let Some(mut changes) = changes {
        clear_description(&mut changes, model)?;
        complete(&mut changes)?;
        context.call(changes).await?;
    }
    retag::<Tagging>(context, current.require_arn()?, model).await?;
    context.call(describe).await
}

/// Sends an empty description in place of a removed one, because the service ignores absent fields.
fn clear_description<O: WireOperation>(changes: &mut O, model: &impl Resource) -> Result<()> {
    match O::SHAPE.field("Description") {
        Some((at, _)) if model.changed().contains(&"Description") && changes.field(at).view().is_null() => {
            fill::fill(changes.field_mut(at), Ref::Text(""), &Reader::TRUSTED)
        }
        _ => Ok(()),
    }
}
