//! Macros for kinds: their traits, managers and relations.

/// Methods of `Beside` that every model has.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_model_fields {
    ($slot:ident { $($name:literal $how:ident<$ty:ty>($look:path),)* }) => {
        fn kind(&self) -> Option<&'static $crate::shape::KindShape> {
            Some(<Self as $crate::Resource>::KIND)
        }

        fn slot(&self) -> Option<&$crate::Slot> {
            Some(&self.$slot)
        }

        fn slot_mut(&mut self) -> Option<&mut $crate::Slot> {
            Some(&mut self.$slot)
        }

        $crate::derived_related!($($name $how<$ty>($look),)*);
    };
}

/// Lookup of relations by name. A kind without relations needs nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_related {
    () => {};
    ($($name:literal $how:ident<$ty:ty>($look:path),)+) => {
        fn related<'a>(&'a self, name: &str) -> Option<$crate::relation::Lookup<'a>> {
            match name {
                $($name => Some(Box::pin($crate::derived::$how::<$ty>($look(self)))),)+
                _ => None,
            }
        }
    };
}

/// Methods that look up the relations of a model.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_relations {
    ($kind:ident.$slot:ident {
        $(#[$docs:meta] $relation:ident($name:literal): $found:ty = $with:path;)*
    }) => {
        impl $kind {
            $(
                #[$docs]
                ///
                /// The answer is remembered until a field or the session of this model changes.
                ///
                /// # Errors
                ///
                /// `NoSession` if this model has no session, and the errors of the service.
                #[inline]
                pub fn $relation(
                    &self,
                ) -> $crate::QueryFuture<'_, <$found as $crate::relation::Remembered>::Shared> {
                    $crate::derived::look_up_once::<$found>(&self.$slot, $name, $with(self))
                }
            )*
        }
    };
}

/// Everything that makes a record a kind.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_resource {
    ($vis:vis $manager:ident: $kind:ident $shape:expr) => {
        impl $crate::Resource for $kind {
            const KIND: &'static $crate::shape::KindShape = {
                static KIND: $crate::shape::KindShape = $shape;
                &KIND
            };
            type Manager = $manager;

            #[inline]
            fn objects(session: &$crate::Session) -> $manager {
                $kind::objects(session)
            }
        }

        #[doc = concat!("Manager of [`", stringify!($kind), "`]: its calls for one session.")]
        #[derive(Clone, Debug)]
        $vis struct $manager {
            session: $crate::Session,
        }

        impl $manager {
            /// The session that the calls run in.
            #[inline]
            pub fn session(&self) -> &$crate::Session {
                &self.session
            }
        }

        impl $kind {
            #[doc = concat!("The manager of [`", stringify!($kind), "`] for `session`.")]
            #[inline]
            pub fn objects(session: &$crate::Session) -> $manager {
                $manager { session: session.clone() }
            }
        }
    };
}

/// The `delete` method of a kind that cannot be deleted.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_unsupported_delete {
    ($kind:ident) => {
        impl $kind {
            /// Fails: models of this kind cannot be deleted.
            ///
            /// # Errors
            ///
            /// `Unsupported`, or `Frozen` for read-only kinds, when the call runs.
            #[inline]
            pub fn delete(&self) -> $crate::UnsupportedCall {
                $crate::UnsupportedCall::new::<Self>("delete")
            }
        }
    };
}
