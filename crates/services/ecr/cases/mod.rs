//! Behaviour cases: container repositories.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the case")]

mod laws;
mod repositories;

use crate::{ImageScanningConfiguration, ImageTagMutability, Repository, RepositoryBuilder};
use nephos_core::{Result, Session};

pub use laws::LAWS;

nephos_cloud::world!(crate::ECR);

nephos_cloud::cases! {
    "ecr", World;
    repositories {
        accounts_and_regions_are_isolated,
        created_repository_is_returned_by_get,
        duplicate_name_is_refused,
        missing_repository_is_not_found,
    }
}

/// Returns the builder of a repository with the required fields.
fn plan(name: &str) -> RepositoryBuilder {
    Repository::builder()
        .repository_name(name)
        .image_tag_mutability(ImageTagMutability::Mutable)
        .image_scanning_configuration(ImageScanningConfiguration { scan_on_push: None })
}

/// Creates a repository with the required fields.
fn create(session: &Session, name: &str) -> Result<Repository> {
    Repository::objects(session).create(&plan(name).build()?).wait()
}
