//! ARNs.

use crate::{Error, Result, Text};
use std::{fmt, str::FromStr};

/// An ARN: `arn:partition:service:region:account:resource`.
///
/// ```
/// use nephos_core::Arn;
///
/// let arn: Arn = "arn:aws:logs:us-east-1:123456789012:log-group:/web/api:*".parse()?;
/// assert_eq!(arn.service(), "logs");
/// assert_eq!(arn.resource(), "log-group:/web/api:*");
/// assert_eq!(arn.to_string(), "arn:aws:logs:us-east-1:123456789012:log-group:/web/api:*");
/// # Ok::<(), nephos_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arn {
    text: Text,
    /// End positions of partition, service, Region and account.
    ends: [u16; 4],
}

impl Arn {
    /// Makes the ARN of `resource` in `service`; Region and account may be empty.
    pub fn new(service: &str, region: &str, account: &str, resource: impl fmt::Display) -> Self {
        let mut arn = Self::joined(service, region, account, &[]);
        // Writing to a text in memory does not fail.
        let _ = fmt::Write::write_fmt(&mut arn.text, format_args!("{resource}"));
        arn
    }

    /// Makes the ARN of a resource given in several parts.
    pub fn joined(service: &str, region: &str, account: &str, resource: &[&str]) -> Self {
        Place::new(region, account).arn(service, resource)
    }

    /// Parses `text`; none if it is no ARN.
    pub fn read(text: &str) -> Option<Self> {
        // Most texts are plain names.
        if !text.starts_with("arn:") {
            return None;
        }
        Self::split(text.into()).ok()
    }

    /// Splits an ARN into partition, service, Region, account and resource, without copying.
    pub fn parts(text: &str) -> Option<[&str; 5]> {
        let mut rest = text.strip_prefix("arn:")?;
        let mut parts = [""; 5];
        for part in &mut parts[..4] {
            // The parts are short: a search that is made for long texts takes ten times as long.
            let end = rest.bytes().position(|byte| byte == b':')?;
            (*part, rest) = (&rest[..end], &rest[end + 1..]);
        }
        parts[4] = rest;
        (!parts[0].is_empty() && !parts[1].is_empty() && !rest.is_empty()).then_some(parts)
    }

    fn split(text: Text) -> Result<Self, Text> {
        let mut ends = [0; 4];
        let Some(rest) = text.strip_prefix("arn:") else { return Err(text) };
        let mut at = 4;
        let mut parts = rest.split(':');
        for end in &mut ends {
            let Some(part) = parts.next() else { return Err(text) };
            at += part.len();
            let Ok(position) = u16::try_from(at) else { return Err(text) };
            *end = position;
            at += 1;
        }
        let whole = at < text.len() && ends[0] > 4 && ends[1] > ends[0] + 1;
        if whole { Ok(Self { text, ends }) } else { Err(text) }
    }

    fn part(&self, n: usize) -> &str {
        let start = if n == 0 { 4 } else { usize::from(self.ends[n - 1]) + 1 };
        &self.text[start..self.ends[n].into()]
    }

    /// Partition: `aws`, `aws-cn`, `aws-us-gov`.
    pub fn partition(&self) -> &str {
        self.part(0)
    }

    /// Service.
    pub fn service(&self) -> &str {
        self.part(1)
    }

    /// Region; empty for resources of global services.
    pub fn region(&self) -> &str {
        self.part(2)
    }

    /// Account ID; empty for resources that belong to none.
    pub fn account(&self) -> &str {
        self.part(3)
    }

    /// Resource part: all after the account.
    pub fn resource(&self) -> &str {
        &self.text[usize::from(self.ends[3]) + 1..]
    }

    /// The whole ARN.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Returns the partition of a Region. `aws-cn-global` and its like are the Regions of global services.
pub fn partition_of(region: &str) -> &'static str {
    match region {
        region if region.starts_with("cn-") || region == "aws-cn-global" => "aws-cn",
        region if region.starts_with("us-gov-") || region == "aws-us-gov-global" => "aws-us-gov",
        _ => "aws",
    }
}

/// Returns the Region of global services in the partition of `region`: `aws-global`. ARNs do not have it.
pub fn global_region(region: &str) -> &'static str {
    match partition_of(region) {
        "aws-cn" => "aws-cn-global",
        "aws-us-gov" => "aws-us-gov-global",
        _ => "aws-global",
    }
}

/// True for the Region of global services in any partition.
pub fn is_global_region(region: &str) -> bool {
    region == global_region(region)
}

/// A Region of an account, in the form in which ARNs have it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// `:region:account:`.
    text: Text,
    /// Length of the Region.
    region: usize,
}

impl Place {
    /// Makes a place; Region and account may be empty.
    pub fn new(region: &str, account: &str) -> Self {
        let mut text = Text::with_capacity(region.len() + account.len() + ":::".len());
        [":", region, ":", account, ":"].iter().for_each(|part| text.push_str(part));
        Self { text, region: region.len() }
    }

    /// Region.
    pub fn region(&self) -> &str {
        &self.text[1..=self.region]
    }

    /// Account ID.
    pub fn account(&self) -> &str {
        &self.text[self.region + 2..self.text.len() - 1]
    }

    /// Makes the ARN of a resource of `service` here, from the parts of the resource.
    pub fn arn(&self, service: &str, resource: &[&str]) -> Arn {
        let partition = partition_of(self.region());
        let length = resource.iter().map(|part| part.len()).sum::<usize>();
        let mut text =
            String::with_capacity("arn::".len() + partition.len() + service.len() + self.text.len() + length);
        text.push_str("arn:");
        text.push_str(partition);
        let first = text.len();
        text.push(':');
        text.push_str(service);
        let second = text.len();
        let region = if is_global_region(self.region()) {
            // Resources of global services have no Region in their ARN.
            text.push(':');
            text.push_str(&self.text[self.region + 1..]);
            0
        } else {
            text.push_str(&self.text);
            self.region
        };
        let ends = [first, second, second + 1 + region, text.len() - 1];
        resource.iter().for_each(|part| text.push_str(part));
        Arn { text: text.into(), ends: ends.map(|end| u16::try_from(end).unwrap_or(u16::MAX)) }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.account(), self.region())
    }
}

impl FromStr for Arn {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::split(text.into()).map_err(|text| {
            let message = "is not an ARN (arn:partition:service:region:account:resource)";
            Error::invalid("arn", format!("{text:?} {message}"))
        })
    }
}

impl fmt::Display for Arn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Arn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Arn> for Text {
    fn from(arn: Arn) -> Self {
        arn.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_arns_are_rejected() {
        for bad in [
            "",
            "arn",
            "arn:aws",
            "arn:aws:logs:us-east-1:1",
            "arn:aws:logs:us-east-1:1:",
            "arn::s:r:a:x",
            "x:aws:s:r:a:x",
        ] {
            assert!(bad.parse::<Arn>().is_err(), "{bad}");
            assert!(Arn::parts(bad).is_none(), "{bad}");
        }
        assert!("arn:aws:iam::123456789012:group/x".parse::<Arn>().is_ok());
    }

    #[test]
    fn partition_follows_from_the_region() {
        assert_eq!(Arn::new("logs", "cn-north-1", "1", "x").partition(), "aws-cn");
        assert_eq!(
            Arn::new("iam", "", "123456789012", "group/x").to_string(),
            "arn:aws:iam::123456789012:group/x"
        );
    }

    #[test]
    fn arns_of_global_services_have_the_partition_and_no_region() {
        for (region, arn) in [
            ("eu-west-1", "arn:aws:iam::1:group/x"),
            ("cn-north-1", "arn:aws-cn:iam::1:group/x"),
            ("us-gov-west-1", "arn:aws-us-gov:iam::1:group/x"),
        ] {
            let place = Place::new(global_region(region), "1");
            let built = place.arn("iam", &["group/", "x"]);
            assert_eq!((built.as_str(), built.region(), built.account()), (arn, "", "1"));
            assert!(is_global_region(place.region()) && !is_global_region(region));
        }
    }
}
