//! Rows that all accounts of a partition share: aliases of accounts, and key sets of issuers.

use nephos_cloud::{Scope, Tx};
use nephos_core::global_region;

/// Owner of the rows, in place of an account.
const OWNER: &str = "aws";

/// Calls `body` in the scope of the rows that all accounts share.
pub(crate) fn in_shared_scope<T>(cx: &mut Tx<'_>, body: impl FnOnce(&mut Tx<'_>) -> T) -> T {
    let scope = Scope::new(OWNER, global_region(cx.scope().region()));
    cx.in_scope(&scope, body)
}
