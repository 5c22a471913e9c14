//! Credential report: a table of the users of an account and the state of their credentials.

use crate::{
    AccountSummary, AccountSummaryManager, User,
    account::password_policy,
    certificate::signing_certificate,
    entity::Entity,
    errors,
    identity::last_use::{self, LastUseRow},
    user::{access_key, login_profile, mfa_device::user_mfa_devices},
};
use nephos_cloud::{Handler, Key, Parts, Scope, Stored, Transitions, Tx};
use nephos_core::{Blob, Record, Result, SignedDuration, Text, Timestamp, choices, operation};

/// Time for which a report is valid.
const VALIDITY: SignedDuration = SignedDuration::from_hours(4);

/// Time that the provider takes to generate a report.
const DURATION: SignedDuration = SignedDuration::from_secs(10);

/// Value of a column that does not apply to a user.
const NOT_APPLICABLE: &str = "N/A";

/// Value of a column that the service does not know for a user.
const NOT_SUPPORTED: &str = "not_supported";

/// Value of a column about uses, of which there are none.
const NO_INFORMATION: &str = "no_information";

/// Columns of a report.
const COLUMNS: &str = "user,arn,user_creation_time,password_enabled,password_last_used,password_last_changed,\
     password_next_rotation,mfa_active,access_key_1_active,access_key_1_last_rotated,access_key_1_last_used_date,\
     access_key_1_last_used_region,access_key_1_last_used_service,access_key_2_active,access_key_2_last_rotated,\
     access_key_2_last_used_date,access_key_2_last_used_region,access_key_2_last_used_service,cert_1_active,\
     cert_1_last_rotated,cert_2_active,cert_2_last_rotated";

choices! {
    /// State of a credential report.
    pub enum ReportState {
        /// The generation was started.
        Started = "STARTED",
        /// The report is being generated.
        InProgress = "INPROGRESS",
        /// There is a report.
        Complete = "COMPLETE",
    }
}

choices! {
    /// Format of a credential report.
    pub enum ReportFormat {
        /// Comma-separated values.
        Csv = "text/csv",
    }
}

/// Row of the credential report of an account.
#[derive(Record)]
#[record(row)]
pub(crate) struct ReportRow {
    /// Time at which the report is ready.
    generated: Option<Timestamp>,
    /// The report.
    content: Option<Blob>,
}

impl Stored for ReportRow {
    const TABLE: &'static str = "iam/credential-report";

    fn identify(&self, key: Key) -> Key {
        key
    }

    fn restore(&mut self, _: &Scope, _: Parts<'_>) {}
}

impl ReportRow {
    fn find(cx: &Tx<'_>) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()))
    }

    fn is_ready(&self, cx: &Tx<'_>) -> bool {
        self.generated.is_some_and(|time| time <= cx.now())
    }

    fn is_expired(&self, cx: &Tx<'_>) -> bool {
        self.generated.is_some_and(|time| cx.now().duration_since(time) >= VALIDITY)
    }
}

/// Formats a time in the way of reports.
fn format_time(time: Timestamp) -> String {
    let text = time.to_string();
    let seconds = text.split(['.', 'Z']).next().unwrap_or_default();
    format!("{seconds}+00:00")
}

fn time_or(time: Option<Timestamp>, other: &str) -> String {
    time.map_or_else(|| other.to_owned(), format_time)
}

/// Returns the columns about the two access keys of a user.
fn key_columns(cx: &Tx<'_>, user_id: &str, columns: &mut Vec<String>) -> Result<()> {
    let mut keys = access_key::rows_of(cx, user_id)?.into_iter();
    for _ in 0..access_key::MAX_KEYS {
        let key = keys.next();
        let id = key.as_ref().and_then(|key| key.access_key_id.as_deref());
        let used = id.map_or(Ok(None), |id| last_use::find(cx, id))?.map(LastUseRow::into_key_use);
        columns.push(key.as_ref().is_some_and(access_key::AccessKeyRow::is_active).to_string());
        columns.push(time_or(key.and_then(|key| key.create_date), NOT_APPLICABLE));
        columns.push(time_or(used.as_ref().and_then(|used| used.last_used_date()), NOT_APPLICABLE));
        let texts = [
            used.as_ref().and_then(|used| used.region()),
            used.as_ref().and_then(|used| used.service_name()),
        ];
        columns.extend(texts.map(|text| text.unwrap_or(NOT_APPLICABLE).to_owned()));
    }
    Ok(())
}

/// Returns the row of a user; of the root user if it has no name.
fn line(cx: &Tx<'_>, user: &User, max_age: Option<i64>) -> Result<String> {
    let profile = login_profile::find(cx, user.id())?;
    let changed = profile.as_ref().and_then(|profile| profile.changed);
    let is_root = user.user_name.is_none();
    let mut columns = vec![
        user.user_name.as_deref().unwrap_or("<root_account>").to_owned(),
        user.arn.as_deref().unwrap_or_default().to_owned(),
        time_or(user.create_date, NO_INFORMATION),
    ];
    if is_root {
        columns.extend([NOT_SUPPORTED, NO_INFORMATION, NOT_SUPPORTED, NOT_SUPPORTED].map(str::to_owned));
    } else {
        let used = if profile.is_some() { NO_INFORMATION } else { NOT_APPLICABLE };
        let rotation =
            max_age.and_then(|days| changed?.checked_add(SignedDuration::from_hours(24 * days)).ok());
        columns.push(profile.is_some().to_string());
        columns.push(used.to_owned());
        columns.push(time_or(changed, NOT_APPLICABLE));
        columns.push(time_or(rotation, NOT_APPLICABLE));
    }
    columns.push(user_mfa_devices::has_devices(cx, user.id())?.to_string());
    key_columns(cx, user.id(), &mut columns)?;
    let mut certificates = signing_certificate::certificates_of(cx, user.id())?.into_iter();
    for _ in 0..signing_certificate::MAX_CERTIFICATES {
        let certificate = certificates.next();
        let is_active =
            certificate.as_ref().is_some_and(signing_certificate::SigningCertificateRow::is_active);
        columns.push(is_active.to_string());
        columns.push(time_or(certificate.and_then(|certificate| certificate.upload_date), NOT_APPLICABLE));
    }
    Ok(columns.join(","))
}

/// Returns the report about the root user and all users, in order of their names.
fn report(cx: &Tx<'_>) -> Result<String> {
    let max_age = password_policy::find(cx)?.and_then(|policy| policy.max_password_age);
    let mut report = COLUMNS.to_owned();
    let users: Vec<User> = cx.all(&User::table(cx.scope()))?;
    for user in std::iter::once(User::root(cx)).chain(users) {
        report.push('\n');
        report.push_str(&line(cx, &user, max_age)?);
    }
    Ok(report)
}

/// Generates a credential report, if there is none or the last one is older than four hours.
#[operation(
    of = AccountSummary, call = "generate_credential_report", effect = write,
    output = GenerateCredentialReportResponse, subject = "*", access = read
)]
pub struct GenerateCredentialReport {}

/// State of the credential report.
#[derive(Record)]
#[record(answer)]
pub struct GenerateCredentialReportResponse {
    /// State of the report.
    state: Option<ReportState>,
    /// Description of the state.
    description: Option<Text>,
}

impl Handler for GenerateCredentialReport {
    fn run(self, cx: &mut Tx<'_>) -> Result<GenerateCredentialReportResponse> {
        if let Some(row) = ReportRow::find(cx)?.filter(|row| !row.is_expired(cx)) {
            let state = if row.is_ready(cx) { ReportState::Complete } else { ReportState::InProgress };
            return Ok(GenerateCredentialReportResponse { state: Some(state), description: None });
        }
        let generated = match cx.transitions() {
            Transitions::Instant => cx.now(),
            Transitions::Realistic => cx.now().checked_add(DURATION).unwrap_or(Timestamp::MAX),
        };
        let content = Blob(report(cx)?.into_bytes());
        cx.put(ReportRow { generated: Some(generated), content: Some(content) })?;
        Ok(GenerateCredentialReportResponse {
            state: Some(ReportState::Started),
            description: Some("No report exists. Starting a new report generation task".into()),
        })
    }
}

/// Returns the credential report of the account, which must have been generated in the last four hours.
#[operation(
    of = AccountSummary, call = "credential_report", effect = read, output = CredentialReport, subject = "*"
)]
pub struct GetCredentialReport {}

/// A credential report.
#[derive(Record)]
#[record(answer, name = "GetCredentialReportResponse")]
pub struct CredentialReport {
    /// The report: a line for each user.
    content: Option<Blob>,
    /// Format of the report.
    report_format: Option<ReportFormat>,
    /// Time at which the report was generated.
    generated_time: Option<Timestamp>,
}

impl Handler for GetCredentialReport {
    fn run(self, cx: &mut Tx<'_>) -> Result<CredentialReport> {
        let row = ReportRow::find(cx)?.ok_or_else(errors::report_not_present)?;
        if !row.is_ready(cx) {
            return Err(errors::report_in_progress());
        }
        if row.is_expired(cx) {
            return Err(errors::report_expired());
        }
        Ok(CredentialReport {
            content: row.content,
            report_format: Some(ReportFormat::Csv),
            generated_time: row.generated,
        })
    }
}
