//! Security policies: the TLS versions and ciphers that a listener accepts.

use crate::{LoadBalancer, LoadBalancerManager, LoadBalancerType, errors, paging::Page};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, nearest, operation};

/// Default security policy of a listener.
pub(crate) const DEFAULT_POLICY: &str = "ELBSecurityPolicy-2016-08";

/// Lists of ciphers, one after the other.
type Ciphers = &'static [&'static [&'static str]];

/// A policy: name, TLS versions and ciphers.
type Policy = (&'static str, &'static [&'static str], &'static [Ciphers]);

const V13: &str = "TLSv1.3";
const V12: &str = "TLSv1.2";
const V11: &str = "TLSv1.1";
const V10: &str = "TLSv1";

const GCM_128: &[&str] = &["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"];
const GCM_256: &[&str] = &["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"];
const CBC_128: &[&str] = &["ECDHE-ECDSA-AES128-SHA256", "ECDHE-RSA-AES128-SHA256"];
const CBC_256: &[&str] = &["ECDHE-ECDSA-AES256-SHA384", "ECDHE-RSA-AES256-SHA384"];
const OLD_128: &[&str] = &["ECDHE-ECDSA-AES128-SHA", "ECDHE-RSA-AES128-SHA"];
const OLD_256: &[&str] = &["ECDHE-RSA-AES256-SHA", "ECDHE-ECDSA-AES256-SHA"];

const TLS13: Ciphers =
    &[&["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]];
const TLS13_FIPS: Ciphers = &[&["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"]];
const GCM: Ciphers = &[GCM_128, GCM_256];
const FS: Ciphers = &[GCM_128, CBC_128, GCM_256, CBC_256];
const FS_OLD: Ciphers = &[GCM_128, CBC_128, OLD_128, GCM_256, CBC_256, OLD_256];
const RSA: Ciphers = &[&["AES128-GCM-SHA256", "AES128-SHA256", "AES256-GCM-SHA384", "AES256-SHA256"]];
const RSA_OLD: Ciphers = &[
    &["AES128-GCM-SHA256", "AES128-SHA256", "AES128-SHA"],
    &["AES256-GCM-SHA384", "AES256-SHA256", "AES256-SHA"],
];

/// All policies, with the oldest TLS version first, as the service describes them. A policy with PQ in its name has the same
/// ciphers as the one without: they differ in the key exchange, which is not described.
static POLICIES: [Policy; 39] = [
    ("ELBSecurityPolicy-2016-08", &[V10, V11, V12], &[FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS13-1-3-2021-06", &[V13], &[TLS13]),
    ("ELBSecurityPolicy-TLS13-1-2-2021-06", &[V12, V13], &[TLS13, FS]),
    ("ELBSecurityPolicy-TLS13-1-2-Res-2021-06", &[V12, V13], &[TLS13, GCM]),
    ("ELBSecurityPolicy-TLS13-1-2-Ext1-2021-06", &[V12, V13], &[TLS13, FS, RSA]),
    ("ELBSecurityPolicy-TLS13-1-2-Ext2-2021-06", &[V12, V13], &[TLS13, FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS13-1-1-2021-06", &[V11, V12, V13], &[TLS13, FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS13-1-0-2021-06", &[V10, V11, V12, V13], &[TLS13, FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS13-1-3-FIPS-2023-04", &[V13], &[TLS13_FIPS]),
    ("ELBSecurityPolicy-TLS13-1-2-FIPS-2023-04", &[V12, V13], &[TLS13_FIPS, FS]),
    ("ELBSecurityPolicy-TLS13-1-2-Res-FIPS-2023-04", &[V12, V13], &[TLS13_FIPS, GCM]),
    ("ELBSecurityPolicy-TLS13-1-2-Ext0-FIPS-2023-04", &[V12, V13], &[TLS13_FIPS, FS_OLD]),
    ("ELBSecurityPolicy-TLS13-1-2-Ext1-FIPS-2023-04", &[V12, V13], &[TLS13_FIPS, FS, RSA]),
    ("ELBSecurityPolicy-TLS13-1-2-Ext2-FIPS-2023-04", &[V12, V13], &[TLS13_FIPS, FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS13-1-1-FIPS-2023-04", &[V11, V12, V13], &[TLS13_FIPS, FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS13-1-0-FIPS-2023-04", &[V10, V11, V12, V13], &[TLS13_FIPS, FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS13-1-3-PQ-2025-09", &[V13], &[TLS13]),
    ("ELBSecurityPolicy-TLS13-1-2-PQ-2025-09", &[V12, V13], &[TLS13, FS]),
    ("ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09", &[V12, V13], &[TLS13, GCM]),
    ("ELBSecurityPolicy-TLS13-1-2-Ext1-PQ-2025-09", &[V12, V13], &[TLS13, FS, RSA]),
    ("ELBSecurityPolicy-TLS13-1-2-Ext2-PQ-2025-09", &[V12, V13], &[TLS13, FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS13-1-0-PQ-2025-09", &[V10, V11, V12, V13], &[TLS13, FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS13-1-3-FIPS-PQ-2025-09", &[V13], &[TLS13_FIPS]),
    ("ELBSecurityPolicy-TLS13-1-2-FIPS-PQ-2025-09", &[V12, V13], &[TLS13_FIPS, FS]),
    ("ELBSecurityPolicy-TLS13-1-2-Res-FIPS-PQ-2025-09", &[V12, V13], &[TLS13_FIPS, GCM]),
    ("ELBSecurityPolicy-TLS13-1-2-Ext0-FIPS-PQ-2025-09", &[V12, V13], &[TLS13_FIPS, FS_OLD]),
    ("ELBSecurityPolicy-TLS13-1-2-Ext1-FIPS-PQ-2025-09", &[V12, V13], &[TLS13_FIPS, FS, RSA]),
    ("ELBSecurityPolicy-TLS13-1-2-Ext2-FIPS-PQ-2025-09", &[V12, V13], &[TLS13_FIPS, FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS13-1-0-FIPS-PQ-2025-09", &[V10, V11, V12, V13], &[TLS13_FIPS, FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS-1-2-Ext-2018-06", &[V12], &[FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS-1-2-2017-01", &[V12], &[FS, RSA]),
    ("ELBSecurityPolicy-TLS-1-1-2017-01", &[V11, V12], &[FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-2015-05", &[V10, V11, V12], &[FS_OLD, RSA_OLD]),
    ("ELBSecurityPolicy-TLS-1-0-2015-04", &[V10, V11, V12], &[FS_OLD, RSA_OLD, &[&["DES-CBC3-SHA"]]]),
    ("ELBSecurityPolicy-FS-1-2-Res-2020-10", &[V12], &[GCM]),
    ("ELBSecurityPolicy-FS-1-2-Res-2019-08", &[V12], &[FS]),
    ("ELBSecurityPolicy-FS-1-2-2019-08", &[V12], &[FS_OLD]),
    ("ELBSecurityPolicy-FS-1-1-2019-08", &[V11, V12], &[FS_OLD]),
    ("ELBSecurityPolicy-FS-2018-06", &[V10, V11, V12], &[FS_OLD]),
];

/// Refuses a policy that does not exist.
pub(crate) fn check_exists(name: &str, field: &str) -> Result<()> {
    let names = POLICIES.iter().map(|(known, ..)| *known);
    if names.clone().any(|known| known == name) {
        return Ok(());
    }
    Err(errors::ssl_policy_not_found(name).with_field(field).with_hint(nearest::hint(name, names)))
}

/// A cipher of a policy.
#[derive(Record)]
pub struct Cipher {
    /// Name.
    name: Option<Text>,
    /// Priority among the ciphers of the policy.
    priority: Option<i64>,
}

/// A security policy: the TLS versions and ciphers that a listener accepts.
#[derive(Record)]
pub struct SslPolicy {
    /// TLS versions.
    ssl_protocols: Option<Vec<Text>>,
    /// Ciphers, in order of priority.
    ciphers: Option<Vec<Cipher>>,
    /// Name.
    name: Option<Text>,
    /// Types of load balancers that support the policy.
    supported_load_balancer_types: Option<Vec<Text>>,
}

fn describe((name, versions, ciphers): &Policy) -> SslPolicy {
    let ciphers = ciphers.iter().copied().flatten().copied().flatten().zip(1..);
    let cipher =
        |(name, priority): (&&str, i64)| Cipher { name: Some((*name).into()), priority: Some(priority) };
    SslPolicy {
        ssl_protocols: Some(versions.iter().map(|version| (*version).into()).collect()),
        ciphers: Some(ciphers.map(cipher).collect()),
        name: Some((*name).into()),
        supported_load_balancer_types: Some(vec!["application".into(), "network".into()]),
    }
}

/// Describes security policies: all of them, or those with the given names.
#[operation(
    of = LoadBalancer, call = "ssl_policies", page(ssl_policies: SslPolicy, next_marker),
    include(Page), effect = read, subject = "*"
)]
pub struct DescribeSSLPolicies {
    /// Names of the policies.
    pub names: Option<Vec<Text>>,
    /// Type of load balancer that the policies support.
    pub load_balancer_type: Option<LoadBalancerType>,
}

impl Handler for DescribeSSLPolicies {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.names.iter().flatten().try_for_each(|name| check_exists(name, "Names"))?;
        let names = self.names.as_deref().unwrap_or_default();
        let is_selected =
            |(name, ..): &&Policy| names.is_empty() || names.iter().any(|selected| selected == name);
        let gateway = self.load_balancer_type == Some(LoadBalancerType::Gateway);
        let policies = POLICIES.iter().filter(is_selected).filter(|_| !gateway).map(describe);
        Ok(cx.page_list(&self, policies)?.into())
    }
}
