//! Handler cases as library code: what every way in to a cloud has to do.
//!
//! A case takes a [`World`] and asserts what a user would notice. It does not know how its calls get to the cloud: it
//! has sessions, a clock to move, and a way to compare the whole state. Each service lists its cases with
//! [`cases!`](crate::cases!); a case that is written and not listed is dead code, and the build says so.

mod kill;
mod world;

pub use kill::{kill_after, say_done};
pub use world::{
    Bench, DAY, HOUR, MINUTE, OTHER_ACCOUNT, OTHER_REGION, SECOND, State, THIRD_ACCOUNT, World, ask, clock,
    names,
};

use crate::{Cloud, CloudOptions, ServiceSet};
use libtest_mimic::{Arguments, Failed, Trial};
use nephos_core::Result;

/// One thing that a service does.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The service, the theme and the case: `logs::tags::duplicate_tag_keys_are_rejected`.
    pub name: &'static str,
    /// Runs it: it panics, or returns an error, if the service does something else.
    pub run: fn(World) -> Result<()>,
    /// True if it holds only on a cloud in the process, where a call of several steps is one transaction.
    pub in_process: bool,
}

/// Lists the cases of a service as `CASES`: themes, which are modules, with the functions in them.
///
/// The second argument is the service's own world: a type with `From<nephos_cloud::testing::World>`, which
/// [`world!`](crate::world!) makes.
#[macro_export]
macro_rules! cases {
    ($service:literal, $world:ident;
     $($theme:ident { $($case:ident,)* })*
     $(@in_process $own:ident { $($only:ident,)* })*) => {
        /// The behaviour cases of the service.
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

/// Makes a service's own world, so that it can have helpers of its own as methods, and a cloud with the service and
/// those it stands on.
#[macro_export]
macro_rules! world {
    ($($service:path),+) => {
        /// The service, and those it stands on.
        #[derive(Debug)]
        pub struct Services;

        impl $crate::ServiceSet for Services {
            const SERVICES: &'static [&'static $crate::Service] = &[$(&$service),+];
        }

        /// A cloud with the service, and those it stands on.
        pub type Cloud = $crate::Cloud<Services>;

        /// The world of the service's cases.
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

/// The options of a cloud under test.
pub fn options<S: ServiceSet>() -> CloudOptions<S> {
    Cloud::options().clock(clock()).seed(7)
}

/// Makes a test of a case that runs in the world that `make` makes.
pub fn trial(case: &'static Case, way: &str, make: impl FnOnce() -> World + Send + 'static) -> Trial {
    Trial::test(format!("{way}::{}", case.name), move || {
        (case.run)(make()).map_err(|error| Failed::from(error.to_string()))
    })
}

/// Runs `cases` on a cloud in memory, and one in ten on a file, as a test program's `main`.
pub fn run_in_process<S: ServiceSet>(cases: &'static [Case]) {
    let memory = cases
        .iter()
        .map(|case| trial(case, "memory", || World::new(crate::Kernel::from(options::<S>().in_memory()))));
    let file = cases
        .iter()
        .step_by(10)
        .map(|case| Trial::test(format!("file::{}", case.name), move || Ok(on_a_file::<S>(case)?)));
    run(memory.chain(file).collect());
}

fn on_a_file<S: ServiceSet>(case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    // Losses of power are the store's to test, and a sync costs more than a case.
    let opened = options::<S>().durable(false).open(folder.path().join("cloud"));
    let cloud = opened.map_err(|error| error.to_string())?;
    let run = || {
        (case.run)(World::new(crate::Kernel::from(cloud.clone())))?;
        cloud.check()?;
        cloud.close()
    };
    run().map_err(|error| error.to_string())
}

/// Runs tests as a test program's `main`, with the arguments that the test runner gave.
pub fn run(trials: Vec<Trial>) {
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
