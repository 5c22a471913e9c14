//! The protocol of container registries, under `/v2/`: what docker, podman, skopeo, crane and oras speak.

mod authentication;
pub mod blobs;
mod manifests;
mod refusal;
pub mod route;
mod tags;
mod upload;

use crate::{SERVICE, repository};
use authentication::Access;
use nephos_cloud::{FrontAnswer, FrontReply, FrontRequest, HttpFront, Kernel, Tx};
use nephos_core::{Result, Text, shape::Effect};
use refusal::Refusal;
use route::Route;

/// The paths of the registry.
pub(crate) const FRONT: HttpFront =
    HttpFront { prefix: "/v2/", answer, refuse: |error| to_reply(Err(error.clone().into())) };

/// Version of the protocol in each answer.
const VERSION: (&str, &str) = ("Docker-Distribution-Api-Version", "registry/2.0");

fn answer(cloud: &Kernel, request: FrontRequest) -> FrontAnswer {
    let access = Access::authenticate(cloud, &request);
    let exchange = access.map(|access| Exchange { cloud: cloud.clone(), request, access });
    exchange.and_then(Exchange::answer).unwrap_or_else(|refusal| FrontAnswer::Reply(to_reply(Err(refusal))))
}

/// Completes the answer to a request.
fn to_reply(answer: Result<FrontReply, Refusal>) -> FrontReply {
    answer.unwrap_or_else(Refusal::reply).header(VERSION.0, VERSION.1)
}

/// A request of an authenticated caller.
struct Exchange {
    cloud: Kernel,
    request: FrontRequest,
    access: Access,
}

impl Exchange {
    fn answer(self) -> Result<FrontAnswer, Refusal> {
        let method = self.request.method.clone();
        let Some(route) = Route::parse(&self.request.path) else { return Err(Refusal::not_found()) };
        let reply = match (method.as_str(), route) {
            ("GET" | "HEAD", Route::Version) => Ok(json_reply(200, "{}")),
            ("GET", Route::Tags { name }) => self.list_tags(&name),
            ("GET", Route::Referrers { name, digest }) => self.list_referrers(&name, &digest),
            ("GET" | "HEAD", Route::Manifest { name, reference }) => self.get_manifest(&name, &reference),
            ("PUT", Route::Manifest { name, reference }) => return Ok(self.receive_manifest(name, reference)),
            ("DELETE", Route::Manifest { name, reference }) => self.delete_manifest(&name, &reference),
            ("GET" | "HEAD", Route::Blob { name, digest }) => self.get_blob(&name, &digest),
            ("POST", Route::Uploads { name }) => return self.begin_upload(name),
            ("GET", Route::Upload { name, id }) => self.get_upload(&name, &id),
            ("PATCH", Route::Upload { name, id }) => return self.append_to_upload(name, id),
            ("PUT", Route::Upload { name, id }) => return self.complete_upload(name, id),
            ("DELETE", Route::Upload { name, id }) => self.cancel_upload(&name, &id),
            _ => Err(Refusal::unsupported()),
        };
        Ok(FrontAnswer::Reply(to_reply(reply)))
    }

    fn is_head(&self) -> bool {
        self.request.method == "HEAD"
    }

    /// Runs `body` in a transaction in the registry of the request, if the caller may do the action with the repository.
    fn run<T: Send + 'static>(
        &self,
        effect: Effect,
        action: &'static str,
        name: &str,
        body: impl Fn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        let registry = self.access.registry.clone();
        let resource = format!("repository/{name}");
        let name = Text::from(name);
        self.cloud.run_request(self.access.source.clone(), effect, move |cx| {
            let owner = cx.scope().with_account(&registry);
            let arn = owner.arn(SERVICE.signing, &[&resource]).to_string();
            let action = format!("ecr:{action}");
            cx.check_action(&SERVICE, &action, &arn, &arn)?;
            if owner.account() != cx.scope().account() {
                cx.check_shared_access(&SERVICE, &action, &arn)?;
            }
            cx.in_scope(&owner, |cx| {
                repository::require(cx, &name)?;
                body(cx)
            })
        })
    }
}

fn json_reply(status: u16, text: impl Into<String>) -> FrontReply {
    let text: String = text.into();
    FrontReply::new(status).header("Content-Type", "application/json; charset=utf-8").bytes(text)
}
