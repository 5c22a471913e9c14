//! Clouds inside the process.

use crate::{
    errors::to_exception,
    http::{self, PyResponse},
};
use nephos::{Clock, SignedDuration, Timestamp};
use nephos_core::time;
use nephos_server::{InProcess, Server};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyType};
use std::{path::PathBuf, sync::OnceLock};

/// A cloud inside the process: in memory, or in a file.
#[pyclass(frozen, subclass, module = "nephos._nephos")]
pub(crate) struct Cloud {
    cloud: nephos::Cloud,
    /// Answers requests on the wire; made for the first of them.
    server: OnceLock<InProcess>,
}

/// A cloud on the way into its Python object, whose class may be a subclass.
#[pyclass(frozen, module = "nephos._nephos")]
struct OpenedCloud(nephos::Cloud);

impl Cloud {
    /// Makes an object of `class`.
    fn wrap<'py>(class: &Bound<'py, PyType>, cloud: nephos::Cloud) -> PyResult<Bound<'py, PyAny>> {
        class.call1((OpenedCloud(cloud),))
    }

    fn server(&self) -> nephos::Result<&InProcess> {
        if let Some(server) = self.server.get() {
            return Ok(server);
        }
        let server = Server::new(self.cloud.clone()).in_process()?;
        Ok(self.server.get_or_init(|| server))
    }
}

/// Reads an instant in any form of the services.
fn parse_time(text: &str) -> PyResult<Timestamp> {
    time::parse(text)
        .ok_or_else(|| PyValueError::new_err(format!("time: expected a datetime, found {text:?}")))
}

/// Returns a clock that runs from `start`.
fn clock_from(start: Timestamp) -> Clock {
    let clock = Clock::system();
    clock.advance(start.duration_since(clock.now()));
    clock
}

#[pymethods]
impl Cloud {
    #[new]
    fn new(cloud: &Bound<'_, OpenedCloud>) -> Self {
        Self { cloud: cloud.get().0.clone(), server: OnceLock::new() }
    }

    /// Creates a cloud in memory. With a `time`, it is frozen at it.
    #[classmethod]
    #[pyo3(signature = (time = None))]
    fn in_memory<'py>(cls: &Bound<'py, PyType>, time: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let time = time.map(parse_time).transpose()?;
        let py = cls.py();
        let cloud = py.detach(|| {
            let Some(start) = time else { return Ok(nephos::Cloud::in_memory()) };
            // Frozen a moment before, so that the time can be set exactly.
            let clock = clock_from(start - SignedDuration::from_mins(1));
            let cloud = nephos::Cloud::options().clock(clock).in_memory();
            cloud.clock().freeze()?;
            cloud.clock().set(start)?;
            Ok(cloud)
        });
        Self::wrap(cls, cloud.map_err(|error| to_exception(py, &error))?)
    }

    /// Opens the cloud in the file at `path`; the file is created if it does not exist.
    #[classmethod]
    fn open<'py>(cls: &Bound<'py, PyType>, path: PathBuf) -> PyResult<Bound<'py, PyAny>> {
        let py = cls.py();
        let cloud = py.detach(|| nephos::Cloud::open(path));
        Self::wrap(cls, cloud.map_err(|error| to_exception(py, &error))?)
    }

    /// Forks the cloud: neither sees later changes of the other, and each has its own time.
    fn fork<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let fork = py.detach(|| this.cloud.fork());
        Self::wrap(&slf.get_type(), fork.map_err(|error| to_exception(py, &error))?)
    }

    /// Advances the clock of the cloud, does the work that falls due meanwhile, and returns the number of its pieces.
    fn advance(&self, py: Python<'_>, seconds: f64) -> PyResult<usize> {
        let by = SignedDuration::try_from_secs_f64(seconds);
        let by = by.map_err(|error| PyValueError::new_err(format!("seconds: {error}")))?;
        let advance = py.detach(|| self.cloud.clock().advance(by));
        advance.map(|advance| advance.done).map_err(|error| to_exception(py, &error))
    }

    /// The time of the cloud.
    fn now(&self) -> String {
        self.cloud.clock().now().to_string()
    }

    /// True if the time changes only when it is advanced.
    fn is_frozen(&self) -> bool {
        self.cloud.clock().is_frozen()
    }

    /// Advances the time to `time`, and does the work that falls due meanwhile.
    fn set_time(&self, py: Python<'_>, time: &str) -> PyResult<()> {
        let time = parse_time(time)?;
        py.detach(|| self.cloud.clock().set(time)).map(drop).map_err(|error| to_exception(py, &error))
    }

    /// Freezes the time.
    fn freeze(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.cloud.clock().freeze()).map_err(|error| to_exception(py, &error))
    }

    /// Lets the time run again, from where it was frozen.
    fn resume(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.cloud.clock().run()).map_err(|error| to_exception(py, &error))
    }

    /// Enforcement of policies: `off`, `record` or `enforce`.
    fn permissions(&self) -> &'static str {
        self.cloud.permissions().name()
    }

    /// Sets the enforcement of policies.
    fn set_permissions(&self, py: Python<'_>, mode: &str) -> PyResult<()> {
        let set = || self.cloud.set_permissions(mode.parse()?);
        py.detach(set).map_err(|error| to_exception(py, &error))
    }

    /// Completes accepted writes and closes the file.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.cloud.close()).map_err(|error| to_exception(py, &error))
    }

    /// Answers an AWS request on the wire without a socket: status, headers and body; `None` for a service that is not here.
    /// `account` is the account of callers whose access key is not known.
    #[pyo3(signature = (method, url, headers, body, account = None))]
    fn request<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        url: &str,
        headers: Vec<(String, String)>,
        body: &[u8],
        account: Option<&str>,
    ) -> PyResult<Option<PyResponse<'py>>> {
        let request = http::to_request(method, url, headers, body)?;
        let response = py.detach(|| Ok(self.server()?.answer(request, account)));
        let response = response.map_err(|error| to_exception(py, &error))?;
        Ok(response.map(|response| http::to_python(py, response)))
    }
}
