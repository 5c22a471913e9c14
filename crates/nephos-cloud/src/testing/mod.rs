//! Behaviour cases as library code: they run over every transport to a cloud.
//!
//! A case takes a [`World`] and asserts what a user would notice. It does not depend on the transport: it has sessions, a
//! clock to advance, and a way to compare the whole state. Each service lists its cases with [`cases!`](crate::cases!); a
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
    clock, names,
};

use crate::{Cloud, CloudOptions, ServiceSet};
use libtest_mimic::{Arguments, Failed, Trial};
use nephos_core::Result;

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
/// The second argument is the world of the service: a type with `From<nephos_cloud::testing::World>`, which
/// [`world!`](crate::world!) declares.
#[macro_export]
macro_rules! cases {
    ($service:literal, $world:ident;
     $($theme:ident { $($case:ident,)* })*
     $(@in_process $own:ident { $($only:ident,)* })*) => {
        /// Behaviour cases of the service.
        pub static CASES: &[$crate::testing::Case] = &[
            $($($crate::testing::Case {
                name: concat!($service, "::", stringify!($theme), "::", stringify!($case)),
                run: |world| $theme::$case(&$world::from(world)),
                in_process: false,
            },)*)*
            $($($crate::testing::Case {
                name: concat!($service, "::", stringify!($own), "::", stringify!($only)),
                run: |world| $own::$only(&$world::from(world)),
                in_process: true,
            },)*)*
        ];
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
        pub(crate) struct World($crate::testing::World);

        impl From<$crate::testing::World> for World {
            fn from(world: $crate::testing::World) -> Self {
                Self(world)
            }
        }

        impl std::ops::Deref for World {
            type Target = $crate::testing::World;

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

/// Creates a test that runs a case in the world that `make` returns.
pub fn trial(case: &'static Case, way: &str, make: impl FnOnce() -> World + Send + 'static) -> Trial {
    Trial::test(format!("{way}::{}", case.name), move || {
        (case.run)(make()).map_err(|error| Failed::from(error.to_string()))
    })
}

/// Runs `cases` on a cloud in memory, and every tenth also on a file, as the `main` of a test program.
pub fn run_in_process<S: ServiceSet>(cases: &'static [Case]) {
    let memory = cases
        .iter()
        .map(|case| trial(case, "memory", || World::new(crate::Kernel::from(options::<S>().in_memory()))));
    let file = cases
        .iter()
        .step_by(10)
        .map(|case| Trial::test(format!("file::{}", case.name), move || Ok(run_on_file::<S>(case)?)));
    run(memory.chain(file).collect());
}

/// Runs a case on a cloud in a file.
fn run_on_file<S: ServiceSet>(case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    // Power loss is tested in the store, and a sync takes longer than a case.
    let opened = options::<S>().durable(false).open(folder.path().join("cloud"));
    let cloud = opened.map_err(|error| error.to_string())?;
    let run = || {
        (case.run)(World::new(crate::Kernel::from(cloud.clone())))?;
        cloud.check()?;
        cloud.close()
    };
    run().map_err(|error| error.to_string())
}

/// Runs tests as the `main` of a test program, with the arguments of the test runner.
pub fn run(trials: Vec<Trial>) {
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
