//! Lookups of networks for the kinds of other services. An empty list of IDs finds nothing, not everything.

use crate::{SecurityGroup, Subnet};
use nephos_core::{Result, Session, Text};

/// Finds subnets by their IDs.
pub async fn find_subnets(session: &Session, ids: Vec<Text>) -> Result<Vec<Subnet>> {
    match ids.is_empty() {
        true => Ok(Vec::new()),
        false => Subnet::objects(session).list().subnet_ids(ids).results().await,
    }
}

/// Finds security groups by their IDs.
pub async fn find_security_groups(session: &Session, ids: Vec<Text>) -> Result<Vec<SecurityGroup>> {
    match ids.is_empty() {
        true => Ok(Vec::new()),
        false => SecurityGroup::objects(session).list().group_ids(ids).results().await,
    }
}
