//! The AWS front: a request becomes an operation of the cloud, and its outcome an answer.

use crate::{caller::Caller, control};
use nephos::{Cloud, Error, Ids, REGISTRY};
use nephos_core::shape::Protocol;
use nephos_wire::{HttpRequest, HttpResponse, Route};
use std::sync::Arc;

/// What answers requests.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) cloud: Cloud,
    pub(crate) ids: Ids,
}

impl Front {
    pub(crate) fn new(cloud: Cloud, ids: Ids) -> Self {
        Self { cloud, ids }
    }

    /// Answers one request.
    pub(crate) async fn answer(&self, message: HttpRequest) -> HttpResponse {
        let id = self.ids.uuid();
        if let Some(path) = message.uri().path().strip_prefix(control::PREFIX) {
            return control::answer(&self.cloud, path, &message, &id);
        }
        let caller = Caller::of(&message);
        match nephos_wire::route(&REGISTRY, &message, caller.service.as_deref()) {
            Ok(route) => self.carry_out(route, &caller, message, &id).await,
            Err(error) => {
                let protocol = nephos_wire::protocol(&REGISTRY, &message, caller.service.as_deref());
                nephos_wire::encode_error(protocol, &error, &id)
            }
        }
    }

    async fn carry_out(&self, route: Route, caller: &Caller, message: HttpRequest, id: &str) -> HttpResponse {
        let session = self.cloud.session().with_account(caller.account()).with_region(caller.region());
        let message = Arc::new(message);
        let make = move || nephos_wire::decode_request(route, &message);
        match self.cloud.request(&session, route.operation.effect, make).await {
            Ok(answer) => nephos_wire::encode_answer(route, &*answer, id),
            Err(error) => nephos_wire::encode_error(route.service.protocol, &error, id),
        }
    }

    /// The answer to a request that could not be read.
    pub(crate) fn refuse(&self, error: &Error) -> HttpResponse {
        nephos_wire::encode_error(Protocol::RestJson, error, &self.ids.uuid())
    }
}
