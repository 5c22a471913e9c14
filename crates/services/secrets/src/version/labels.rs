//! Labels of versions: each is on at most one version. The version with the label `PROVIDERCURRENT` is the current one.

use crate::{SecretRow, errors};
use nephos_core::{Map, Result, Text};

/// Label of the current version.
pub const CURRENT: &str = "PROVIDERCURRENT";

/// Label of the previous version.
pub const PREVIOUS: &str = "PROVIDERPREVIOUS";

/// Label of the version that a rotation creates.
pub const PENDING: &str = "PROVIDERPENDING";

/// Spellings of labels: in the specification, and on the wire.
pub(crate) static SPELLINGS: &[(&str, &str)] =
    &[(CURRENT, "AWSCURRENT"), (PREVIOUS, "AWSPREVIOUS"), (PENDING, "AWSPENDING")];

/// Maximum number of labels of a secret, over all versions.
const MAX_LABELS: usize = 20;

/// Returns the specification's spelling of a label.
pub(crate) fn canonical_spelling(label: &str) -> &str {
    SPELLINGS.iter().find(|(_, wire)| *wire == label).map_or(label, |(name, _)| name)
}

/// Returns the provider's spelling of a label, for messages.
pub(crate) fn wire_spelling(label: &str) -> &str {
    SPELLINGS.iter().find(|(name, _)| *name == label).map_or(label, |(_, wire)| wire)
}

/// Returns the labels of each version that has any.
pub(crate) fn labels_by_version(secret: &SecretRow) -> Option<Map<Vec<Text>>> {
    let stages = secret.stages.as_ref().filter(|stages| !stages.is_empty())?;
    let mut versions = Map::<Vec<Text>>::default();
    for (label, version) in stages {
        versions.entry(version.clone()).or_default().push(label.clone());
    }
    versions.values_mut().for_each(|labels| sort(labels));
    Some(versions)
}

/// Sorts labels by the provider's spelling, as the provider returns them.
fn sort(labels: &mut [Text]) {
    labels.sort_by(|a, b| wire_spelling(a).cmp(wire_spelling(b)));
}

impl SecretRow {
    /// Returns the ID of the version that has a label.
    pub(crate) fn version_with_label(&self, label: &str) -> Option<&Text> {
        self.stages.as_ref().and_then(|stages| stages.get(label))
    }

    /// Returns the labels of a version.
    pub(crate) fn labels_of(&self, version: &str) -> Vec<Text> {
        let stages = self.stages.iter().flatten().filter(|(_, on)| *on == version);
        let mut labels: Vec<_> = stages.map(|(label, _)| label.clone()).collect();
        sort(&mut labels);
        labels
    }

    /// Moves a label to a version. If it is the label of the current version, the one that had it becomes the previous
    /// version, and is no longer pending.
    pub(crate) fn move_label(&mut self, label: &str, version: &Text) -> Result<()> {
        let current = self.version_with_label(CURRENT).cloned();
        if current.as_ref() == Some(version) && label == CURRENT {
            return Ok(());
        }
        let stages = self.stages.get_or_insert_default();
        stages.insert(label.into(), version.clone());
        if label == CURRENT
            && let Some(current) = current
        {
            if stages.get(PENDING) == Some(&current) {
                stages.shift_remove(PENDING);
            }
            stages.insert(PREVIOUS.into(), current);
        }
        if stages.len() > MAX_LABELS {
            let error = errors::too_many_labels(MAX_LABELS).with_field("VersionStages");
            return Err(error.with_hint(format!("got {}", stages.len())));
        }
        Ok(())
    }

    /// Removes a label from the version that has it.
    pub(crate) fn remove_label(&mut self, label: &str) {
        self.stages.as_mut().map(|stages| stages.shift_remove(label));
    }
}
