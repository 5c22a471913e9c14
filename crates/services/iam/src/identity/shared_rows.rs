//! Rows that all accounts of a partition share: aliases of accounts, and key sets of issuers.

use crate::identity::in_account;
use nephos_cloud::Tx;

/// Owner of the rows, in place of an account.
const OWNER: &str = "aws";

/// Calls `body` in the scope of the rows that all accounts share.
pub(crate) fn in_shared_scope<T>(cx: &mut Tx<'_>, body: impl FnOnce(&mut Tx<'_>) -> T) -> T {
    in_account(cx, OWNER, body)
}
