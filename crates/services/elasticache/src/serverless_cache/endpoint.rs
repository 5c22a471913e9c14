//! Host names of serverless caches.

use crate::cluster;
use nephos_cloud::Tx;
use nephos_core::Text;

/// Characters of the random part of host names.
const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// Returns the host name of a new serverless cache.
pub(super) fn new_address(cx: &Tx<'_>, name: &str) -> Text {
    let part = cx.ids().from_alphabet(ALPHABET, 6);
    format!("{name}-{part}.serverless.{}", cluster::domain(cx)).into()
}
