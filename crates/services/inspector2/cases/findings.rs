//! Cases: parameters of the listing.

use super::World;
use nephos_core::Result;
use nephos_inspector2::{Finding, ListFindings, errors};
use nephos_testing::ask;

pub(super) fn parameters_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    assert!(Finding::objects(&session).list().results().all().wait()?.is_empty());
    let listed = |size: i64| ask(&session, ListFindings::new().max_results(size));
    assert_eq!(listed(1)?.findings().map(<[_]>::len), Some(0));
    world.refused(&errors::VALIDATION, "maxResults", || listed(101));
    world.refused(&errors::VALIDATION, "nextToken", || ask(&session, ListFindings::new().next_token("x")));
    Ok(())
}
