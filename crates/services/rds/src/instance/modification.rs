//! Changes that are under way while an instance has the status `modifying`, other than its pending changes.

use super::DBInstance;
use crate::{event::known, settings::Hosts};
use nephos_cloud::{Stored, Tx};
use nephos_core::{Record, Result, Text, choices};

choices! {
    /// A change that ends with the status `modifying`.
    #[derive(Eq)]
    pub(crate) enum Modification {
        /// The port changes; other changes wait for the maintenance window.
        Restart = "restart",
        /// A replica becomes independent.
        Promotion = "promotion",
        /// A replica changes places with its source.
        Switchover = "switchover",
        /// A source waits for its replica.
        Demotion = "demotion",
    }
}

/// Row of a change that is under way.
#[derive(Record)]
#[record(row)]
pub(crate) struct ModificationRow {
    /// Identifier of the instance.
    db_instance_identifier: Option<Text>,
    /// The change.
    modification: Option<Modification>,
    /// Days that automated backups are kept after a promotion.
    backup_retention_period: Option<i64>,
}

nephos_cloud::stored!(ModificationRow in "rds/modification" by db_instance_identifier);

impl ModificationRow {
    /// Takes the row of an instance away, if there is one.
    pub(crate) fn take(cx: &mut Tx<'_>, id: &str) -> Result<Option<Self>> {
        let row: Option<Self> = cx.get(&Self::table(cx.scope()).text(id))?;
        if let Some(row) = &row {
            cx.remove(row)?;
        }
        Ok(row)
    }
}

impl DBInstance {
    /// Starts a change, which ends with the status. `days` are the retention after a promotion.
    pub(super) fn begin_modification(
        &mut self,
        cx: &mut Tx<'_>,
        modification: Modification,
        days: Option<i64>,
    ) -> Result<()> {
        cx.put(ModificationRow {
            db_instance_identifier: self.db_instance_identifier.clone(),
            modification: Some(modification),
            backup_retention_period: days,
        })?;
        self.db_instance_status = Some("modifying".into());
        self.store(cx)
    }

    /// Ends a change: the one that is under way, or the pending ones.
    pub(super) fn finish_modification(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        let Some(row) = ModificationRow::take(cx, self.id())? else { return self.apply_pending(cx) };
        match row.modification {
            Some(Modification::Restart) => self.finish_restart(cx),
            Some(Modification::Promotion) => self.finish_promotion(cx, row.backup_retention_period),
            Some(Modification::Switchover) => self.finish_switchover(cx),
            _ => Ok(()),
        }
    }

    /// Ends a restart with another port.
    fn finish_restart(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        if self.settle_password() {
            self.record(cx, &known::PASSWORD_RESET, &[])?;
        }
        let pending = self.pending_modified_values.as_mut();
        let port = pending.and_then(|pending| pending.port.take()).or(self.own_port()).unwrap_or_default();
        let hosts = Hosts::of(cx, self.engine.as_deref().unwrap_or_default());
        self.endpoint = Some(hosts.instance(self.id(), port));
        self.record(cx, &known::INSTANCE_RESTARTED, &[])
    }
}
