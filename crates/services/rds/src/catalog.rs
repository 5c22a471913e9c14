//! What the service offers: versions of engines, options of instances, source Regions and quotas.

mod engine_versions;
mod major_versions;
mod modifications;
mod orderable;
mod quotas;
mod regions;

pub use engine_versions::*;
pub use major_versions::*;
pub use modifications::*;
pub use orderable::*;
pub use quotas::*;
pub use regions::*;
