//! Changing a log group: what differs from what the model was read with.

use super::{
    AssociateKmsKey, DeleteRetentionPolicy, DisassociateKmsKey, Get, LogGroup, LogGroupManager,
    PutLogGroupDeletionProtection, PutRetentionPolicy, TagResource, UntagResource, errors,
    log_group::not_found,
};
use nephos_core::{Resource, Result, Steppable, Steps, TagChange, operation, tags};

/// Changes the retention, protection, key and tags of a log group: those that differ from what the model was read with.
#[operation(kind = LogGroup, call = "update", case = "snake", effect = write, output = LogGroup)]
pub struct Update {
    /// The log group.
    #[field(model)]
    pub model: LogGroup,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<LogGroup> {
        let Some(name) = self.model.log_group_name.clone() else {
            return Err(errors::INVALID.because("is required").with_field("logGroupName"));
        };
        let get = Get::new(name.clone());
        let Some(current) = get.run(steps).await? else { return Err(not_found(&name)) };
        self.check(&current)?;
        for field in self.model.changed() {
            match field {
                "retentionInDays" => self.keep_for(steps, &current).await?,
                "deletionProtectionEnabled" => self.protect(steps, &current).await?,
                "kmsKeyId" => self.encrypt(steps, &current).await?,
                "Tags" => self.retag(steps, &current).await?,
                _ => {}
            }
        }
        get.run(steps).await?.ok_or_else(|| not_found(&name))
    }
}

impl Update {
    /// Refuses what cannot be changed before anything is: on an endpoint each step stands for itself.
    fn check(&self, current: &LogGroup) -> Result<()> {
        self.model.check_changes()?;
        if self.model.changed().contains(&"logGroupClass")
            && self.model.log_group_class != current.log_group_class
        {
            return Err(errors::INVALID.because("cannot be changed").with_field("logGroupClass"));
        }
        Ok(())
    }

    async fn keep_for(&self, steps: &Steps, current: &LogGroup) -> Result<()> {
        let name = current.log_group_name.clone().unwrap_or_default();
        match self.model.retention_in_days {
            days if days == current.retention_in_days => {}
            Some(days) => {
                steps.call(PutRetentionPolicy::new(name, days)).await?;
            }
            None => {
                steps.call(DeleteRetentionPolicy::new(name)).await?;
            }
        }
        Ok(())
    }

    async fn protect(&self, steps: &Steps, current: &LogGroup) -> Result<()> {
        let on = self.model.deletion_protection_enabled.unwrap_or(false);
        if Some(on) != current.deletion_protection_enabled {
            let arn = current.log_group_arn.clone().unwrap_or_default();
            steps.call(PutLogGroupDeletionProtection::new(arn, on)).await?;
        }
        Ok(())
    }

    async fn encrypt(&self, steps: &Steps, current: &LogGroup) -> Result<()> {
        let name = current.log_group_name.clone();
        match &self.model.kms_key_id {
            key if *key == current.kms_key_id => {}
            Some(key) => {
                steps.call(AssociateKmsKey::new(key.clone()).log_group_name(name)).await?;
            }
            None => {
                steps.call(DisassociateKmsKey::new().log_group_name(name)).await?;
            }
        }
        Ok(())
    }

    async fn retag(&self, steps: &Steps, current: &LogGroup) -> Result<()> {
        let arn = current.log_group_arn.clone().unwrap_or_default();
        let (put, removed) = TagChange::of(&self.model).against(&tags::known(current));
        if !removed.is_empty() {
            steps.call(UntagResource::new(arn.clone(), removed)).await?;
        }
        if !put.is_empty() {
            steps.call(TagResource::new(arn, put)).await?;
        }
        Ok(())
    }
}
