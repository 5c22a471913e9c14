//! Behaviour cases as library code: they run over every transport to a cloud.
//!
//! A case takes a [`World`] and asserts what a user would notice. It does not depend on the transport: it has sessions, a
//! clock to advance, and a way to compare the whole state. Each service lists its cases with [`cases!`]; a
//! case that is not listed is dead code, and does not compile.

mod kill;
mod laws;
mod wire_text;
mod world;

pub use kill::{kill_after, report_done};
pub use laws::{
    CreatedBy, Duplicate, FilledResource, KindFacts, LawFacts, OperationGroup, RemainingRows, StateFileCheck,
    Step, filled_resource,
};
pub use world::{
    DAY, HOUR, MINUTE, OTHER_ACCOUNT, OTHER_REGION, SECOND, State, THIRD_ACCOUNT, TestCloud, World, ask,
    clock, names, with_fields,
};

use nephos_core::Result;

#[doc(hidden)]
pub use nephos_cloud::{Cloud, CloudOptions, Kernel, Service, ServiceSet};

/// A behaviour case of a service.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The service, the theme and the case: `logs::tags::duplicate_tag_keys_are_rejected`.
    pub name: &'static str,
    /// Runs the case. It panics or returns an error if it fails.
    pub run: fn(World) -> Result<()>,
    /// True if it only holds in process, where a call of several operations is one transaction.
    pub in_process: bool,
}

/// Lists the cases of a service as `CASES`: modules with the functions in them.
///
/// The second argument is the world of the service: a type with `From<nephos_testing::World>`, which [`world!`] declares.
///
/// It also exports `each_case!(CASES, RUN)`, which declares a test for each case that holds everywhere, and
/// `each_case_in_process!` for the others. `RUN` takes the list and the name of the case.
#[macro_export]
macro_rules! cases {
    ($($list:tt)*) => {
        $crate::list_cases! { ($) $($list)* }
    };
}

/// [`cases!`] with a dollar sign, which the inner macro needs for its own variables.
#[doc(hidden)]
#[macro_export]
macro_rules! list_cases {
    (($dollar:tt) $service:literal, $world:ident;
     $($theme:ident { $($case:ident,)* })*
     $(@in_process $own:ident { $($only:ident,)* })*) => {
        /// Behaviour cases of the service.
        pub static CASES: &[$crate::Case] = &[
            $($($crate::Case {
                name: concat!($service, "::", stringify!($theme), "::", stringify!($case)),
                run: |world| $theme::$case(&$world::from(world)),
                in_process: false,
            },)*)*
            $($($crate::Case {
                name: concat!($service, "::", stringify!($own), "::", stringify!($only)),
                run: |world| $own::$only(&$world::from(world)),
                in_process: true,
            },)*)*
        ];

        /// Declares a test for each case of the service that holds everywhere.
        #[macro_export]
        macro_rules! each_case {
            ($dollar cases:path, $dollar run:path) => {
                $(mod $theme {
                    $(#[test]
                    fn $case() {
                        $dollar run($dollar cases, concat!($service, "::", stringify!($theme), "::", stringify!($case)));
                    })*
                })*
            };
        }

        /// Declares a test for each case of the service that only holds in process.
        #[macro_export]
        macro_rules! each_case_in_process {
            ($dollar cases:path, $dollar run:path) => {
                $(mod $own {
                    $(#[test]
                    fn $only() {
                        $dollar run($dollar cases, concat!($service, "::", stringify!($own), "::", stringify!($only)));
                    })*
                })*
            };
        }
    };
}

/// Declares the tests of the cases of a service, by the crate that lists them: on a cloud in memory, and every tenth also on a file.
#[macro_export]
macro_rules! test_cases {
    ($cases:ident) => {
        mod cases {
            $cases::each_case!($cases::CASES, $crate::run_in_process::<$cases::Services>);

            mod in_process {
                $cases::each_case_in_process!($cases::CASES, $crate::run_in_process::<$cases::Services>);
            }
        }
    };
}

/// Declares the world of a service, which can have helper methods of its own, and a cloud with the service and the services
/// that it depends on.
#[macro_export]
macro_rules! world {
    ($($service:path),+) => {
        /// The service, and the services that it depends on.
        #[derive(Debug)]
        pub struct Services;

        impl $crate::ServiceSet for Services {
            const SERVICES: &'static [&'static $crate::Service] = &[$(&$service),+];
        }

        /// A cloud with the service, and the services that it depends on.
        pub type Cloud = $crate::Cloud<Services>;

        /// World of the cases of the service.
        pub(crate) struct World($crate::World);

        impl From<$crate::World> for World {
            fn from(world: $crate::World) -> Self {
                Self(world)
            }
        }

        impl std::ops::Deref for World {
            type Target = $crate::World;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
    };
}

/// Options of a cloud under test.
pub fn options<S: ServiceSet>() -> CloudOptions<S> {
    Cloud::options().clock(clock()).seed(7)
}

/// Runs a case in the world that `make` returns.
///
/// # Panics
///
/// If the case fails.
pub fn run(cases: &[Case], name: &str, make: impl FnOnce() -> World) {
    let case = cases.iter().find(|case| case.name == name).expect("the case is listed");
    (case.run)(make()).unwrap_or_else(|error| panic!("{error}"));
}

/// Runs a case on a cloud in memory, and every tenth also on a file.
///
/// # Panics
///
/// If the case fails.
pub fn run_in_process<S: ServiceSet>(cases: &[Case], name: &str) {
    run(cases, name, || World::new(Kernel::from(options::<S>().in_memory())));
    if let Some(case) = cases.iter().step_by(10).find(|case| case.name == name) {
        run_on_file::<S>(case).unwrap_or_else(|error| panic!("on a file: {error}"));
    }
}

/// Runs a case on a cloud in a file.
fn run_on_file<S: ServiceSet>(case: &Case) -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    // Power loss is tested in the store, and a sync takes longer than a case.
    let cloud = options::<S>().durable(false).open(folder.path().join("cloud"))?;
    (case.run)(World::new(Kernel::from(cloud.clone())))?;
    cloud.check()?;
    cloud.close()
}
