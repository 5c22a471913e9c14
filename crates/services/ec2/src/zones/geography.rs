//! Places of Regions and zones.

use nephos_core::{Record, Text};

/// A country, or a part of one.
#[derive(Record)]
#[record(wire = "camel")]
pub struct Geography {
    /// Name.
    name: Option<Text>,
}

/// Regions: the code, the long name, the country, and the part of the country.
const REGIONS: [(&str, &str, &str, &str); 17] = [
    ("ap-northeast-1", "Asia Pacific (Tokyo)", "Japan", "Tokyo"),
    ("ap-northeast-2", "Asia Pacific (Seoul)", "South Korea", "Seoul"),
    ("ap-northeast-3", "Asia Pacific (Osaka)", "Japan", "Osaka"),
    ("ap-south-1", "Asia Pacific (Mumbai)", "India", "Maharashtra"),
    ("ap-southeast-1", "Asia Pacific (Singapore)", "Singapore", "Singapore"),
    ("ap-southeast-2", "Asia Pacific (Sydney)", "Australia", "New South Wales"),
    ("ca-central-1", "Canada (Central)", "Canada", "Quebec"),
    ("eu-central-1", "Europe (Frankfurt)", "Germany", "Hesse"),
    ("eu-north-1", "Europe (Stockholm)", "Sweden", "Stockholm"),
    ("eu-west-1", "Europe (Ireland)", "Ireland", "Dublin"),
    ("eu-west-2", "Europe (London)", "United Kingdom", "London"),
    ("eu-west-3", "Europe (Paris)", "France", "Ile-de-France"),
    ("sa-east-1", "South America (Sao Paulo)", "Brazil", "Sao Paulo"),
    ("us-east-1", "US East (N. Virginia)", "United States of America", "Virginia"),
    ("us-east-2", "US East (Ohio)", "United States of America", "Ohio"),
    ("us-west-1", "US West (N. California)", "United States of America", "California"),
    ("us-west-2", "US West (Oregon)", "United States of America", "Oregon"),
];

/// Long names of the groups of Local Zones, by city.
const CITIES: [(&str, &str); 20] = [
    ("-atl-", "US East (Atlanta)"),
    ("-bos-", "US East (Boston)"),
    ("-bue-", "Argentina (Buenos Aires)"),
    ("-chi-", "US East (Chicago)"),
    ("-dfw-", "US East (Dallas)"),
    ("-iah-", "US East (Houston)"),
    ("-lim-", "Peru (Lima)"),
    ("-mci-", "US East (Kansas City)"),
    ("-mia-", "US East (Miami)"),
    ("-msp-", "US East (Minneapolis)"),
    ("-nyc-", "US East (New York City)"),
    ("-phl-", "US East (Philadelphia)"),
    ("-qro-", "Mexico (Queretaro)"),
    ("-scl-", "Chile (Santiago)"),
    ("-den-", "US West (Denver)"),
    ("-hnl-", "US West (Honolulu)"),
    ("-las-", "US West (Las Vegas)"),
    ("-lax-", "US West (Los Angeles)"),
    ("-phx-", "US West (Phoenix)"),
    ("-sea-", "US West (Seattle)"),
];

/// Codes of the Regions, which are enabled in every account.
pub(super) fn region_codes() -> impl Iterator<Item = &'static str> {
    REGIONS.iter().map(|region| region.0)
}

/// Returns the long name of a Region.
pub(super) fn region_name(code: &str) -> Option<&'static str> {
    REGIONS.iter().find(|region| region.0 == code).map(|region| region.1)
}

/// Returns the long name of the group of a Local Zone.
pub(super) fn local_zone_name(zone: &str) -> Option<&'static str> {
    CITIES.iter().find(|(city, _)| zone.contains(city)).map(|(_, name)| *name)
}

impl Geography {
    fn single(name: &str) -> Vec<Self> {
        vec![Self { name: Some(name.into()) }]
    }

    /// Countries of a Region.
    pub(super) fn of_region(code: &str) -> Option<Vec<Self>> {
        REGIONS.iter().find(|region| region.0 == code).map(|region| Self::single(region.2))
    }

    /// Parts of countries of the zones of a Region, without its Local Zones.
    pub(super) fn of_zones(code: &str) -> Option<Vec<Self>> {
        REGIONS.iter().find(|region| region.0 == code).map(|region| Self::single(region.3))
    }
}
