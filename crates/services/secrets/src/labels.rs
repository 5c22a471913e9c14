//! Labels of versions: each is on one version at most; the current version is the one that has the label for it.

use super::{SecretRow, errors};
use nephos_core::{Map, Result, Text};

/// The label of the current version.
pub const CURRENT: &str = "PROVIDERCURRENT";

/// The label of the version that was the current one before.
pub const PREVIOUS: &str = "PROVIDERPREVIOUS";

/// The label of the version that a rotation is making.
pub const PENDING: &str = "PROVIDERPENDING";

/// How labels are spelled: by the specification, and on the wire.
pub(super) static SPELLINGS: &[(&str, &str)] =
    &[(CURRENT, "AWSCURRENT"), (PREVIOUS, "AWSPREVIOUS"), (PENDING, "AWSPENDING")];

/// Maximum number of labels of a secret, over all of its versions.
const MAX_LABELS: usize = 20;

/// A label in the specification's spelling.
pub(super) fn canonical_spelling(label: &str) -> &str {
    SPELLINGS.iter().find(|(_, wire)| *wire == label).map_or(label, |(name, _)| name)
}

/// The provider's spelling of a label, which messages use.
pub(super) fn wire_spelling(label: &str) -> &str {
    SPELLINGS.iter().find(|(name, _)| *name == label).map_or(label, |(_, wire)| wire)
}

/// The labels of each version that has any.
pub(super) fn labels_by_version(secret: &SecretRow) -> Option<Map<Vec<Text>>> {
    let stages = secret.stages.as_ref().filter(|stages| !stages.is_empty())?;
    let mut versions = Map::<Vec<Text>>::default();
    for (label, version) in stages {
        versions.entry(version.clone()).or_default().push(label.clone());
    }
    Some(versions)
}

impl SecretRow {
    /// The version that a label is on.
    pub(super) fn version_with_label(&self, label: &str) -> Option<&Text> {
        self.stages.as_ref().and_then(|stages| stages.get(label))
    }

    /// The labels of a version.
    pub(super) fn labels_of(&self, version: &str) -> Vec<Text> {
        let stages = self.stages.iter().flatten().filter(|(_, on)| *on == version);
        stages.map(|(label, _)| label.clone()).collect()
    }

    /// Puts a label on a version, and takes it off any other. What was the current version becomes the previous one.
    pub(super) fn move_label(&mut self, label: &str, version: &Text) -> Result<()> {
        let current = self.version_with_label(CURRENT).cloned();
        if current.as_ref() == Some(version) && label == CURRENT {
            return Ok(());
        }
        let stages = self.stages.get_or_insert_default();
        stages.insert(label.into(), version.clone());
        if label == CURRENT
            && let Some(current) = current
        {
            stages.insert(PREVIOUS.into(), current);
        }
        if stages.len() > MAX_LABELS {
            let message = format!("a secret can have at most {MAX_LABELS} labels, got {}", stages.len());
            return Err(errors::LIMIT_EXCEEDED.with_message(message).with_field("VersionStages"));
        }
        Ok(())
    }

    /// Takes a label off whatever it is on.
    pub(super) fn remove_label(&mut self, label: &str) {
        self.stages.as_mut().map(|stages| stages.shift_remove(label));
    }
}
