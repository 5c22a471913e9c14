//! Access: the callers of operations, the policies that apply to them, decisions, and the log of decisions.

mod caller;
mod check;
mod control;
mod explain;
mod identity;
mod log;
mod policies;
mod resource;
mod temporary;

pub use caller::{Caller, KnownKey, RequestSource};
pub use explain::{AccessQuery, ExplainedAccess};
pub use identity::{
    FindGrants, FindResource, FindSubjects, Identities, Identity, LongTermKey, ResourceFacts, ServiceAccess,
};
pub use log::{DecisionPage, LoggedDecision, smallest_policy};
pub use policies::{ALLOWS_NOTHING, PolicyForm};
pub use temporary::{TemporarySession, account_of_access_key, new_access_key_id, new_secret_access_key};

pub(crate) use check::as_refusal_of;
pub(crate) use log::TABLE as LOG_TABLE;
pub(crate) use policies::PolicyCache;

use crate::{Kernel, Key, corrupt, from_store_error};
use nephos_core::{Error, Result, nearest};
use nephos_store::View;
use std::{
    fmt,
    str::FromStr,
    sync::atomic::{AtomicU8, Ordering},
};

/// Enforcement of policies in a cloud.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Permissions {
    /// No request is compared with policies.
    #[default]
    Off,
    /// Every request is decided and the decision is logged; none is refused.
    Record,
    /// Requests that the policies do not allow are refused, and the refusals are logged.
    Enforce,
}

impl Permissions {
    /// All settings.
    pub const ALL: [Self; 3] = [Self::Off, Self::Record, Self::Enforce];

    /// Name of the setting: `off`, `record` or `enforce`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Record => "record",
            Self::Enforce => "enforce",
        }
    }
}

impl fmt::Display for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Permissions {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let unknown = || {
            let hint = nearest::suggest(name, Self::ALL.iter().map(|known| known.name()));
            Error::invalid("permissions", format!("{name:?} is not a setting{hint}"))
        };
        Self::ALL.into_iter().find(|known| known.name() == name).ok_or_else(unknown)
    }
}

/// The setting of a running cloud.
pub(crate) struct Setting(AtomicU8);

impl Setting {
    /// Reads the setting of a state; off if it has none.
    pub(crate) fn read(view: &dyn View) -> Result<Self> {
        let setting = match view.get(setting_key().as_bytes()).map_err(from_store_error)? {
            None => Permissions::Off,
            Some(row) => std::str::from_utf8(&row)
                .ok()
                .and_then(|name| name.parse().ok())
                .ok_or_else(|| corrupt("the row of the permission setting is malformed"))?,
        };
        Ok(Self(AtomicU8::new(setting as u8)))
    }

    pub(crate) fn get(&self) -> Permissions {
        match self.0.load(Ordering::Acquire) {
            1 => Permissions::Record,
            2 => Permissions::Enforce,
            _ => Permissions::Off,
        }
    }

    pub(crate) fn set(&self, permissions: Permissions) {
        self.0.store(permissions as u8, Ordering::Release);
    }

    pub(crate) fn fork(&self) -> Self {
        Self(AtomicU8::new(self.get() as u8))
    }
}

/// Key of the row with the setting. It has none while permissions are off.
pub(crate) fn setting_key() -> Key {
    Key::of_cloud("permissions")
}

impl Kernel {
    /// Enforcement of policies.
    pub fn permissions(&self) -> Permissions {
        self.0.permissions.get()
    }

    /// Sets the enforcement of policies. The setting is stored, and holds from the next request on.
    pub fn set_permissions(&self, permissions: Permissions) -> Result<()> {
        if permissions == self.permissions() {
            return Ok(());
        }
        let key = setting_key();
        let written = self.0.store.transact(move |txn| match permissions {
            Permissions::Off => txn.delete(key.as_bytes()),
            _ => txn.put(key.as_bytes(), permissions.name().as_bytes()),
        });
        written.wait().map_err(from_store_error)?;
        self.0.permissions.set(permissions);
        Ok(())
    }
}
