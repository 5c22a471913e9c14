//! Macros for operations and for the calls of managers.
//!
//! Methods for callers are `#[inline]`: a crate that does not call them does not compile them.

/// Constructor of an operation, with its required parameters, and setters of the others.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_parameters {
    ($operation:ident($($arguments:tt)*) { $($required:tt)* } { $(#[$docs:meta] $param:ident: $ty:ty,)* }) => {
        impl $operation {
            /// The operation with its required parameters; the others are unset.
            pub fn new($($arguments)*) -> Self {
                Self { $($required)* $($param: None,)* }
            }

            $(
                #[$docs]
                #[must_use]
                pub fn $param(mut self, value: impl $crate::IntoOptional<$ty>) -> Self {
                    self.$param = $crate::IntoOptional::into_optional(value);
                    self
                }
            )*
        }
    };
}

/// Type of a manager's call.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_call {
    ($vis:vis $call:ident: $operation:ident = $name:literal { $(#[$docs:meta] $param:ident: $ty:ty,)* }) => {
        #[doc = concat!("The call `", $name, "`, with its parameters: await it, `wait()` for it or `preview()` it.")]
        #[must_use = "a call runs when it is awaited or waited for"]
        #[derive(Clone, Debug)]
        $vis struct $call($crate::Call<$operation>);

        impl $call {
            $(
                #[$docs]
                pub fn $param(self, value: impl $crate::IntoOptional<$ty>) -> Self {
                    let value: Option<$ty> = $crate::IntoOptional::into_optional(value);
                    Self(self.0.map(|params| params.$param(value)))
                }
            )*

            /// Takes all parameters from `record`.
            #[inline]
            pub fn with(self, record: $operation) -> Self {
                Self(self.0.with(record))
            }

            /// Sets a parameter by its name in the specification. An unknown name is an error of the call, with the
            /// nearest known name.
            pub fn set(self, name: &str, value: impl Into<$crate::Value>) -> Self {
                Self(self.0.set(name, value))
            }
        }
    };
}

/// Methods of a call that has one answer.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_answer {
    ($call:ident: $output:ty) => {
        impl $call {
            /// Runs the call and blocks this thread until it is done. No async runtime is needed.
            ///
            /// # Errors
            ///
            /// `Invalid` for a parameter that breaks its rules, `NoSession` for a model without a session, and the error
            /// codes of the service.
            #[inline]
            pub fn wait(self) -> $crate::Result<$output> {
                self.0.wait()
            }

            /// Runs the call, rolls it back, and returns its answer with the rows that it would change.
            ///
            /// # Errors
            ///
            /// Those of the call; `Unsupported` on a remote endpoint.
            #[inline]
            pub fn preview(self) -> $crate::QueryFuture<'static, $crate::Preview<$output>> {
                self.0.preview()
            }
        }

        impl ::core::future::IntoFuture for $call {
            type Output = $crate::Result<$output>;
            type IntoFuture = $crate::CallFuture<$output>;

            #[inline]
            fn into_future(self) -> Self::IntoFuture {
                self.0.run()
            }
        }
    };
}

/// Method that returns the only item of a call's list.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_one {
    ($call:ident: $item:ty) => {
        impl $call {
            /// Runs the call and returns the only item of its answer, which is a list.
            ///
            /// # Errors
            ///
            /// Those of the call; `NotFound` if the list is empty, `Conflict` if it has several items.
            #[inline]
            pub fn one(self) -> $crate::QueryFuture<'static, $item> {
                self.0.one()
            }
        }
    };
}

/// Methods of a call that lists models.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_results {
    ($call:ident: $kind:ty) => {
        impl $call {
            /// The models as a lazy result set: pages are fetched when they are needed.
            #[inline]
            pub fn results(self) -> $crate::Results<$kind> {
                self.0.results()
            }

            /// The first page of the listing.
            ///
            /// # Errors
            ///
            /// Those of [`page`](Self::page).
            #[inline]
            pub fn first_page(self) -> $crate::QueryFuture<'static, $crate::Page<$kind>> {
                self.0.page(None)
            }

            /// One page of the listing: the first without a token, else the one of the `next_token` of another page.
            ///
            /// # Errors
            ///
            /// `Invalid` for a parameter that breaks its rules, and the error codes of the service, such as the one for an
            /// expired or foreign token.
            pub fn page(
                self,
                token: impl $crate::IntoOptional<$crate::Text>,
            ) -> $crate::QueryFuture<'static, $crate::Page<$kind>> {
                self.0.page($crate::IntoOptional::into_optional(token))
            }
        }
    };
}

/// Method of a model that runs an operation on it.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_instance {
    ($kind:ty { #[$docs:meta] $method:ident($($argument:ident: $ty:ty = $name:literal),*): $call:ident: $params:ident }) => {
        impl $kind {
            #[$docs]
            #[inline]
            pub fn $method(&self $(, $argument: impl $crate::IntoField<$ty>)*) -> $call {
                let session = $crate::Resource::require_session(self).cloned();
                let params: $crate::Result<$params> = $crate::OnModel::for_model_except(self, &[$($name),*]);
                $(
                    let params = params.map(|mut params| {
                        params.$argument = $crate::IntoField::<$ty>::into_field($argument);
                        params
                    });
                )*
                $call($crate::Call::on_model(session, params))
            }
        }
    };
}
