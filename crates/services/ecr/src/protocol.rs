//! The protocol of container registries, under `/v2/`: what docker, podman, skopeo, crane and oras speak.

mod authentication;
pub mod blobs;
mod manifests;
mod refusal;
pub mod route;
mod tags;

use crate::{SERVICE, repository};
use authentication::Access;
use nephos_cloud::{FrontBody, FrontReply, FrontRequest, HttpFront, Kernel, Tx};
use nephos_core::{Result, Text, shape::Effect};
use refusal::Refusal;
use route::Route;

/// The paths of the registry.
pub(crate) const FRONT: HttpFront =
    HttpFront { prefix: "/v2/", answer, refuse: |error| Refusal::from(error.clone()).reply() };

/// Version of the protocol in each answer.
const VERSION: (&str, &str) = ("Docker-Distribution-Api-Version", "registry/2.0");

fn answer(cloud: &Kernel, request: &FrontRequest, body: &mut dyn FrontBody) -> FrontReply {
    let access = Access::authenticate(cloud, request);
    let mut reply = match access.and_then(|access| Exchange { cloud, request, access }.answer(body)) {
        Ok(reply) => reply,
        Err(refusal) => refusal.reply(),
    };
    reply.headers.push((VERSION.0, VERSION.1.into()));
    reply
}

/// A request of an authenticated caller.
struct Exchange<'e> {
    cloud: &'e Kernel,
    request: &'e FrontRequest,
    access: Access,
}

impl Exchange<'_> {
    fn answer(&self, body: &mut dyn FrontBody) -> Result<FrontReply, Refusal> {
        let method = self.request.method.as_str();
        let Some(route) = Route::parse(&self.request.path) else { return Err(Refusal::not_found()) };
        match (method, &route) {
            ("GET" | "HEAD", Route::Version) => Ok(json_reply(200, "{}")),
            ("GET", Route::Tags { name }) => self.list_tags(name),
            ("GET", Route::Referrers { name, digest }) => self.list_referrers(name, digest),
            ("GET" | "HEAD", Route::Manifest { name, reference }) => self.get_manifest(name, reference),
            ("PUT", Route::Manifest { name, reference }) => self.put_manifest(name, reference, body),
            ("DELETE", Route::Manifest { name, reference }) => self.delete_manifest(name, reference),
            ("GET" | "HEAD", Route::Blob { name, digest }) => self.get_blob(name, digest),
            ("POST", Route::Uploads { name }) => self.begin_upload(name, body),
            ("GET", Route::Upload { name, id }) => self.get_upload(name, id),
            ("PATCH", Route::Upload { name, id }) => self.append_to_upload(name, id, body),
            ("PUT", Route::Upload { name, id }) => self.complete_upload(name, id, body),
            ("DELETE", Route::Upload { name, id }) => self.cancel_upload(name, id),
            _ => Err(Refusal::unsupported()),
        }
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
