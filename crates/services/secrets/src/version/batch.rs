//! Reads of the values of several secrets in one call.

use crate::{
    GetSecretValueResponse, SERVICE, Secret, SecretManager, cross_account, errors,
    secret::{
        filters::{self, SecretsFilter},
        list::{self, SortBy},
        secret_row,
    },
    version::value,
};
use nephos_cloud::{Direction, Handler, Tx};
use nephos_core::{Error, ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Parameters that select secrets.
#[derive(Record)]
#[record(shared)]
pub struct BatchQuery {
    /// Names or ARNs of the secrets.
    #[field(length(1..=20), each(length(1..=2048)))]
    secret_id_list: Option<Vec<Text>>,
    /// Filters; a secret must match all of them.
    #[field(length(..=10))]
    filters: Option<Vec<SecretsFilter>>,
    /// Maximum number of results on a page, only with filters; 20 by default.
    #[field(page_size, range(1..=20))]
    max_results: Option<i64>,
    /// Pagination token of the previous page, only with filters.
    #[field(page_token, length(1..=4096))]
    next_token: Option<Text>,
}

/// Reads the current values of the listed secrets, or of a page of the secrets that match filters.
#[operation(
    include(BatchQuery), effect = read, output = BatchGetSecretValueResponse, subject = "*",
    access = list, also_requires("ListSecrets" = "Filters? *")
)]
pub struct BatchGetSecretValue {}

/// Values that were read, and errors of the secrets that were not.
#[derive(Record)]
#[record(answer)]
pub struct BatchGetSecretValueResponse {
    /// Values that were read.
    secret_values: Option<Vec<GetSecretValueResponse>>,
    /// Pagination token of the next page.
    next_token: Option<Text>,
    /// Errors of the secrets that were not read.
    errors: Option<Vec<BatchError>>,
}

/// Error of a secret that was not read.
#[derive(Record)]
#[record(name = "APIErrorType")]
pub struct BatchError {
    /// Name or ARN of the secret, as given in the request.
    secret_id: Option<Text>,
    /// Error code that `GetSecretValue` would return for the secret.
    error_code: Option<Text>,
    /// Error message.
    message: Option<Text>,
}

impl BatchError {
    fn new(id: Text, error: &Error) -> Self {
        Self {
            secret_id: Some(id),
            error_code: Some(error.code().into()),
            message: Some(error.wire_message().into()),
        }
    }
}

impl BatchGetSecretValue {
    fn check(&self) -> Result<()> {
        let filters_needed = |member: &str| Err(errors::filters_needed(member).with_field(member));
        match (&self.secret_id_list, &self.filters) {
            (Some(_), Some(_)) => Err(errors::ids_or_filters_needed().with_field("Filters")),
            (None, None) => Err(errors::ids_or_filters_needed().with_field("SecretIdList")),
            (Some(_), None) if self.max_results.is_some() => filters_needed("MaxResults"),
            (Some(_), None) if self.next_token.is_some() => filters_needed("NextToken"),
            _ => Ok(()),
        }
    }
}

impl Handler for BatchGetSecretValue {
    fn run(self, cx: &mut Tx<'_>) -> Result<BatchGetSecretValueResponse> {
        self.check()?;
        let (ids, next_token) = match &self.secret_id_list {
            Some(ids) => (ids.clone(), None),
            None => list::page(cx, &self, &SortBy::CreatedDate, Direction::Ascending, |secret| {
                let listed =
                    secret.deleted_date.is_none() && filters::match_all(self.filters.as_deref(), &secret);
                Ok(secret.name.filter(|_| listed))
            })?,
        };
        let (mut values, mut refused) = (Vec::new(), Vec::new());
        for id in ids {
            let arn = secret_row::subject_arn(cx.scope(), &id);
            let read = cx.check_action(&SERVICE, "secretsmanager:GetSecretValue", arn.as_str(), &id);
            let read = read.and_then(|()| {
                cross_account::run_in_account_of(cx, &id, "GetSecretValue", |cx| {
                    let secret = secret_row::require(cx, &id)?;
                    value::read_value(cx, &secret, None, None)
                })
            });
            match read {
                Ok(value) => values.push(value),
                // A server error concerns the whole request, not one secret.
                Err(error) if error.status() >= 500 => return Err(error),
                Err(error) => refused.push(BatchError::new(id, &error)),
            }
        }
        Ok(BatchGetSecretValueResponse { secret_values: Some(values), next_token, errors: Some(refused) })
    }
}

/// Reads the current values of the listed secrets, or of a page of the secrets that match filters.
#[operation(
    kind = Secret, include(BatchQuery), call = "batch_get_value", effect = read, output = BatchGetSecretValueResponse
)]
pub struct SecretBatchGetValue {
    /// True if the call fails when any secret cannot be read.
    pub strict: Option<bool>,
}

impl ManagerOperation for SecretBatchGetValue {
    async fn run(&self, context: &WorkflowContext) -> Result<BatchGetSecretValueResponse> {
        let read = context.call(BatchGetSecretValue::from_given(self.clone())).await?;
        let refused = read.errors.iter().flatten().next().filter(|_| self.strict == Some(true));
        let Some(refused) = refused else { return Ok(read) };
        let known = errors::ALL.iter().find(|known| Some(known.code) == refused.error_code.as_deref());
        let error = known
            .unwrap_or(&&errors::INVALID_REQUEST)
            .with_message(refused.message.as_deref().unwrap_or_default());
        Err(error.with_hint(refused.secret_id.as_deref().unwrap_or_default()))
    }
}
