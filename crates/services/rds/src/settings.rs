//! Settings that instances and clusters share: windows, security groups, crypto keys, logs and host names.

use crate::{DBSubnetGroup, Endpoint, SERVICE, VpcSecurityGroupMembership, engine::Version, errors};
use nephos_cloud::{DailyWindow, KeyUse, Tx, WeeklyWindow, is_key_refusal};
use nephos_core::{Result, Text};
use nephos_ec2 as ec2;

/// Least length of a window in minutes.
const MIN_WINDOW: i64 = 30;

/// Longest maintenance window in minutes.
const MAX_WINDOW: i64 = 24 * 60;

/// Letters and digits of resource IDs.
const ID_ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Returns an identifier that no other database ever has: `db-` and 26 characters.
pub(crate) fn new_resource_id(cx: &Tx<'_>, prefix: &str) -> Text {
    format!("{prefix}-{}", cx.ids().from_alphabet(ID_ALPHABET, 26)).into()
}

/// Reads a maintenance window.
pub(crate) fn read_maintenance_window(text: &str) -> Result<WeeklyWindow> {
    let error = match WeeklyWindow::parse(&text.to_ascii_lowercase()) {
        None => errors::window_malformed(text),
        Some(window) if window.minutes() < MIN_WINDOW => errors::maintenance_window_short(),
        Some(window) if window.minutes() >= MAX_WINDOW => errors::maintenance_window_long(),
        Some(window) => return Ok(window),
    };
    Err(error.with_field("PreferredMaintenanceWindow"))
}

/// Reads a backup window.
pub(crate) fn read_backup_window(text: &str) -> Result<DailyWindow> {
    let error = match DailyWindow::parse(text) {
        None => errors::window_malformed(text),
        Some(window) if window.minutes() < MIN_WINDOW => errors::backup_window_short(),
        Some(window) => return Ok(window),
    };
    Err(error.with_field("PreferredBackupWindow"))
}

/// Returns the maintenance and the backup window of a database, chosen where they are not given.
pub(crate) fn read_windows(
    cx: &Tx<'_>,
    maintenance: Option<&str>,
    backup: Option<&str>,
) -> Result<(Text, Text)> {
    let maintenance = maintenance.map(read_maintenance_window).transpose()?;
    let backup = backup.map(read_backup_window).transpose()?;
    let backup = backup.unwrap_or_else(|| DailyWindow::choose(cx.ids(), MIN_WINDOW, maintenance));
    let maintenance = maintenance.unwrap_or_else(|| WeeklyWindow::choose(cx.ids(), MIN_WINDOW, Some(backup)));
    if maintenance.overlaps(backup) {
        return Err(errors::windows_overlap().with_field("PreferredBackupWindow"));
    }
    Ok((maintenance.to_string().into(), backup.to_string().into()))
}

/// Returns the security groups of a database in a VPC: the given ones, which must be in it, or the default one.
pub(crate) fn read_security_groups(
    cx: &Tx<'_>,
    vpc: &str,
    given: Option<&[Text]>,
) -> Result<Vec<VpcSecurityGroupMembership>> {
    let membership = |id: &str| VpcSecurityGroupMembership {
        vpc_security_group_id: Some(id.into()),
        status: Some("active".into()),
    };
    let Some(given) = given.filter(|given| !given.is_empty()) else {
        let default = ec2::default_security_group(cx, vpc)?;
        return Ok(default.iter().filter_map(|group| group.group_id()).map(membership).collect());
    };
    for id in given {
        let error = match ec2::security_group(cx, id)? {
            None => errors::security_group_invalid(id),
            Some(group) if group.vpc_id() != Some(vpc) => {
                errors::security_group_of_other_vpc(vpc, group.vpc_id().unwrap_or_default())
            }
            Some(_) => continue,
        };
        return Err(error.with_field("VpcSecurityGroupIds"));
    }
    Ok(given.iter().map(|id| membership(id)).collect())
}

/// IDs of security groups.
pub(crate) fn group_ids(groups: Option<&[VpcSecurityGroupMembership]>) -> Vec<Text> {
    let groups = groups.unwrap_or_default().iter();
    groups.filter_map(|group| group.vpc_security_group_id.clone()).collect()
}

/// Returns the ARN of the crypto key of the database with this ARN: the given one, or the one of the service. `field` is the
/// parameter with the key.
pub(crate) fn find_crypto_key(
    cx: &mut Tx<'_>,
    arn: &str,
    given: Option<&str>,
    field: &str,
) -> Result<Option<Text>> {
    let context = [("aws:rds:arn", arn)];
    let used = KeyUse { service: &SERVICE, context: &context, principal: None };
    let found = cx.find_crypto_key(given, &used).map_err(|error| {
        if !is_key_refusal(&error) {
            return error;
        }
        errors::crypto_key_not_accessible(given.unwrap_or_default())
            .with_field(field)
            .with_hint(error.message())
    })?;
    Ok(found.or_else(|| given.map(Text::new)))
}

/// Refuses types of logs that the engine does not have. `field` is the parameter with the types.
pub(crate) fn check_log_types(version: Version, types: &[Text], field: &str) -> Result<()> {
    let is_known = |one: &&Text| version.engine.log_types.contains(&one.as_str());
    let unknown: Vec<_> = types.iter().filter(|one| !is_known(one)).map(Text::as_str).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let error = errors::log_types_invalid(unknown.join(","), version.engine.name, version.name());
    Err(error.with_field(field).with_hint(format!("one of {}", version.engine.log_types.join(", "))))
}

/// Refuses types of addresses that the subnets do not have.
pub(crate) fn check_network_type(given: Option<&str>) -> Result<()> {
    match given {
        None | Some("IPV4") => Ok(()),
        Some(other) => Err(errors::network_type_unsupported(other).with_field("NetworkType")),
    }
}

/// Host names of the databases of an engine in the Region of the caller.
pub(crate) struct Hosts {
    /// Part of the names that is the same for all databases of the account in the Region.
    part: String,
    domain: String,
    zone: Option<Text>,
}

impl Hosts {
    /// Host names of an engine.
    pub(crate) fn of(cx: &Tx<'_>, engine: &str) -> Self {
        let region = cx.scope().region();
        let service = match engine {
            "docdb" => "docdb",
            "neptune" => "neptune",
            _ => "rds",
        };
        let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
        Self {
            part: cx.scope().host_part(12),
            domain: format!("{region}.{service}.{suffix}"),
            zone: hosted_zone(service, region),
        }
    }

    /// Endpoint of an instance.
    pub(crate) fn instance(&self, id: &str, port: i64) -> Endpoint {
        Endpoint {
            address: Some(format!("{id}.{}.{}", self.part, self.domain).into()),
            port: Some(port),
            hosted_zone_id: self.zone.clone(),
        }
    }

    /// Host name of a cluster: `cluster`, or `cluster-ro` for its readers.
    pub(crate) fn cluster(&self, id: &str, prefix: &str) -> Text {
        format!("{id}.{prefix}-{}.{}", self.part, self.domain).into()
    }

    /// Hosted zone of the host names.
    pub(crate) fn zone(&self) -> Option<Text> {
        self.zone.clone()
    }
}

/// Hosted zones by service and Region, as far as they are known. Clusters of document databases have the same one everywhere.
const HOSTED_ZONES: &[(&str, &str, &str)] = &[
    ("rds", "us-east-1", "Z2R2ITUGPM61AM"),
    ("rds", "us-east-2", "Z2XHWR1WZ565X2"),
    ("rds", "us-west-1", "Z10WI91S59XXQN"),
    ("rds", "us-west-2", "Z1PVIF0B656C1W"),
    ("rds", "ca-central-1", "Z1JG78A3UK1DU3"),
    ("rds", "eu-west-1", "Z29XKXDKYMONMX"),
    ("rds", "eu-central-1", "Z1RLNUO7B9Q6NB"),
    ("rds", "ap-south-1", "Z2VFMSZA74J7XZ"),
    ("rds", "ap-southeast-1", "Z2G0U3KFCY8NZ5"),
    ("rds", "ap-southeast-2", "Z32T0VRHXEXS0V"),
    ("rds", "ap-northeast-1", "Z24O6O9L7SGTNB"),
    ("docdb", "*", "ZNKXH85TT8WVW"),
];

fn hosted_zone(service: &str, region: &str) -> Option<Text> {
    let is_meant = |(known, place): (&str, &str)| known == service && (place == region || place == "*");
    let zone = HOSTED_ZONES.iter().find(|(known, place, _)| is_meant((known, place)));
    zone.map(|(_, _, zone)| Text::from(*zone))
}

/// Returns the zones of the subnets of a group, in order.
pub(crate) fn zones_of(group: &DBSubnetGroup) -> Vec<Text> {
    let mut zones: Vec<_> = group.subnets.iter().flatten().map(|subnet| Text::new(subnet.zone())).collect();
    zones.sort_unstable();
    zones.dedup();
    zones
}
