//! Certificates of listeners: the default one, and others that are selected by server name (SNI).

use super::{Listener, ListenerManager};
use crate::{
    Empty, Protocol, errors, limits,
    paging::{self, Page},
};
use nephos_cloud::{Addressed, Handler, Scope, Stored, Tx};
use nephos_core::{Arn, Extra, ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// A certificate of a listener.
#[derive(Record)]
#[record(extras)]
pub struct Certificate {
    /// ARN of the certificate.
    pub(crate) certificate_arn: Option<Text>,
    /// True for the default certificate; set by the service only.
    #[field(response_only)]
    is_default: Option<bool>,
    extra: Extra,
}

impl Certificate {
    fn new(arn: Text, is_default: impl Into<Option<bool>>) -> Self {
        Self { certificate_arn: Some(arn), is_default: is_default.into(), extra: Extra::default() }
    }
}

/// Refuses a certificate that is not of this account and Region. It is assumed to exist there.
pub(crate) fn check(scope: &Scope, certificate: &Certificate, field: &str) -> Result<()> {
    if certificate.is_default.is_some() {
        return Err(errors::certificate_is_default_given().with_field(format!("{field}.IsDefault")));
    }
    let Some(arn) = certificate.certificate_arn.as_deref() else {
        return Err(errors::setting_missing("certificate ARN").with_field(format!("{field}.CertificateArn")));
    };
    let is_local = match Arn::parts(arn) {
        Some([_, "acm", region, account, resource]) => {
            (account, region) == (scope.account(), scope.region())
                && resource.strip_prefix("certificate/").is_some_and(|id| !id.is_empty())
        }
        Some([_, "iam", "", account, resource]) => {
            account == scope.account()
                && resource.strip_prefix("server-certificate/").is_some_and(|name| !name.is_empty())
        }
        _ => false,
    };
    if is_local {
        return Ok(());
    }
    Err(errors::certificate_not_found(arn).with_field(format!("{field}.CertificateArn")))
}

/// A certificate that was added to a listener.
#[derive(Record)]
#[record(row)]
pub(crate) struct AddedCertificateRow {
    /// ARN of the listener.
    listener_arn: Option<Text>,
    /// ARN of the certificate.
    certificate_arn: Option<Text>,
}

nephos_cloud::stored!(AddedCertificateRow in "elbv2/certificate" by listener_arn, certificate_arn);

fn added_arns(cx: &Tx<'_>, listener: &str) -> Result<Vec<Text>> {
    let added: Vec<AddedCertificateRow> = cx.all(&AddedCertificateRow::table(cx.scope()).text(listener))?;
    Ok(added.into_iter().filter_map(|added| added.certificate_arn).collect())
}

/// Removes all certificates that were added to a listener.
pub(crate) fn remove_added(cx: &mut Tx<'_>, listener: &str) -> Result<()> {
    cx.remove_all(&AddedCertificateRow::table(cx.scope()).text(listener).prefix_range()).map(drop)
}

/// Returns the listener, which must use HTTPS or TLS.
fn require_secure_listener(cx: &Tx<'_>, arn: &str) -> Result<Listener> {
    let listener = Listener::require(cx, arn, "ListenerArn")?;
    if !listener.protocol.as_ref().is_some_and(Protocol::is_secure) {
        return Err(errors::certificate_unsupported(listener.own_protocol().name()).with_field("ListenerArn"));
    }
    Ok(listener)
}

fn default_certificate(listener: &Listener) -> Option<Text> {
    listener.certificates.as_ref()?.first()?.certificate_arn.clone()
}

/// Adds certificates to a listener. A certificate that it already has is not an error.
#[operation(of = Listener, needs(listener_arn), wraps(certificates: Vec<Certificate>), effect = write)]
pub struct AddListenerCertificates {
    /// Certificates.
    #[field(length(1..))]
    pub certificates: Vec<Certificate>,
}

impl Handler for AddListenerCertificates {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let listener = require_secure_listener(cx, &self.listener_arn)?;
        for (n, certificate) in self.certificates.iter().enumerate() {
            check(cx.scope(), certificate, &format!("Certificates[{n}]"))?;
        }
        let arns = self.certificates.iter().filter_map(|certificate| certificate.certificate_arn.clone());
        let arns = paging::deduplicate(&arns.collect::<Vec<_>>());
        let (own, before) = (default_certificate(&listener), added_arns(cx, &self.listener_arn)?);
        let is_new = |arn: &&Text| own.as_ref() != Some(*arn) && !before.contains(arn);
        let new: Vec<_> = arns.iter().filter(is_new).cloned().collect();
        if before.len() + new.len() > limits::MAX_CERTIFICATES {
            let max = limits::MAX_CERTIFICATES;
            return Err(errors::too_many_certificates().with_field("Certificates").with_hint(format!(
                "a listener can have at most {max} certificates besides the default one, got {}",
                before.len() + new.len()
            )));
        }
        for arn in new {
            cx.put(AddedCertificateRow {
                listener_arn: Some(self.listener_arn.clone()),
                certificate_arn: Some(arn),
            })?;
        }
        let certificates = arns.into_iter().map(|arn| {
            let is_default = own.as_ref() == Some(&arn);
            Certificate::new(arn, is_default)
        });
        Ok(certificates.collect::<Vec<_>>().into())
    }
}

/// Removes certificates from a listener, except the default one. A certificate that it does not have is not an error.
#[operation(of = Listener, needs(listener_arn), effect = write)]
pub struct RemoveListenerCertificates {
    /// Certificates.
    #[field(length(1..))]
    pub certificates: Vec<Certificate>,
}

impl Handler for RemoveListenerCertificates {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let listener = require_secure_listener(cx, &self.listener_arn)?;
        let own = default_certificate(&listener);
        for (n, certificate) in self.certificates.iter().enumerate() {
            check(cx.scope(), certificate, &format!("Certificates[{n}]"))?;
            if certificate.certificate_arn == own {
                return Err(errors::default_certificate_fixed().with_hint("it can be replaced"));
            }
        }
        for Certificate { certificate_arn, .. } in self.certificates {
            cx.remove(&AddedCertificateRow {
                listener_arn: Some(self.listener_arn.clone()),
                certificate_arn,
            })?;
        }
        Ok(Empty {})
    }
}

/// Describes the certificates of a listener, the default one first.
#[operation(
    of = Listener, call = "list_certificates", on_model, needs(listener_arn),
    page(certificates: Certificate, next_marker), include(Page), effect = read, subject = "*"
)]
pub struct DescribeListenerCertificates {}

impl Handler for DescribeListenerCertificates {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let listener = require_secure_listener(cx, &self.listener_arn)?;
        let own = default_certificate(&listener).into_iter().map(|arn| Certificate::new(arn, true));
        let others = added_arns(cx, &self.listener_arn)?.into_iter().map(|arn| Certificate::new(arn, false));
        let sort_key = |certificate: &Certificate| {
            let arn = certificate.certificate_arn.clone().unwrap_or_default();
            if certificate.is_default == Some(true) { Text::default() } else { arn }
        };
        Ok(cx.page_items(&self, own.chain(others), sort_key)?.into())
    }
}

/// A listener, and the ARNs of certificates.
#[derive(Record)]
#[record(shared)]
pub struct CertificateSelection {
    /// ARN of the listener.
    #[field(required)]
    listener_arn: Option<Text>,
    /// ARNs of the certificates.
    #[field(required)]
    certificate_arns: Option<Vec<Text>>,
}

fn to_certificates(arns: &[Text]) -> Vec<Certificate> {
    arns.iter().map(|arn| Certificate::new(arn.clone(), None)).collect()
}

/// Adds certificates to a listener.
#[operation(kind = Listener, call = "add_certificates", include(CertificateSelection), effect = write, output = Vec<Certificate>)]
pub struct ListenerAddCertificates {}

impl ManagerOperation for ListenerAddCertificates {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Certificate>> {
        let add =
            AddListenerCertificates::new(self.listener_arn.clone(), to_certificates(&self.certificate_arns));
        Ok(context.call(add).await?.certificates.unwrap_or_default())
    }
}

/// Removes certificates from a listener, except the default one.
#[operation(kind = Listener, call = "remove_certificates", include(CertificateSelection), effect = write, output = ())]
pub struct ListenerRemoveCertificates {}

impl ManagerOperation for ListenerRemoveCertificates {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        let arn = self.listener_arn.clone();
        context
            .call(RemoveListenerCertificates::new(arn, to_certificates(&self.certificate_arns)))
            .await
            .map(drop)
    }
}
