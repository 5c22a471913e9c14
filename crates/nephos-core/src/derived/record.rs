//! Macros for records: their traits and methods.

/// The `RecordShape` of these fields, as a static.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_shape {
    ($record:ident $name:literal, $docs:literal, extras: $extras:literal, [$($field:expr),*]) => {{
        static FIELDS: &[$crate::shape::FieldShape] = &[$($field),*];
        static SHAPE: $crate::shape::RecordShape =
            $crate::shape::RecordShape::new($name, $docs, FIELDS, $extras, $crate::dynamic::blank::<$record>);
        &SHAPE
    }};
}

/// Traits that every record has beside `Record`. The last members are those that are no fields of the record.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_record {
    ($record:ident { $($field:ident: $clone:path,)* } { $($beside:ident,)* }) => {
        impl ::core::clone::Clone for $record {
            #[inline(never)]
            fn clone(&self) -> Self {
                Self {
                    $($field: $clone(&self.$field),)*
                    $($beside: ::core::clone::Clone::clone(&self.$beside),)*
                }
            }
        }

        impl ::core::cmp::PartialEq for $record {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                $crate::record::same(self, other)
            }
        }

        impl ::core::fmt::Debug for $record {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::record::debug(self, f)
            }
        }
    };
}

/// A record with all fields blank.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_blank {
    ({ $($field:ident: $blank:expr,)* } { $($beside:ident,)* }) => {
        // Inlined at every use, this would be most of the compiled code.
        #[inline(never)]
        fn blank_record() -> Self {
            Self {
                $($field: $blank,)*
                $($beside: ::core::default::Default::default(),)*
            }
        }
    };
}

/// Serde for a record that callers see. Parameters of operations and rows have none.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_serde {
    ($record:ident) => {
        impl $crate::serde_crate::Serialize for $record {
            fn serialize<S: $crate::serde_crate::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::serde::serialize(self, serializer)
            }
        }

        impl<'de> $crate::serde_crate::Deserialize<'de> for $record {
            fn deserialize<D: $crate::serde_crate::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::serde::deserialize(deserializer)
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

        fn field(&self, index: usize) -> &dyn $crate::field_value::FieldValue {
            match index {
                $($index => &self.$field,)*
                _ => unreachable!("the shape has as many fields as the struct"),
            }
        }

        fn field_mut(&mut self, index: usize) -> &mut dyn $crate::field_value::FieldValue {
            match index {
                $($index => &mut self.$field,)*
                _ => unreachable!("the shape has as many fields as the struct"),
            }
        }

        fn boxed_clone(&self) -> ::std::boxed::Box<dyn $crate::record::Fields> {
            ::std::boxed::Box::new(::core::clone::Clone::clone(self))
        }
    };
}

/// The methods of `Fields` of a record that has something beside its fields.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_beside {
    () => {
        fn beside(&self) -> Option<&dyn $crate::record::Beside> {
            Some(self)
        }

        fn beside_mut(&mut self) -> Option<&mut dyn $crate::record::Beside> {
            Some(self)
        }
    };
}

/// Methods of `Beside` by which a record that is read and written often does so field by field, with static
/// types.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_hot_fields {
    ($($index:literal => $field:ident $key:literal $wire_key:literal,)*) => {
        fn take_in_order(&mut self, fields: &mut $crate::json::InOrder<'_, '_>) -> $crate::Result<()> {
            $(fields.take($index, $key, &mut self.$field)?;)*
            Ok(())
        }

        fn write_fields(&self, fields: &mut $crate::json::Writer<'_>) -> bool {
            $(fields.put($index, $key, $wire_key, &self.$field);)*
            true
        }
    };
}

/// The method of `Fields` by which a record becomes the value of a field.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_into_value {
    () => {
        fn into_value(
            self: ::std::boxed::Box<Self>,
        ) -> Option<::std::boxed::Box<dyn $crate::field_value::FieldValue>> {
            Some(self)
        }
    };
}

/// Methods of `Beside` for a record that keeps unknown fields.
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

/// Setters of a record, each with its errors, and a builder that checks the record at the end.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_setters {
    ($vis:vis $builder:ident: $record:ident {
        $(#[doc = $docs:literal] $field:ident $set:ident $clear:ident: $ty:ty = $index:literal, $refuses:literal;)*
    }) => {
        impl $record {
            $(
                #[doc = concat!("Sets: ", $docs)]
                ///
                /// # Errors
                ///
                #[doc = $refuses]
                pub fn $set(&mut self, value: impl $crate::IntoOptional<$ty>) -> $crate::Result<()> {
                    let value = $crate::IntoOptional::into_optional(value);
                    $crate::record::assign(self, $index, value, |record| &mut record.$field)
                }

                #[doc = concat!("Sets to null: ", $docs)]
                ///
                /// # Errors
                ///
                /// `Invalid` for a field that is required.
                #[inline]
                pub fn $clear(&mut self) -> $crate::Result<()> {
                    $crate::record::clear(self, $index)
                }
            )*

            #[doc = concat!("Builds a [`", stringify!($record), "`].")]
            #[inline]
            pub fn builder() -> $builder {
                $builder(<Self as $crate::field_value::FieldType>::blank())
            }
        }

        #[doc = concat!("Builds a [`", stringify!($record), "`].")]
        #[must_use = "a builder does nothing until `build` is called"]
        #[derive(Clone, Debug)]
        $vis struct $builder($record);

        impl $builder {
            $(
                #[doc = $docs]
                pub fn $field(mut self, value: impl $crate::IntoOptional<$ty>) -> Self {
                    self.0.$field = $crate::IntoOptional::into_optional(value);
                    $crate::record::note_given(&mut self.0, $index);
                    self
                }
            )*

            /// Checks every rule and returns the record.
            ///
            /// # Errors
            ///
            /// `Invalid`, with the path of the first field that breaks a rule.
            #[inline]
            pub fn build(self) -> $crate::Result<$record> {
                $crate::record::finish(self.0)
            }
        }
    };
}

/// A struct of typed fields, and the constant `FIELDS` of its type.
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
            /// Fields of the record, for predicates and orders.
            pub const FIELDS: $fields = $fields { $($field: $crate::Field::new(&[$name]),)* };
        }
    };
}
