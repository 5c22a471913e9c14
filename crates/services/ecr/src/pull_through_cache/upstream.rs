//! Registries that images can come from.

use super::PullThroughCacheRule;
use crate::errors;
use nephos_cloud::Tx;
use nephos_core::{Arn, ErrorKind, Result, Value, choices};

choices! {
    /// A registry that images can come from.
    #[derive(Eq)]
    pub enum UpstreamRegistry {
        /// A private registry of the service.
        Ecr = "ecr",
        /// The public registry of the service.
        EcrPublic = "ecr-public",
        /// Quay.
        Quay = "quay",
        /// The registry of Kubernetes.
        K8s = "k8s",
        /// Docker Hub.
        DockerHub = "docker-hub",
        /// The registry of GitHub.
        GithubContainerRegistry = "github-container-registry",
        /// A registry of Azure.
        AzureContainerRegistry = "azure-container-registry",
        /// The registry of GitLab.
        GitlabContainerRegistry = "gitlab-container-registry",
        /// The registry of Chainguard.
        Chainguard = "chainguard",
    }
}

impl UpstreamRegistry {
    /// Returns the registry with this host, if it is supported.
    pub(super) fn find(host: &str) -> Option<Self> {
        Some(match host {
            "public.ecr.aws" => Self::EcrPublic,
            "quay.io" => Self::Quay,
            "registry.k8s.io" => Self::K8s,
            "registry-1.docker.io" => Self::DockerHub,
            "ghcr.io" => Self::GithubContainerRegistry,
            "registry.gitlab.com" => Self::GitlabContainerRegistry,
            "cgr.dev" => Self::Chainguard,
            _ if host.ends_with(".azurecr.io") => Self::AzureContainerRegistry,
            _ if host.contains(".dkr.ecr.") => Self::Ecr,
            _ => return None,
        })
    }

    /// True if the registry needs credentials.
    fn needs_credentials(&self) -> bool {
        !matches!(self, Self::Ecr | Self::EcrPublic | Self::Quay | Self::K8s)
    }
}

impl PullThroughCacheRule {
    /// Refuses a rule whose upstream registry is not supported, or needs credentials that do not exist.
    pub(super) fn check_upstream(&self, cx: &mut Tx<'_>) -> Result<()> {
        let host = self.upstream_registry_url.as_deref().unwrap_or_default();
        let found = UpstreamRegistry::find(host);
        if found.is_none() || found != self.upstream_registry {
            return Err(errors::upstream_unsupported().with_field("upstreamRegistryUrl").with_hint(host));
        }
        match &self.credential_arn {
            Some(arn) if has_secret(cx, arn)? => Ok(()),
            Some(arn) => Err(errors::secret_not_found().with_field("credentialArn").with_hint(arn.as_str())),
            None if found.is_some_and(|found| found.needs_credentials()) => {
                let reason = "A credential ARN is required for the upstream registry";
                Err(errors::invalid_parameter("credentialArn", reason).with_field("credentialArn"))
            }
            None => Ok(()),
        }
    }
}

/// True if a secret of this account exists. Secrets of other accounts, and of clouds without secrets, are assumed to exist.
fn has_secret(cx: &mut Tx<'_>, arn: &str) -> Result<bool> {
    let account = Arn::parts(arn).map(|[_, _, _, account, _]| account);
    if account != Some(cx.scope().account()) {
        return Ok(true);
    }
    match cx.call_service("secretsmanager", "DescribeSecret", &[("SecretId", Value::from(arn))]) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        found => found.map(|_| true),
    }
}
