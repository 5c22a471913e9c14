//! What the derives emit for every record, kind, operation and enum alike: they name the macros here and fill in the
//! names, types and tables that differ.

use crate::{
    Result, Slot,
    shape::{FieldShape, Presence},
};
use std::{any::Any, future::Future, sync::Arc};

/// Of which fields there is anything to check.
pub const fn checked<const N: usize>(fields: &[FieldShape]) -> [bool; N] {
    let mut checked = [false; N];
    let mut at = 0;
    while at < N {
        let field = &fields[at];
        let required = matches!(field.presence, Presence::Required);
        checked[at] = required || !field.rules.is_empty() || field.ty.has_rules_within();
        at += 1;
    }
    checked
}

/// Whether any of them has a default, or something within it that may have.
pub const fn has_defaults(fields: &[FieldShape]) -> bool {
    let mut at = 0;
    while at < fields.len() {
        if fields[at].default.is_some() || fields[at].ty.has_records_within() {
            return true;
        }
        at += 1;
    }
    false
}

/// What a relation leads to: what the model remembers, or else what `look_up` finds, which it remembers.
pub async fn look_up_once<T: Any + Send + Sync>(
    slot: &Slot,
    relation: &'static str,
    look_up: impl Future<Output = Result<T>>,
) -> Result<Arc<T>> {
    if let Some(found) = slot.related(relation) {
        return Ok(found);
    }
    let found = Arc::new(look_up.await?);
    slot.remember(relation, found.clone());
    Ok(found)
}

/// The `RecordShape` of these fields, as a static.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_shape {
    ($name:literal, $docs:literal, extras: $extras:literal, [$($field:expr),*]) => {{
        static FIELDS: &[$crate::shape::FieldShape] = &[$($field),*];
        const CHECKED: &[bool] = &$crate::derived::checked::<{ FIELDS.len() }>(FIELDS);
        static SHAPE: $crate::shape::RecordShape = $crate::shape::RecordShape {
            name: $name,
            docs: $docs,
            fields: FIELDS,
            checked: &$crate::shape::indices::<{ $crate::shape::count(CHECKED) }>(CHECKED),
            defaults: $crate::derived::has_defaults(FIELDS),
            extras: $extras,
        };
        &SHAPE
    }};
}

/// What every record is beside a `Record`. The last fields are those that are no fields of the record.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_record {
    ($record:ident { $($field:ident: $ty:ty,)* } { $($beside:ident,)* }) => {
        impl $crate::datum::Datum for $record {
            fn view(&self) -> $crate::Ref<'_> {
                $crate::Ref::Record(self)
            }

            fn put(
                &mut self,
                _value: $crate::Ref<'_>,
                _reading: $crate::datum::Reading,
            ) -> ::core::result::Result<(), $crate::datum::Mismatch> {
                Err($crate::datum::Mismatch("a record"))
            }

            fn open(&mut self) -> $crate::datum::Open<'_> {
                $crate::datum::Open::Record(self)
            }

            fn clear(&mut self) {
                *self = <Self as $crate::datum::DatumType>::blank();
            }

            fn fresh(&self) -> Box<dyn $crate::datum::Datum> {
                Box::new(<Self as $crate::datum::DatumType>::blank())
            }

            fn take_from(&mut self, other: &mut dyn $crate::datum::Datum) {
                $crate::datum::take_from(self, other);
            }

            fn each_record(&mut self, each: &mut dyn FnMut(&mut dyn $crate::record::Fields)) {
                each(self);
            }
        }

        impl $crate::datum::DatumType for $record {
            const TYPE: $crate::shape::Type = $crate::shape::Type::Record(<Self as $crate::Record>::SHAPE);

            // Inlined into everything that makes one, it would be most of what is compiled.
            #[inline(never)]
            fn blank() -> Self {
                Self {
                    $($field: <$ty as $crate::datum::DatumType>::blank(),)*
                    $($beside: ::core::default::Default::default(),)*
                }
            }
        }

        impl ::core::clone::Clone for $record {
            #[inline(never)]
            fn clone(&self) -> Self {
                Self {
                    $($field: ::core::clone::Clone::clone(&self.$field),)*
                    $($beside: ::core::clone::Clone::clone(&self.$beside),)*
                }
            }
        }

        impl ::core::cmp::PartialEq for $record {
            fn eq(&self, other: &Self) -> bool {
                $crate::record::same(self, other)
            }
        }

        impl ::core::fmt::Debug for $record {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::record::debug(self, f)
            }
        }
    };
}

/// The methods of `Fields` that every record has.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_fields {
    ($($index:literal => $field:ident,)*) => {
        fn shape(&self) -> &'static $crate::shape::RecordShape {
            <Self as $crate::Record>::SHAPE
        }

        fn field(&self, index: usize) -> &dyn $crate::datum::Datum {
            match index {
                $($index => &self.$field,)*
                _ => unreachable!("the shape has as many fields as the struct"),
            }
        }

        fn field_mut(&mut self, index: usize) -> &mut dyn $crate::datum::Datum {
            match index {
                $($index => &mut self.$field,)*
                _ => unreachable!("the shape has as many fields as the struct"),
            }
        }
    };
}

/// The methods of `Fields` that every model has.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_model_fields {
    ($slot:ident { $(#[$docs:meta] $relation:ident($name:literal, $found:ident): $ty:ty = $with:path;)* }) => {
        fn kind(&self) -> Option<&'static $crate::shape::KindShape> {
            Some(<Self as $crate::Resource>::KIND)
        }

        fn slot(&self) -> Option<&$crate::Slot> {
            Some(&self.$slot)
        }

        fn slot_mut(&mut self) -> Option<&mut $crate::Slot> {
            Some(&mut self.$slot)
        }

        $crate::derived_related!($($relation $name $found,)*);
    };
}

/// Looks up relations by name. A kind without any needs nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_related {
    () => {};
    ($($relation:ident $name:literal $found:ident,)+) => {
        fn related<'a>(&'a self, name: &str) -> Option<$crate::relation::Lookup<'a>> {
            match name {
                $($name => Some(Box::pin(async move {
                    Ok($crate::relation::Found::$found(&*self.$relation().await?))
                })),)+
                _ => None,
            }
        }
    };
}

/// The methods that look up what belongs to a model.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_relations {
    ($kind:ident.$slot:ident {
        $(#[$docs:meta] $relation:ident($name:literal, $found:ident): $ty:ty = $with:path;)*
    }) => {
        impl $kind {
            $(
                #[$docs]
                pub async fn $relation(&self) -> $crate::Result<$ty> {
                    $crate::derived::look_up_once(&self.$slot, $name, $with(self)).await
                }
            )*
        }
    };
}

/// The methods of `Fields` for a record that keeps fields it does not know.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_extra_fields {
    ($extra:ident) => {
        fn extra(&self) -> Option<&$crate::Extra> {
            Some(&self.$extra)
        }

        fn extra_mut(&mut self) -> Option<&mut $crate::Extra> {
            Some(&mut self.$extra)
        }
    };
}

/// What changes a record: setters, each with a sentence about what it refuses, and a builder that takes what it is
/// given and checks the whole in the end.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_setters {
    ($vis:vis $builder:ident: $record:ident {
        $(#[doc = $docs:literal] $field:ident $set:ident: $ty:ty = $index:literal, $refuses:literal;)*
    }) => {
        impl $record {
            $(
                #[doc = concat!("Assigns: ", $docs)]
                ///
                #[doc = $refuses]
                pub fn $set(&mut self, value: impl $crate::Give<$ty>) -> $crate::Result<()> {
                    let value = $crate::Give::give(value);
                    $crate::record::assign(self, $index, value, |record| &mut record.$field)
                }
            )*

            #[doc = concat!("Builds a [`", stringify!($record), "`].")]
            pub fn builder() -> $builder {
                $builder(<Self as $crate::datum::DatumType>::blank())
            }
        }

        #[doc = concat!("Builds a [`", stringify!($record), "`].")]
        #[must_use = "a builder does nothing until `build` is called"]
        #[derive(Clone, Debug)]
        $vis struct $builder($record);

        impl $builder {
            $(
                #[doc = $docs]
                pub fn $field(mut self, value: impl $crate::Give<$ty>) -> Self {
                    self.0.$field = $crate::Give::give(value);
                    $crate::record::Fields::note_given(&mut self.0, $crate::FieldSet::of($index));
                    self
                }
            )*

            /// Checks everything and gives back the record, or the first thing that is wrong with it.
            pub fn build(self) -> $crate::Result<$record> {
                $crate::record::finish(self.0)
            }
        }
    };
}

/// A struct of typed fields, and the constant `FIELDS` that is it.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_typed_fields {
    ($vis:vis $fields:ident: $record:ident { $(#[$docs:meta] $field:ident: $ty:ty = $name:literal,)* }) => {
        #[doc = concat!("The fields of [`", stringify!($record), "`], for predicates and orders.")]
        #[derive(Debug)]
        $vis struct $fields {
            $(#[$docs] pub $field: $crate::Field<$record, $ty>,)*
        }

        impl $record {
            /// Its fields, for predicates and orders.
            pub const FIELDS: $fields = $fields { $($field: $crate::Field::new(&[$name]),)* };
        }
    };
}

/// Everything that makes a record a model of a kind.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_resource {
    ($vis:vis $manager:ident: $kind:ident { $($verb:ident = $operation:ty,)* } $shape:expr) => {
        impl $crate::Resource for $kind {
            const KIND: &'static $crate::shape::KindShape = {
                static KIND: $crate::shape::KindShape = $shape;
                &KIND
            };
            type Manager = $manager;
            $(type $verb = $operation;)*

            fn objects(session: &$crate::Session) -> $manager {
                $kind::objects(session)
            }
        }

        #[doc = concat!("The operations on [`", stringify!($kind), "`].")]
        #[derive(Clone, Debug)]
        $vis struct $manager {
            session: $crate::Session,
        }

        impl $manager {
            /// The caller.
            pub fn session(&self) -> &$crate::Session {
                &self.session
            }
        }

        impl $kind {
            #[doc = concat!("The operations on [`", stringify!($kind), "`].")]
            pub fn objects(session: &$crate::Session) -> $manager {
                $manager { session: session.clone() }
            }
        }
    };
}

/// The `delete` of a kind that has none.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_refused_delete {
    ($kind:ident) => {
        impl $kind {
            /// Models of this kind cannot delete themselves: an error when it is carried out.
            pub fn delete(&self) -> $crate::Refused {
                $crate::Refused::new::<Self>("delete")
            }
        }
    };
}

/// The constructor of an operation, which takes its required parameters, and the setters of the others.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_parameters {
    ($operation:ident($($arguments:tt)*) { $($required:tt)* } { $(#[$docs:meta] $param:ident: $ty:ty,)* }) => {
        impl $operation {
            /// The operation with its required parameters; the others are not said.
            pub fn new($($arguments)*) -> Self {
                Self { $($required)* $($param: None,)* }
            }

            $(
                #[$docs]
                #[must_use]
                pub fn $param(mut self, value: impl $crate::Give<$ty>) -> Self {
                    self.$param = $crate::Give::give(value);
                    self
                }
            )*
        }
    };
}

/// The call that a manager gives.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_call {
    ($vis:vis $call:ident: $operation:ident = $name:literal { $(#[$docs:meta] $param:ident: $ty:ty,)* }) => {
        #[doc = concat!("The call of `", $name, "` being prepared.")]
        #[must_use = "a call is carried out when it is awaited or waited for"]
        #[derive(Clone, Debug)]
        $vis struct $call($crate::Call<$operation>);

        impl $call {
            $(
                #[$docs]
                pub fn $param(self, value: impl $crate::Give<$ty>) -> Self {
                    let value: Option<$ty> = $crate::Give::give(value);
                    Self(self.0.map(|params| params.$param(value)))
                }
            )*

            /// Takes all parameters from `record`.
            pub fn with(self, record: $operation) -> Self {
                Self(self.0.with(record))
            }

            /// Sets a parameter by its name in the specification; a name that is none is refused with the nearest.
            pub fn set(self, name: &str, value: impl Into<$crate::Value>) -> Self {
                Self(self.0.set(name, value))
            }
        }
    };
}

/// What carries out a call that gives one answer.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_answer {
    ($call:ident: $output:ty) => {
        impl $call {
            /// Carries the call out, blocking this thread. No runtime is needed.
            pub fn wait(self) -> $crate::Result<$output> {
                self.0.wait()
            }

            /// Carries the call out and takes back what it changed; tells what that would have been.
            pub fn preview(self) -> $crate::Asked<'static, $crate::Preview<$output>> {
                self.0.preview()
            }
        }

        impl ::core::future::IntoFuture for $call {
            type Output = $crate::Result<$output>;
            type IntoFuture = $crate::Carried<$output>;

            fn into_future(self) -> Self::IntoFuture {
                self.0.run()
            }
        }
    };
}

/// What carries out a call that lists models.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_results {
    ($call:ident: $kind:ty) => {
        impl $call {
            /// The models, fetched when they are asked for.
            pub fn results(self) -> $crate::Results<$kind> {
                self.0.results()
            }
        }
    };
}

/// How a model fills an operation's parameters, and those that take it whole.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_on_model {
    ($operation:ident: $kind:ty { $($model:ident,)* }) => {
        impl $crate::operation::OnModel<$kind> for $operation {
            fn on(model: &$kind) -> $crate::Result<Self> {
                $crate::operation::from_model(model, |_params: &mut Self| {
                    $(_params.$model = model.clone();)*
                })
            }
        }
    };
}

/// The method by which a model carries out an operation on itself.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_instance {
    ($kind:ty { #[$docs:meta] $method:ident: $call:ident }) => {
        impl $kind {
            #[$docs]
            pub fn $method(&self) -> $call {
                let session = $crate::Resource::require_session(self).cloned();
                $call($crate::Call::on(session, $crate::operation::OnModel::on(self)))
            }
        }
    };
}

/// Everything that makes an enum a choice.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_choice {
    ($choice:ident, $name:literal, $docs:literal {
        $($value:ident = $index:literal, $spelled:literal, $wire:literal, $about:literal;)*
    } $unknown:ident) => {
        impl $crate::datum::Choice for $choice {
            const SHAPE: &'static $crate::shape::ChoiceShape = {
                static SHAPE: $crate::shape::ChoiceShape = $crate::shape::ChoiceShape {
                    name: $name,
                    docs: $docs,
                    values: &[
                        $($crate::shape::ChoiceValue { name: $spelled, wire: $wire, docs: $about },)*
                    ],
                };
                &SHAPE
            };

            fn index(&self) -> Option<usize> {
                match self {
                    $(Self::$value => Some($index),)*
                    Self::$unknown(_) => None,
                }
            }

            fn from_index(index: usize) -> Self {
                match index {
                    $($index => Self::$value,)*
                    _ => unreachable!("the shape has as many values as the enum"),
                }
            }

            fn from_unknown(text: &str) -> Self {
                Self::$unknown(text.into())
            }

            fn unknown(&self) -> Option<&str> {
                match self {
                    Self::$unknown(text) => Some(text),
                    _ => None,
                }
            }
        }

        impl $crate::datum::Datum for $choice {
            fn view(&self) -> $crate::Ref<'_> {
                $crate::datum::view_choice(self)
            }

            fn put(
                &mut self,
                value: $crate::Ref<'_>,
                reading: $crate::datum::Reading,
            ) -> ::core::result::Result<(), $crate::datum::Mismatch> {
                *self = $crate::datum::read_choice(value, reading)?;
                Ok(())
            }

            fn open(&mut self) -> $crate::datum::Open<'_> {
                $crate::datum::Open::Scalar
            }

            fn clear(&mut self) {
                *self = <Self as $crate::datum::DatumType>::blank();
            }

            fn fresh(&self) -> Box<dyn $crate::datum::Datum> {
                Box::new(<Self as $crate::datum::DatumType>::blank())
            }

            fn take_from(&mut self, other: &mut dyn $crate::datum::Datum) {
                $crate::datum::take_from(self, other);
            }
        }

        impl $crate::datum::DatumType for $choice {
            const TYPE: $crate::shape::Type =
                $crate::shape::Type::Choice(<Self as $crate::datum::Choice>::SHAPE);

            fn blank() -> Self {
                Self::$unknown($crate::Text::const_new(""))
            }

            fn read(
                value: $crate::Ref<'_>,
                reading: $crate::datum::Reading,
            ) -> ::core::result::Result<Self, $crate::datum::Mismatch> {
                $crate::datum::read_choice(value, reading)
            }

            fn usual(input: &mut $crate::json::Input<'_>, reading: $crate::datum::Reading) -> Option<Self> {
                $crate::datum::usual_choice(input, reading)
            }
        }

        impl ::core::fmt::Display for $choice {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str($crate::datum::Choice::as_str(self))
            }
        }

        impl From<$choice> for $crate::Value {
            fn from(choice: $choice) -> Self {
                Self::Text($crate::datum::Choice::as_str(&choice).into())
            }
        }
    };
}
