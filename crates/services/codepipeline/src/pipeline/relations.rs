//! Relations of pipelines: their executions, the role, and the crypto key of the artifacts.

use super::Pipeline;
use crate::PipelineExecution;
use nephos_core::{Resource as _, Result};

/// Finds the executions of a pipeline, the newest first.
pub(super) async fn find_executions(pipeline: &Pipeline) -> Result<Vec<PipelineExecution>> {
    let name = pipeline.name.clone().unwrap_or_default();
    PipelineExecution::objects(pipeline.require_session()?).list(name).results().all().await
}

/// Finds the role of a pipeline.
#[cfg(feature = "iam")]
pub(super) async fn find_role(pipeline: &Pipeline) -> Result<Option<nephos_iam::Role>> {
    let role = whole(pipeline).await?.and_then(|pipeline| pipeline.role_arn);
    let Some([.., account, resource]) = role.as_deref().and_then(nephos_core::Arn::parts) else {
        return Ok(None);
    };
    let name = resource.rsplit('/').next().unwrap_or_default();
    let session = pipeline.require_session()?.with_account(account);
    nephos_iam::Role::objects(&session).get(name).await
}

/// Finds the crypto key of the artifacts of a pipeline: that of its store, or of the store of its own Region.
#[cfg(feature = "kms")]
pub(super) async fn find_artifact_key(pipeline: &Pipeline) -> Result<Option<nephos_kms::CryptoKey>> {
    let Some(whole) = whole(pipeline).await? else { return Ok(None) };
    let region = pipeline.require_session()?.region();
    let of_region = whole.artifact_stores.as_ref().and_then(|stores| stores.get(region));
    let store = whole.artifact_store.as_ref().or(of_region);
    let key = store.and_then(|store| store.encryption_key.as_ref());
    nephos_kms::load_related(pipeline, key.and_then(|key| key.id.as_ref())).await
}

/// Returns a pipeline with its structure, which listings omit.
#[cfg(any(feature = "iam", feature = "kms"))]
async fn whole(pipeline: &Pipeline) -> Result<Option<Pipeline>> {
    if pipeline.role_arn.is_some() {
        return Ok(Some(pipeline.clone()));
    }
    Pipeline::objects(pipeline.require_session()?).get(pipeline.name.clone().unwrap_or_default()).await
}
