//! Features of instances that can be turned on: measurements, performance data, processor features and further volumes.

use super::{AdditionalStorageVolume, DBInstance, storage::GivenStorage};
use crate::{
    ProcessorFeature,
    engine::{Engine, Version, classes},
    errors, settings,
};
use nephos_cloud::Tx;
use nephos_core::{Arn, Error, Result, Text};

/// Seconds between two measurements.
const INTERVALS: &[i64] = &[0, 1, 5, 10, 15, 30, 60];

/// Names of further volumes.
pub(crate) const VOLUMES: &[&str] = &["rdsdbdata2", "rdsdbdata3", "rdsdbdata4"];

fn refuse<T>(error: Error, field: &str) -> Result<T> {
    Err(error.with_field(field))
}

/// True for a number of days that performance data can be kept.
pub(crate) fn is_retention(days: i64) -> bool {
    days == 7 || days == 731 || (days % 31 == 0 && (1..=23).contains(&(days / 31)))
}

impl DBInstance {
    /// Changes the measurements of the operating system.
    pub(crate) fn set_monitoring(&mut self, interval: Option<i64>, role: Option<&str>) -> Result<()> {
        let interval = interval.or(self.monitoring_interval).unwrap_or(0);
        if !INTERVALS.contains(&interval) {
            return refuse(errors::monitoring_interval_invalid(interval), "MonitoringInterval");
        }
        let current = self.monitoring_role_arn.as_deref();
        match role.or(current.filter(|_| interval != 0)) {
            None if interval != 0 => return refuse(errors::monitoring_role_needed(), "MonitoringRoleArn"),
            Some(_) if interval == 0 => {
                return refuse(errors::monitoring_interval_needed(), "MonitoringInterval");
            }
            Some(role) if !is_role(role) => {
                return refuse(errors::monitoring_role_invalid(), "MonitoringRoleArn");
            }
            role => self.monitoring_role_arn = role.map(Text::new),
        }
        self.monitoring_interval = Some(interval);
        let arn = self.db_instance_arn.as_deref().and_then(Arn::parts);
        self.enhanced_monitoring_resource_arn = match (arn, &self.dbi_resource_id) {
            (Some([partition, _, region, account, _]), Some(id)) if interval != 0 => Some(
                format!("arn:{partition}:logs:{region}:{account}:log-group:RDSOSMetrics:log-stream:{id}")
                    .into(),
            ),
            _ => None,
        };
        Ok(())
    }

    /// Changes the performance data.
    pub(crate) fn set_performance_insights(
        &mut self,
        cx: &mut Tx<'_>,
        enabled: Option<bool>,
        retention: Option<i64>,
        key: Option<&str>,
    ) -> Result<()> {
        let was_enabled = self.performance_insights_enabled == Some(true);
        let enabled = enabled.unwrap_or(was_enabled);
        self.performance_insights_enabled = Some(enabled);
        if !enabled {
            let given = [
                ("PerformanceInsightsRetentionPeriod", retention.is_some()),
                ("PerformanceInsightsCryptoKeyId", key.is_some()),
            ];
            super::parameters::refuse_given(&given, errors::performance_insights_off)?;
            self.performance_insights_retention_period = None;
            self.performance_insights_crypto_key_id = None;
            return Ok(());
        }
        let field = "PerformanceInsightsRetentionPeriod";
        let days = retention.or(self.performance_insights_retention_period).unwrap_or(7);
        if !is_retention(days) {
            return refuse(errors::performance_insights_retention(days), field);
        }
        self.performance_insights_retention_period = Some(days);
        let field = "PerformanceInsightsCryptoKeyId";
        if !was_enabled || self.performance_insights_crypto_key_id.is_none() {
            let found = settings::find_crypto_key(cx, self.own_arn(), key, field)?;
            self.performance_insights_crypto_key_id = found;
        } else if key.is_some() && key != self.performance_insights_crypto_key_id.as_deref() {
            return refuse(errors::performance_insights_key(), field);
        }
        Ok(())
    }

    /// Sets the features of the processor, for Oracle and SQL Server. The class must have them.
    pub(crate) fn choose_processor_features(
        &mut self,
        version: Version,
        features: &[ProcessorFeature],
    ) -> Result<()> {
        let field = "ProcessorFeatures";
        if features.is_empty() {
            self.processor_features = None;
            return Ok(());
        }
        let class = self.db_instance_class.as_deref().unwrap_or_default();
        let class = classes::find(version, class);
        let Some(processor) = class.and_then(|class| class.processor(version.engine)) else {
            return refuse(errors::processor_features_unsupported(version.engine.name), field);
        };
        for feature in features {
            let name = feature.name.as_deref().unwrap_or_default();
            let allowed = match name {
                "coreCount" => &processor.cores,
                "threadsPerCore" => processor.threads,
                _ => &[],
            };
            let value = feature.value.as_deref().and_then(|value| value.parse::<i64>().ok());
            if !value.is_some_and(|value| allowed.contains(&value)) {
                return refuse(errors::processor_feature_invalid(name), field);
            }
        }
        self.processor_features = Some(features.to_vec());
        Ok(())
    }

    /// Sets the further volumes, for Oracle and SQL Server.
    pub(crate) fn set_volumes(&mut self, engine: &Engine, volumes: &[AdditionalStorageVolume]) -> Result<()> {
        let field = "AdditionalStorageVolumes";
        if volumes.is_empty() {
            return Ok(());
        }
        if !engine.has_volumes() {
            return refuse(errors::volumes_unsupported(engine.name), field);
        }
        let mut read = Vec::new();
        for volume in volumes {
            let name = volume.volume_name.clone().unwrap_or_default();
            if !VOLUMES.contains(&name.as_str()) {
                let error =
                    errors::volume_name_invalid(&name).with_hint(format!("one of {}", VOLUMES.join(", ")));
                return refuse(error, field);
            }
            let given = GivenStorage {
                kind: volume.storage_type.as_deref(),
                size: volume.allocated_storage,
                iops: volume.iops,
                throughput: volume.storage_throughput,
            };
            let storage = given.read(engine)?;
            read.push(AdditionalStorageVolume {
                storage_volume_status: Some("available".into()),
                allocated_storage: Some(storage.size),
                iops: storage.iops,
                storage_throughput: storage.throughput,
                storage_type: Some(storage.kind),
                ..volume.clone()
            });
        }
        self.additional_storage_volumes = Some(read);
        Ok(())
    }
}

/// True for the ARN of a role.
pub(crate) fn is_role(arn: &str) -> bool {
    matches!(Arn::parts(arn), Some([_, "iam", _, account, role]) if account.len() == 12 && role.starts_with("role/"))
}
