//! The names of balancers in the domain name system.

use super::{LoadBalancerScheme, LoadBalancerType};
use nephos_core::Text;

/// The zones of balancers by Region: that of application balancers, and that of network and gateway balancers.
const HOSTED_ZONES: [(&str, &str, &str); 18] = [
    ("us-east-1", "Z35SXDOTRQ7X7K", "Z26RNL4JYFTOTI"),
    ("us-east-2", "Z3AADJGX6KTTL2", "ZLMOA37VPKANP"),
    ("us-west-1", "Z368ELLRRE2KJ0", "Z24FKFUX50B4VW"),
    ("us-west-2", "Z1H1FL5HABSF5", "Z18D5FSROUN65G"),
    ("ca-central-1", "ZQSVJUPU6J1EY", "Z2EPGBW3API2WT"),
    ("eu-central-1", "Z215JYRZR1TBD5", "Z3F0SRJ5LGBH90"),
    ("eu-west-1", "Z32O12XQLNTSW2", "Z2IFOLAFXWLO4F"),
    ("eu-west-2", "ZHURV8PSTC4K8", "ZD4D7Y8KGAS4G"),
    ("eu-west-3", "Z3Q77PNBQS71R4", "Z1CMS0P5QUZ6D5"),
    ("eu-north-1", "Z23TAZ6LKFMNIO", "Z1UDT6IFJ4EJM"),
    ("ap-east-1", "Z3DQVH9N71FHZ0", "Z12Y7K3UBGUAD1"),
    ("ap-south-1", "ZP97RAFLXTNZK", "ZVDDRBQ08TROA"),
    ("ap-southeast-1", "Z1LMS91P8CMLE5", "ZKVM4W9LS7TM"),
    ("ap-southeast-2", "Z1GM3OXH4ZPM65", "ZCT6FZBF4DROD"),
    ("ap-northeast-1", "Z14GRHDCWA56QT", "Z31USIVHYNEOWT"),
    ("ap-northeast-2", "ZWKZPGTI48KDX", "ZIBE1TIR4HY56"),
    ("ap-northeast-3", "Z5LXEXXYW11ES", "Z1GWIQ4HH19I5X"),
    ("sa-east-1", "Z2P70J7HTTTPLU", "ZTK26PT1VY4CU"),
];

/// The zone that the names of balancers are in; none for Regions of which it is not known.
pub(super) fn hosted_zone(of: &LoadBalancerType, region: &str) -> Option<Text> {
    let (_, application, network) = HOSTED_ZONES.iter().find(|(known, ..)| *known == region)?;
    Some(Text::from(if *of == LoadBalancerType::Application { *application } else { *network }))
}

/// The name by which clients find a balancer; gateways have none.
pub(super) fn dns_name(
    of: &LoadBalancerType,
    scheme: Option<&LoadBalancerScheme>,
    name: &str,
    id: &str,
    region: &str,
) -> Option<Text> {
    let lower = name.to_ascii_lowercase();
    match of {
        LoadBalancerType::Gateway => None,
        LoadBalancerType::Network => Some(format!("{lower}-{id}.elb.{region}.amazonaws.com").into()),
        _ => {
            let internal = if scheme == Some(&LoadBalancerScheme::Internal) { "internal-" } else { "" };
            // Application balancers have a number, not the id of their resource name.
            let number = u64::from_str_radix(id, 16).unwrap_or_default() % 10_000_000_000;
            Some(format!("{internal}{lower}-{number}.{region}.elb.amazonaws.com").into())
        }
    }
}
