//! The kernel of the in-process cloud that all services build on: transactions, rows, the clock, due work, pagination
//! tokens, encryption at rest, and opening a cloud with a set of services.
//!
//! A manager's call is a workflow of operations; the cloud executes all of them in one transaction. Due work is stored in
//! rows and runs when the clock reaches its time: in [`CloudClock::advance`], or, while the clock runs, before the next call, or
//! by itself while [`Kernel::drive`] runs.

mod access;
mod arns;
mod background;
mod blobs;
mod cache;
mod callbacks;
mod clock;
mod cloud;
mod computation;
mod controls;
mod crypto_keys;
mod driver;
mod due;
mod event_log;
mod event_targets;
mod filters;
mod http_client;
mod http_front;
mod identifier;
mod kernel;
mod key;
mod key_file;
mod key_source;
mod lease;
mod managed_secrets;
mod names;
mod once;
mod outside;
mod own_events;
mod paging;
mod passphrase;
mod policy;
mod quota;
mod root;
mod rows;
mod run_due;
pub mod schedule;
mod scope;
mod seal;
mod service;
mod service_call;
mod service_views;
mod shared;
mod states;
mod tagged;
mod tagging;
mod tagging_by_kind;
pub mod tags;
mod tokens;
mod transport;
mod tx;
mod windows;

pub use access::{
    ALLOWS_NOTHING, AccessQuery, Caller, DecisionPage, ExplainedAccess, FindGrants, FindResource,
    FindSubjects, Identities, Identity, KnownKey, LoggedDecision, LongTermKey, Permissions, PolicyForm,
    RequestSource, ResourceFacts, ServiceAccess, TemporarySession, account_of_access_key, new_access_key_id,
    new_secret_access_key, smallest_policy,
};
pub use arns::{Addressed, own_arn};
pub use background::Background;
pub use blobs::{BlobDigest, BlobReader, BlobWriter, Blobs, WrittenBlob, blobs_folder};
pub use clock::{ClockAdvance, CloudClock};
pub use cloud::{Cloud, CloudOptions, NewKey, ServiceSet};
pub use controls::Control;
pub use crypto_keys::{
    CheckKey, CryptoKeyService, CryptoKeys, EncryptionContext, KeyUse, UsableKey, is_key_refusal,
};
pub use event_log::{EventRow, EventTimeErrors, EventTimes};
pub use event_targets::{EventTargetEntry, PutToTarget, TargetEvent};
pub use filters::{FilterRecord, FilterRules, Filterable, Filters};
pub use http_client::{HTTP_FUNCTION, HttpClient, OutgoingRequest, RetryAfter, TIMEOUT_CODE};
pub use http_front::{
    AnswerWhole, FrontAnswer, FrontReceiver, FrontReply, FrontReplyBody, FrontRequest, HttpFront, WholeBody,
};
pub use identifier::is_identifier;
pub use kernel::{Kernel, Transitions};
pub use key::{Key, Part, Parts, read as read_key};
pub use managed_secrets::{ManagedSecrets, NewSecret, is_same_content};
pub use names::Names;
pub use nephos_store::{Direction, remove_leftovers_in};
pub use once::Once;
pub use outside::{Function, FunctionCall};
pub use own_events::{OwnEvent, SendOwnEvent};
pub use paging::page_size;
pub use policy::{
    AccessRequest, Context, Decision, Effect, Layer, Malformed, Mismatch, Policy, PolicyRules, PolicyService,
    PolicySet, Principal, PrincipalKind, Reason, Resources, Statement,
};
pub use quota::{ParentQuota, Quota};
pub use root::RootKey;
pub use rows::{KeyPart, Stored, StoredResource, Table};
pub use scope::Scope;
pub use seal::{CloudKey, DataKey};
pub use service::{Callback, Entry, Handler, Service, Work, WorkEntry};
pub use service_views::{
    ControlItems, ItemFeed, ItemTable, Report, ReportView, ServiceView, ServiceViewForm, ServiceViews, Span,
    Tone, ViewArgument,
};
pub use states::{Hook, Transition};
pub use tagged::{TaggedResource, TaggedResources, arn_of, tagged_rows};
pub use tagging::{GivenTags, ListedTags, TaggedEntry, TaggedKind, Tagging};
pub use tags::{TagMembers, TagRules};
pub use tx::Tx;
pub use windows::{DailyWindow, WeeklyWindow};

use nephos_core::{Error, ErrorKind};

/// Converts an error of the store to the error that the caller of the cloud gets.
pub fn from_store_error(error: nephos_store::Error) -> Error {
    use nephos_store::ErrorKind as Store;
    let kind = match error.kind() {
        Store::Foreign | Store::Newer | Store::Corrupt => ErrorKind::Corrupt,
        Store::Locked | Store::Busy => ErrorKind::Conflict,
        Store::Full | Store::TooLarge => ErrorKind::LimitExceeded,
        Store::NotAFile => ErrorKind::Invalid,
        Store::Exists => ErrorKind::AlreadyExists,
        Store::NotFound => ErrorKind::NotFound,
        Store::Unsupported => ErrorKind::Unsupported,
        Store::Closed => return closed(error),
        _ => ErrorKind::Internal,
    };
    let code = match error.kind() {
        Store::Full => Some(("InsufficientStorage", 507)),
        // The request can succeed later, or once the operator has looked after the file.
        Store::Moved | Store::Unavailable => Some(("ServiceUnavailable", 503)),
        // Clients repeat requests that failed with 500 and above, but this one may have been carried out.
        Store::Unknown => Some(("UnknownOutcome", 409)),
        _ => None,
    };
    let converted = Error::new(kind, error.message().to_owned()).with_source(error);
    match code {
        Some((code, status)) => converted.with_wire_code(code, status),
        None => converted,
    }
}

/// Creates the error for a cloud that was closed by its owner.
fn closed(error: nephos_store::Error) -> Error {
    let message = "the cloud was closed, so that its sessions and models cannot reach it any more";
    Error::new(ErrorKind::NoSession, message).with_wire_code("CloudClosed", 503).with_source(error)
}

pub(crate) fn internal(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Internal, message)
}

pub(crate) fn corrupt(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Corrupt, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos_store::ErrorKind as Store;

    #[test]
    fn storage_errors_are_faults_of_the_service_unless_the_request_caused_them() {
        let converted = |kind| {
            let error = from_store_error(nephos_store::Error::new(kind, "reason"));
            (error.kind(), error.code().to_owned(), error.status())
        };
        let full = (ErrorKind::LimitExceeded, "InsufficientStorage".to_owned(), 507);
        let unavailable = (ErrorKind::Internal, "ServiceUnavailable".to_owned(), 503);
        assert_eq!(converted(Store::Full), full);
        assert_eq!(converted(Store::Moved), unavailable);
        assert_eq!(converted(Store::Unavailable), unavailable);
        assert_eq!(converted(Store::Closed), (ErrorKind::NoSession, "CloudClosed".to_owned(), 503));
        for kind in [Store::Corrupt, Store::Io, Store::Panicked, Store::Impure] {
            assert_eq!(converted(kind).2, 500, "{kind:?}");
        }
        for kind in [Store::TooLarge, Store::NotAFile, Store::Exists, Store::NotFound, Store::Locked] {
            assert!(converted(kind).2 < 500, "{kind:?}");
        }
    }
}
