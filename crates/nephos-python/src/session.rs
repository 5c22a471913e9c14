//! Sessions: account, Region, credentials and transport of a caller.

use crate::{classes::list_of_models, cloud::Cloud, errors::to_exception};
use nephos::{Credentials, RemoteSession, TaggedModels};
use nephos_core::wait;
use pyo3::{exceptions::PyValueError, prelude::*, types::PyTuple};
use std::{collections::HashMap, sync::Arc, time::Duration};

/// A caller, on a cloud or on an endpoint: account, Region, credentials and transport. It does not change.
///
/// `cloud.session()` is one on a cloud. `Session(endpoint="http://127.0.0.1:4566")` is one on an AWS-compatible endpoint, and
/// `Session(profile="prod")` one with the credentials of a profile. Inside `with session:`, calls use it.
#[pyclass(frozen, module = "nephos")]
pub(crate) struct Session(nephos::Session);

impl Session {
    pub(crate) fn session(&self) -> &nephos::Session {
        &self.0
    }
}

/// A session, or a cloud, which stands for its default session.
#[derive(FromPyObject)]
pub(crate) enum SessionOrCloud<'py> {
    Session(Bound<'py, Session>),
    Cloud(Bound<'py, Cloud>),
}

impl SessionOrCloud<'_> {
    pub(crate) fn session(&self) -> nephos::Session {
        match self {
            Self::Session(session) => session.get().session().clone(),
            Self::Cloud(cloud) => cloud.get().session(None, None).session().clone(),
        }
    }
}

impl From<nephos::Session> for Session {
    fn from(session: nephos::Session) -> Self {
        Self(session)
    }
}

#[pymethods]
impl Session {
    /// Opens a session on an AWS-compatible endpoint, or with a profile. What is not given is read from `environment`; by default,
    /// that of the process.
    #[new]
    #[pyo3(signature = (
        *, endpoint = None, profile = None, region = None, account = None, access_key_id = None,
        secret_access_key = None, session_token = None, environment = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        endpoint: Option<String>,
        profile: Option<String>,
        region: Option<String>,
        account: Option<String>,
        access_key_id: Option<String>,
        secret_access_key: Option<String>,
        session_token: Option<String>,
        environment: Option<HashMap<String, String>>,
    ) -> PyResult<Self> {
        let environment = match environment {
            Some(environment) => environment,
            None => py.import("os")?.getattr("environ")?.call_method0("copy")?.extract()?,
        };
        let mut builder = nephos::Session::remote().environment(|name| environment.get(name).cloned());
        if let Some(endpoint) = endpoint {
            builder = builder.endpoint(endpoint);
        }
        if let Some(profile) = profile {
            builder = builder.profile(profile);
        }
        if let Some(region) = region {
            builder = builder.region(region);
        }
        if let Some(account) = account {
            builder = builder.account(account);
        }
        if let (Some(id), Some(secret)) = (access_key_id, secret_access_key) {
            builder = builder.credentials(Credentials {
                access_key_id: id.into(),
                secret_access_key: secret.into(),
                session_token: session_token.map(Into::into),
                expiration: None,
            });
        }
        let session = py.detach(|| builder.build());
        session.map(Self).map_err(|error| to_exception(py, &error))
    }

    /// Account ID.
    #[getter]
    fn account(&self) -> &str {
        self.0.account()
    }

    /// Region.
    #[getter]
    fn region(&self) -> &str {
        self.0.region()
    }

    /// Returns the same session in another Region.
    fn with_region(&self, region: &str) -> Self {
        Self(self.0.with_region(region))
    }

    /// Returns the same session in another account.
    fn with_account(&self, account: &str) -> Self {
        Self(self.0.with_account(account))
    }

    /// Returns the models of all kinds whose tag `key` has this value, in order of their ARNs.
    fn tagged<'py>(&self, py: Python<'py>, key: &str, value: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = py.detach(|| self.0.tagged(key, value).wait());
        let found = found.map_err(|error| to_exception(py, &error))?;
        let models = found.iter().filter_map(|model| Some(Arc::from(model.record()?.boxed_clone())));
        list_of_models(py, models.collect())
    }

    /// Waits before the next poll: at a cloud in this process, its clock is advanced.
    fn _pause(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        let by = Duration::try_from_secs_f64(seconds);
        let by = by.map_err(|error| PyValueError::new_err(format!("every: {error}")))?;
        py.detach(|| wait(self.0.transport().pause(by)));
        Ok(())
    }

    fn __enter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        slf.py().import("nephos._context")?.call_method1("enter", (slf,))?;
        Ok(slf.clone())
    }

    #[pyo3(signature = (*_failure))]
    fn __exit__(&self, py: Python<'_>, _failure: &Bound<'_, PyTuple>) -> PyResult<()> {
        py.import("nephos._context")?.call_method0("leave").map(drop)
    }

    fn __repr__(&self) -> String {
        format!("Session(account={:?}, region={:?})", self.0.account(), self.0.region())
    }
}
