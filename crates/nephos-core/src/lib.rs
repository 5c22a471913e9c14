//! The model layer: shapes, validated models, managers, lazy result sets, sessions and transports.
//!
//! A kind is described once, by a struct with `#[derive(Resource)]`. From that follow its static [`shape`], typed
//! getters and checked setters, JSON under the specification's names, a manager, and everything that generic code
//! can do with it. This crate holds no state and does no I/O: a [`Transport`] runs the operations.

extern crate self as nephos_core;

mod arn;
mod clock;
mod construct;
mod container_daemon;
#[doc(hidden)]
pub mod derived;
pub mod dynamic;
mod error;
mod field;
mod field_set;
pub mod field_value;
pub mod fill;
mod fixed_fields;
mod from_model;
pub mod hex;
mod identity;
mod ids;
mod into_field;
pub mod json;
mod lookup;
pub mod nearest;
pub mod operation;
#[doc(hidden)]
pub mod params;
mod path;
mod pattern;
pub mod percent;
pub mod permission;
#[doc(hidden)]
pub mod plan;
mod predicate;
mod projection;
pub mod python;
pub mod record;
pub mod relation;
pub mod resource;
mod resource_path;
mod results;
mod retagging;
pub mod rules;
mod save;
pub mod scan;
mod secret;
#[doc(hidden)]
pub mod serde;
mod session;
pub mod shape;
mod slot;
mod subject;
pub mod tagging;
pub mod tags;
pub mod time;
mod transform;
mod transport;
mod update;
mod value;
pub mod view;
mod violations;

pub use arn::{Arn, Place, global_region, is_global_region, partition_of};
pub use clock::Clock;
pub use construct::Strings;
pub use container_daemon::{ContainerDaemon, DaemonReply, DaemonRequest};
pub use error::{Code, Error, ErrorKind, Result};
pub use field::{Compared, Field, Holds, Ordered, TextLike};
pub use field_set::FieldSet;
pub use field_value::Choice;
pub use from_model::{FromModel, OnModel};
pub use futures_core::Stream;
pub use identity::Pk;
pub use ids::Ids;
#[doc(hidden)]
pub use into_field::ByReference;
pub use into_field::{IntoField, IntoOptional};
pub use jiff::{SignedDuration, Timestamp};
pub use lookup::Lookup;
#[doc(hidden)]
pub use nephos_derive::operation_of;
pub use nephos_derive::{Choice, Record, Resource, operation, record_of};
pub use operation::{
    Call, CallFuture, Listing, ManagerCall, ManagerOperation, Operation, Page, PageRequest, Preview,
};
pub use predicate::{AnyPredicate, Predicate, Related, Test};
pub use record::{Difference, Empty, Record};
pub use resource::Resource;
pub use resource_path::ResourcePath;
pub use results::{Iter, Order, QueryFuture, Results};
pub use retagging::{retag, with_tags};
pub use save::{HasCreate, HasUpdate, Save, UnsupportedCall, Waiter};
pub use secret::Secret;
pub use session::{Credentials, DEFAULT_ACCOUNT, DEFAULT_REGION, Session};
pub use shape::{Registry, Type};
pub use slot::Slot;
pub use tagging::{TagOperations, Tagged};
pub use tags::{Tag, TagChange, TagsMut};
pub use time::TimeForm;
pub use transport::{
    Answer, Change, Execution, NextStep, OperationFuture, Outcome, Request, Transport, Workflow,
    WorkflowContext, wait,
};
pub use value::{Blob, Entries, Items, Map, Ref, Text, Value};

#[doc(hidden)]
pub use ::serde as serde_crate;

/// A boxed future.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Fields that a record keeps although its shape does not have them.
pub type Extra = Map<Value>;

/// Imports for code that works with models.
pub mod prelude {
    pub use crate::{
        Choice as _, Error, ErrorKind, Record as _, Resource as _, Result, Session, Tag, Tagged as _, Value,
    };
}
