//! What the services do, as library code: cases that every way in has to pass.
//!
//! A case takes a [`World`] and asserts what a user would notice. It does not know how its calls get to the cloud: it
//! has sessions, a clock to move, and a way to compare the whole state. Each service has a folder of them, and a list in
//! it; [`cases!`](crate::cases!) goes through the lists, so that a test file can make a test of each.
//!
//! ```
//! use nephos::{Cloud, cases};
//!
//! let cloud = Cloud::options().clock(cases::clock()).in_memory();
//! cases::logs::log_group::a_created_group_is_got_as_it_was_written(&cases::World::new(cloud))?;
//! # Ok::<(), nephos::Error>(())
//! ```

pub mod ec2;
pub mod elbv2;
pub mod logs;
pub mod schemas;
pub mod secrets;
mod world;

pub use world::{Bench, State, World, clock};

use nephos_core::Result;
use world::{DAY, HOUR, MINUTE, OTHER_ACCOUNT, OTHER_REGION, SECOND, THIRD_ACCOUNT, ask, names};

/// One thing that the services do. It panics, or returns an error, if they do not.
pub type Case = fn(&World) -> Result<()>;

/// Calls a macro with the list of each service's cases, which are functions `cases::service::theme::case`.
///
/// A list is `service { theme: case case …; … } here { theme: case …; … }`. What stands under `here` holds only where a call
/// of several steps is one transaction, and time passes by being moved: on a cloud in the process.
///
/// ```
/// macro_rules! name {
///     ($service:ident { $($theme:ident: $($case:ident)*;)* } here { $($own:ident: $($only:ident)*;)* }) => {
///         let everywhere: &[&str] = &[$($(stringify!($case)),*),*];
///         let here: &[&str] = &[$($(stringify!($only)),*),*];
///         println!("{}: {everywhere:?} and {here:?}", stringify!($service));
///     };
/// }
/// nephos::cases!(name);
/// ```
#[macro_export]
macro_rules! cases {
    ($callback:ident) => {
        $crate::ec2_cases!($callback);
        $crate::elbv2_cases!($callback);
        $crate::logs_cases!($callback);
        $crate::schemas_cases!($callback);
        $crate::secrets_cases!($callback);
    };
}
