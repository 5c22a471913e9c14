//! Availability zones and Regions.

use super::{
    calls::{DryRun, Filtered},
    errors, filters,
};
use nephos_cloud::{Filterable, Handler, Scope, Tx};
use nephos_core::{Record, Result, Text, choices, field_value::FieldType, operation};

mod geography;

pub use geography::*;

/// Letters of the zones, which are the same in every Region.
const LETTERS: [&str; 3] = ["a", "b", "c"];

/// Names of the zones of a Region.
pub(super) fn names(scope: &Scope) -> impl Iterator<Item = Text> {
    LETTERS.map(|letter| [scope.region(), letter].concat().into()).into_iter()
}

/// Local Zones by Region: the city, its number, and a letter.
const LOCAL_ZONES: [(&str, &[&str]); 2] = [
    (
        "us-east-1",
        &[
            "atl-1a", "bos-1a", "bue-1a", "chi-1a", "dfw-1a", "iah-1a", "lim-1a", "mci-1a", "mia-1a",
            "msp-1a", "nyc-1a", "phl-1a", "qro-1a", "scl-1a",
        ],
    ),
    ("us-west-2", &["den-1a", "hnl-1a", "las-1a", "lax-1a", "lax-1b", "phx-2a", "sea-1a"]),
];

/// Names of the Local Zones of a Region, without the prefix of the Region.
fn local_suffixes(scope: &Scope) -> impl Iterator<Item = &'static str> {
    let zones = LOCAL_ZONES.iter().find(|(region, _)| *region == scope.region()).map(|(_, zones)| *zones);
    zones.unwrap_or_default().iter().copied()
}

/// Names of the Local Zones of a Region.
fn local_names(scope: &Scope) -> impl Iterator<Item = Text> {
    local_suffixes(scope).map(|zone| [scope.region(), "-", zone].concat().into())
}

/// True if a zone is a Local Zone: a part of a Region in another city.
pub(super) fn is_local(scope: &Scope, name: &str) -> bool {
    local_names(scope).any(|zone| zone == name)
}

/// Name of the group of zones of a Local Zone.
fn local_group(zone: &str) -> Text {
    zone.get(..zone.len() - 1).unwrap_or_default().into()
}

/// True if a group of zones of the Region announces addresses: that of the Region, or of a Local Zone.
pub(super) fn is_border_group(scope: &Scope, group: &str) -> bool {
    group == scope.region() || local_names(scope).any(|zone| local_group(&zone) == group)
}

/// Returns the ID of the zone with this name.
pub fn id_of(scope: &Scope, name: &str) -> Option<Text> {
    let code = region_code(scope.region());
    if let Some(zone) = names(scope).position(|zone| zone == name) {
        return Some(format!("{code}-az{}", zone + 1).into());
    }
    let suffix = name.strip_prefix(scope.region())?.strip_prefix('-')?;
    let suffix = local_suffixes(scope).find(|zone| *zone == suffix)?;
    let (city, number) = suffix.split_once('-')?;
    let (number, letter) = number.split_at_checked(number.len() - 1)?;
    let letter = letter.bytes().next()? - b'a';
    Some(format!("{code}-{city}{number}-az{}", letter + 1).into())
}

/// Finds a zone by name or by ID; `None` if the caller sets neither, refused if it does not exist.
pub(super) fn find(scope: &Scope, name: Option<&str>, id: Option<&str>) -> Result<Option<Text>> {
    find_among(scope, names(scope).collect(), name, id)
}

/// Finds a zone or Local Zone, as [`find`] does.
pub(super) fn find_with_local(scope: &Scope, name: Option<&str>, id: Option<&str>) -> Result<Option<Text>> {
    find_among(scope, names(scope).chain(local_names(scope)).collect(), name, id)
}

fn find_among(scope: &Scope, all: Vec<Text>, name: Option<&str>, id: Option<&str>) -> Result<Option<Text>> {
    let unknown = |field: &str, zone: &str| {
        let known: Vec<_> = names(scope).collect();
        let hint = format!("expected one of {}", known.join(", "));
        Err(errors::zone_unknown(zone).with_hint(hint).with_field(field))
    };
    let found = id.map(|id| all.iter().find(|zone| id_of(scope, zone).as_deref() == Some(id)).cloned());
    match (name, id, found.flatten()) {
        (None, None, _) => Ok(None),
        (Some(_), Some(_), _) => Err(errors::parameters_combined("AvailabilityZoneId", "AvailabilityZone")),
        (Some(name), None, _) if all.iter().any(|zone| zone == name) => Ok(Some(name.into())),
        (Some(name), None, _) => unknown("AvailabilityZone", name),
        (None, Some(_), Some(zone)) => Ok(Some(zone)),
        (None, Some(id), None) => unknown("AvailabilityZoneId", id),
    }
}

/// Prefix of the IDs of the zones of a Region: `use1` for `us-east-1`, `apse2` for `ap-southeast-2`.
fn region_code(region: &str) -> String {
    let mut words = region.split('-');
    let first = words.next().unwrap_or_default();
    words.fold(first.to_owned(), |code, word| {
        let word = match word {
            "northeast" => "ne",
            "northwest" => "nw",
            "southeast" => "se",
            "southwest" => "sw",
            word if word.starts_with(|first: char| first.is_ascii_digit()) => word,
            word => word.get(..1).unwrap_or_default(),
        };
        code + word
    })
}

choices! {
    /// Opt-in status of a zone.
    pub enum OptInStatus {
        /// It needs no opt-in.
        NotRequired = "opt-in-not-required",
        /// The account opted in.
        OptedIn = "opted-in",
        /// The account did not opt in.
        NotOptedIn = "not-opted-in",
    }
}

choices! {
    /// State of a zone.
    pub enum AvailabilityZoneState {
        /// It can be used.
        Available = "available",
        /// It can be used; there is a message about it.
        Information = "information",
        /// It can be used in part.
        Impaired = "impaired",
        /// It cannot be used.
        Unavailable = "unavailable",
        /// Its capacity is low.
        Constrained = "constrained",
    }
}

/// A message about a zone.
#[derive(Record)]
#[record(wire = "camel")]
pub struct AvailabilityZoneMessage {
    /// Text of the message.
    message: Option<Text>,
}

/// An availability zone.
#[derive(Record)]
#[record(wire = "camel")]
pub struct AvailabilityZone {
    /// Opt-in status; accounts have opted in to Local Zones.
    opt_in_status: Option<OptInStatus>,
    /// Name of the Region.
    region_name: Option<Text>,
    /// Name.
    zone_name: Option<Text>,
    /// ID, the same in every account.
    zone_id: Option<Text>,
    /// Name of the group of zones.
    group_name: Option<Text>,
    /// Group of zones that announces its addresses.
    network_border_group: Option<Text>,
    /// Type of the zone.
    zone_type: Option<Text>,
    /// Name of the zone that controls a Local Zone.
    parent_zone_name: Option<Text>,
    /// ID of the zone that controls a Local Zone.
    parent_zone_id: Option<Text>,
    /// Long name of the group of zones.
    group_long_name: Option<Text>,
    /// Messages about the zone.
    #[field(wire = "messageSet")]
    messages: Option<Vec<AvailabilityZoneMessage>>,
    /// Countries of the zone.
    #[field(wire = "geographySet")]
    geography: Option<Vec<Geography>>,
    /// Parts of the countries of the zone.
    #[field(wire = "subGeographySet")]
    sub_geography: Option<Vec<Geography>>,
    /// State.
    #[field(wire = "zoneState")]
    state: Option<AvailabilityZoneState>,
}

impl AvailabilityZone {
    /// Creates a zone with the fields that are the same for all types of zones.
    fn new(scope: &Scope, zone_name: Text) -> Self {
        let mut zone = Self::blank();
        zone.region_name = Some(scope.region().into());
        zone.zone_id = id_of(scope, &zone_name);
        zone.zone_name = Some(zone_name);
        zone.state = Some(AvailabilityZoneState::Available);
        zone.messages = Some(Vec::new());
        zone.geography = Geography::of_region(scope.region());
        zone
    }
}

impl Filterable for AvailabilityZone {
    const FILTERS: &'static [(&'static str, &'static str)] = &[
        ("group-long-name", "GroupLongName"),
        ("group-name", "GroupName"),
        ("message", "Messages.Message"),
        ("opt-in-status", "OptInStatus"),
        ("parent-zone-id", "ParentZoneId"),
        ("parent-zone-name", "ParentZoneName"),
        ("region-name", "RegionName"),
        ("state", "State"),
        ("zone-id", "ZoneId"),
        ("zone-name", "ZoneName"),
        ("zone-type", "ZoneType"),
    ];
}

/// Describes the availability zones of the Region. Local Zones are included if names or IDs are set, or all zones are requested.
#[operation(
    include(DryRun, Filtered), effect = read, subject = "*", access = list,
    wraps(availability_zones(wire = "availabilityZoneInfo"): Vec<AvailabilityZone>)
)]
pub struct DescribeAvailabilityZones {
    /// Names of the zones.
    #[field(wire = "ZoneName")]
    pub zone_names: Option<Vec<Text>>,
    /// IDs of the zones.
    #[field(wire = "ZoneId")]
    pub zone_ids: Option<Vec<Text>>,
    /// Includes Local Zones.
    pub all_availability_zones: Option<bool>,
}

impl Handler for DescribeAvailabilityZones {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let scope = cx.scope();
        for (field, given, by_name) in
            [("ZoneNames", &self.zone_names, true), ("ZoneIds", &self.zone_ids, false)]
        {
            for zone in given.iter().flatten() {
                let (name, id) = if by_name { (Some(&**zone), None) } else { (None, Some(&**zone)) };
                find_with_local(scope, name, id).map_err(|error| error.with_field(field))?;
            }
        }
        let filters = filters::RULES.read::<AvailabilityZone>(self.filters.as_deref())?;
        super::check_dry_run(self.dry_run)?;
        let is_selected = |selected: &Option<Vec<Text>>, value: &Option<Text>| {
            selected
                .as_ref()
                .is_none_or(|selected| value.as_ref().is_some_and(|value| selected.contains(value)))
        };
        let zones = names(scope).enumerate().map(|(n, zone_name)| AvailabilityZone {
            opt_in_status: Some(OptInStatus::NotRequired),
            group_name: Some(format!("{}-zg-{}", scope.region(), n + 1).into()),
            group_long_name: geography::region_name(scope.region())
                .map(|name| format!("{name} {}", n + 1).into()),
            sub_geography: Geography::of_zones(scope.region()),
            network_border_group: Some(scope.region().into()),
            zone_type: Some("availability-zone".into()),
            ..AvailabilityZone::new(scope, zone_name)
        });
        let include_local =
            self.all_availability_zones == Some(true) || self.zone_names.is_some() || self.zone_ids.is_some();
        let local = local_names(scope).filter(|_| include_local).map(|zone_name| {
            let group = local_group(&zone_name);
            let parent = names(scope).next();
            AvailabilityZone {
                group_long_name: geography::local_zone_name(&zone_name).map(Into::into),
                parent_zone_id: parent.as_deref().and_then(|parent| id_of(scope, parent)),
                parent_zone_name: parent,
                opt_in_status: Some(OptInStatus::OptedIn),
                group_name: Some(group.clone()),
                network_border_group: Some(group),
                zone_type: Some("local-zone".into()),
                ..AvailabilityZone::new(scope, zone_name)
            }
        });
        let wanted = zones.chain(local).filter(|zone| {
            is_selected(&self.zone_names, &zone.zone_name)
                && is_selected(&self.zone_ids, &zone.zone_id)
                && filters.accept(zone)
        });
        Ok(wanted.collect::<Vec<_>>().into())
    }
}

/// A Region.
#[derive(Record)]
#[record(wire = "camel")]
pub struct Region {
    /// Opt-in status; none needs an opt-in.
    opt_in_status: Option<Text>,
    /// Name.
    region_name: Option<Text>,
    /// Endpoint of the service.
    #[field(wire = "regionEndpoint")]
    endpoint: Option<Text>,
    /// Countries of the Region.
    #[field(wire = "geographySet")]
    geography: Option<Vec<Geography>>,
}

impl Filterable for Region {
    const FILTERS: &'static [(&'static str, &'static str)] =
        &[("endpoint", "Endpoint"), ("opt-in-status", "OptInStatus"), ("region-name", "RegionName")];
}

/// Describes the Regions that are enabled in every account, and the Region of the caller.
#[operation(
    include(DryRun, Filtered), effect = read, subject = "*", access = list,
    wraps(regions(wire = "regionInfo"): Vec<Region>)
)]
pub struct DescribeRegions {
    /// Names of the Regions.
    #[field(wire = "RegionName")]
    pub region_names: Option<Vec<Text>>,
    /// Includes Regions that are not enabled; there are none.
    pub all_regions: Option<bool>,
}

impl Handler for DescribeRegions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let current = cx.scope().region();
        let mut names: Vec<&str> = geography::region_codes().collect();
        if !names.contains(&current) {
            names.push(current);
            names.sort_unstable();
        }
        let wanted = self.region_names.as_deref();
        if let Some(unknown) = wanted.iter().copied().flatten().find(|name| !names.contains(&&***name)) {
            let hint = nephos_core::nearest::hint(unknown, names.iter().copied());
            return Err(errors::region_unknown(unknown).with_hint(hint).with_field("RegionNames"));
        }
        let filters = filters::RULES.read::<Region>(self.filters.as_deref())?;
        super::check_dry_run(self.dry_run)?;
        let names =
            names.into_iter().filter(|name| wanted.is_none_or(|wanted| wanted.iter().any(|own| own == name)));
        let regions = names.map(|name| Region {
            opt_in_status: Some("opt-in-not-required".into()),
            endpoint: Some(["ec2.", name, ".amazonaws.com"].concat().into()),
            geography: Geography::of_region(name),
            region_name: Some(name.into()),
        });
        Ok(regions.filter(|region| filters.accept(region)).collect::<Vec<_>>().into())
    }
}
