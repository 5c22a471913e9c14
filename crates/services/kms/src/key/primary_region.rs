//! Changes of the primary of a multi-Region key.

use crate::{
    CryptoKey, CryptoKeyManager, errors,
    key::{
        self, KeyIdOrArn, KeyRow, KeyState, find,
        replica::{NextState, TRANSITION, write_regions_to_related},
        rotation,
    },
};
use nephos_cloud::{Handler, Scope, Tx};
use nephos_core::{Empty, Result, Text, operation};

/// Makes the replica of another Region the primary of a multi-Region key, and the primary a replica.
#[operation(of = CryptoKey, include(KeyIdOrArn), call = "update_primary_region", effect = write)]
pub struct UpdatePrimaryRegion {
    /// Region of the new primary, which has a replica.
    #[field(length(1..=32), pattern = r"([a-z]+-){2,3}\d+", condition = "kms:PrimaryRegion")]
    pub primary_region: Text,
}

impl Handler for UpdatePrimaryRegion {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut old = find::require_own(cx, &self.key_id)?;
        old.check_multi_region_primary(cx)?;
        old.check_changeable(cx)?;
        let region = &self.primary_region;
        let there = Scope::new(cx.scope().account(), region);
        if !old.replica_regions().contains(region) {
            return Err(errors::key_not_found(key::arn(&there, old.id())).with_field("PrimaryRegion"));
        }
        cx.in_scope(&there, |cx| find::require_by_id(cx, old.id())?.check_settled(cx))?;

        let mut replicas = old.replica_regions.take().unwrap_or_default();
        replicas.retain(|known| known != region);
        replicas.push(cx.scope().region().into());
        old.set_regions(region.clone(), replicas);
        write_regions_to_related(cx, &old)?;
        let rotation = old.rotation.take();
        start_update(cx, &mut old)?;
        let id = old.key_id.clone().unwrap_or_default();
        cx.put(old)?;
        cx.in_scope(&there, |cx| {
            let mut new = find::require_by_id(cx, &id)?;
            new.rotation = rotation;
            rotation::schedule(cx, &new)?;
            start_update(cx, &mut new)?;
            cx.put(new)
        })?;
        Ok(Empty {})
    }
}

/// Sets the state Updating, which ends with the state of before.
fn start_update(cx: &mut Tx<'_>, key: &mut KeyRow) -> Result<()> {
    key.next_state = key.key_state.replace(KeyState::Updating);
    cx.schedule_transition(TRANSITION, &NextState { key_id: key.key_id.clone() })
}
