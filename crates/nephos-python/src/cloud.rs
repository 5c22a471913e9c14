//! Clouds inside the process.

use crate::{
    errors::to_exception,
    functions::{self, Functions},
    http::{self, PyResponse},
    session::Session,
    values::to_python,
};
use nephos::{Clock, Error, Ref, SignedDuration, Timestamp, Transitions};
use nephos_core::{nearest, time};
use nephos_server::{InProcess, Server};
use pyo3::{
    PyTraverseError, PyVisit,
    conversion::FromPyObjectOwned,
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyString, PyType},
};
use std::{
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
};

/// A cloud inside the process: in memory, or in a file.
#[pyclass(frozen, subclass, module = "nephos._nephos")]
pub(crate) struct Cloud {
    cloud: nephos::Cloud,
    /// Answers requests on the wire; made for the first of them.
    server: OnceLock<InProcess>,
    functions: Functions,
}

/// A cloud on the way into its Python object, whose class may be a subclass.
#[pyclass(frozen, module = "nephos._nephos")]
struct OpenedCloud {
    cloud: nephos::Cloud,
    /// Functions that a fork has from the cloud that it was forked from.
    functions: Mutex<Functions>,
}

impl Cloud {
    /// Makes an object of `class`.
    fn wrap<'py>(
        class: &Bound<'py, PyType>,
        cloud: nephos::Cloud,
        functions: Functions,
    ) -> PyResult<Bound<'py, PyAny>> {
        class.call1((OpenedCloud { cloud, functions: Mutex::new(functions) },))
    }

    fn from_cloud(cloud: nephos::Cloud, functions: Functions) -> Self {
        Self { cloud, server: OnceLock::new(), functions }
    }

    pub(crate) fn kernel(&self) -> &nephos::Cloud {
        &self.cloud
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
fn parse_time(text: &str) -> nephos::Result<Timestamp> {
    time::parse(text).ok_or_else(|| Error::invalid("time", format!("expected a datetime, found {text:?}")))
}

/// Returns a clock that runs from `start`.
fn clock_from(start: Timestamp) -> Clock {
    let clock = Clock::system();
    clock.advance(start.duration_since(clock.now()));
    clock
}

/// Options to open a cloud with.
#[derive(Default)]
struct Options {
    clock: Option<String>,
    seed: Option<u64>,
    transitions: Option<String>,
    quotas: Option<bool>,
    permissions: Option<String>,
    own_events: Option<bool>,
    passphrase: Option<String>,
    durable: Option<bool>,
}

/// Names of the options.
const OPTIONS: [&str; 9] =
    ["clock", "time", "seed", "transitions", "quotas", "permissions", "own_events", "passphrase", "durable"];

impl Options {
    fn read(options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let Some(options) = options else { return Ok(Self::default()) };
        for name in options.keys() {
            let name: String = name.extract()?;
            if !OPTIONS.contains(&name.as_str()) {
                let hint = nearest::suggest(&name, OPTIONS);
                return Err(PyTypeError::new_err(format!("Cloud has no option {name:?}{hint}")));
            }
        }
        // `time` is the earlier name.
        let clock = match (option(options, "clock")?, option(options, "time")?) {
            (Some(_), Some(_)) => {
                return Err(PyTypeError::new_err("Cloud takes clock or time, but not both"));
            }
            (clock, time) => clock.or(time),
        };
        Ok(Self {
            clock,
            seed: option(options, "seed")?,
            transitions: option(options, "transitions")?,
            quotas: option(options, "quotas")?,
            permissions: option(options, "permissions")?,
            own_events: option(options, "own_events")?,
            passphrase: option(options, "passphrase")?,
            durable: option(options, "durable")?,
        })
    }

    fn open(self, path: Option<PathBuf>) -> nephos::Result<nephos::Cloud> {
        let mut options = nephos::Cloud::options();
        let start = self.clock.as_deref().map(parse_time).transpose()?;
        if let Some(start) = start {
            // Frozen a moment before, so that the time can be set exactly.
            options = options.clock(clock_from(start - SignedDuration::from_mins(1)));
        }
        if let Some(seed) = self.seed {
            options = options.seed(seed);
        }
        if let Some(transitions) = self.transitions {
            options = options.transitions(parse_transitions(&transitions)?);
        }
        if let Some(quotas) = self.quotas {
            options = options.quotas(quotas);
        }
        if let Some(permissions) = self.permissions {
            options = options.permissions(permissions.parse()?);
        }
        if let Some(own_events) = self.own_events {
            options = options.own_events(own_events);
        }
        if let Some(passphrase) = self.passphrase {
            options = options.passphrase(passphrase);
        }
        if let Some(durable) = self.durable {
            options = options.durable(durable);
        }
        let cloud = match path {
            Some(path) => options.open(path)?,
            None => options.in_memory(),
        };
        if let Some(start) = start {
            cloud.clock().freeze()?;
            cloud.clock().set(start)?;
        }
        Ok(cloud)
    }
}

/// Returns an option that may be missing or none.
fn option<'py, T>(options: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<T>>
where
    T: FromPyObjectOwned<'py, Error = PyErr>,
{
    match options.get_item(name)? {
        Some(value) if !value.is_none() => value.extract().map(Some),
        _ => Ok(None),
    }
}

fn parse_transitions(text: &str) -> nephos::Result<Transitions> {
    match text {
        "instant" => Ok(Transitions::Instant),
        "realistic" => Ok(Transitions::Realistic),
        _ => Err(Error::invalid("transitions", format!("expected 'instant' or 'realistic', found {text:?}"))),
    }
}

/// Returns the seconds of a duration such as `31d`.
#[pyfunction]
pub(crate) fn parse_duration(py: Python<'_>, text: &str) -> PyResult<f64> {
    let duration = time::parse_duration(text);
    let invalid = || Error::invalid("by", format!("{text:?} is not a duration, such as 31d, 90m or PT90M"));
    duration.map(|duration| duration.as_secs_f64()).ok_or_else(|| to_exception(py, &invalid()))
}

#[pymethods]
impl Cloud {
    #[new]
    #[pyo3(signature = (path = None, **options))]
    fn new(
        py: Python<'_>,
        path: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if let Some(opened) = path.and_then(|path| path.cast::<OpenedCloud>().ok()) {
            let opened = opened.get();
            let functions =
                std::mem::take(&mut *opened.functions.lock().unwrap_or_else(PoisonError::into_inner));
            return Ok(Self::from_cloud(opened.cloud.clone(), functions));
        }
        let path = path.map(|path| path.extract::<PathBuf>()).transpose()?;
        let options = Options::read(options)?;
        let cloud = py.detach(|| options.open(path)).map_err(|error| to_exception(py, &error))?;
        Ok(Self::from_cloud(cloud, Functions::default()))
    }

    /// Creates a cloud in memory. With a time for its `clock`, it is frozen at it.
    #[classmethod]
    #[pyo3(signature = (clock = None))]
    fn in_memory<'py>(cls: &Bound<'py, PyType>, clock: Option<String>) -> PyResult<Bound<'py, PyAny>> {
        let py = cls.py();
        let cloud = py.detach(|| Options { clock, ..Options::default() }.open(None));
        Self::wrap(cls, cloud.map_err(|error| to_exception(py, &error))?, Functions::default())
    }

    /// Opens the cloud in the file at `path`; the file is created if it does not exist.
    #[classmethod]
    fn open<'py>(cls: &Bound<'py, PyType>, path: PathBuf) -> PyResult<Bound<'py, PyAny>> {
        let py = cls.py();
        let cloud = py.detach(|| Options::default().open(Some(path)));
        Self::wrap(cls, cloud.map_err(|error| to_exception(py, &error))?, Functions::default())
    }

    /// Returns a session in an account and a Region.
    #[pyo3(signature = (account = None, region = None))]
    pub(crate) fn session(&self, account: Option<&str>, region: Option<&str>) -> Session {
        let mut session = self.cloud.session();
        if let Some(account) = account {
            session = session.with_account(account);
        }
        if let Some(region) = region {
            session = session.with_region(region);
        }
        session.into()
    }

    /// Saves the whole state to a new file.
    fn save_snapshot(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.cloud.save_to(path, |_| ())).map_err(|error| to_exception(py, &error))
    }

    /// Replaces the whole state, including the time, with a saved one.
    fn restore_snapshot(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.cloud.restore_from(path, |_| ())).map_err(|error| to_exception(py, &error))
    }

    /// Deletes everything but the time.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.cloud.reset()).map_err(|error| to_exception(py, &error))
    }

    /// Forks the cloud: neither sees later changes of the other, and each has its own time.
    fn fork<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let fork = py.detach(|| this.cloud.fork()).map_err(|error| to_exception(py, &error))?;
        let functions = this.functions.fork(py, &fork);
        Self::wrap(&slf.get_type(), fork, functions)
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

    fn _now<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, Ref::Time(self.cloud.clock().now()), None)
    }

    /// True if the time changes only when it is advanced.
    fn is_frozen(&self) -> bool {
        self.cloud.clock().is_frozen()
    }

    /// Advances the time to `time`, and does the work that falls due meanwhile.
    fn set_time(&self, py: Python<'_>, time: &str) -> PyResult<()> {
        let set = || self.cloud.clock().set(parse_time(time)?);
        py.detach(set).map(drop).map_err(|error| to_exception(py, &error))
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

    /// Registers a function that the cloud calls by this name or ARN, replacing a previous one. Forks have it, too.
    fn _register(&self, name: &Bound<'_, PyString>, function: Bound<'_, PyAny>) -> PyResult<()> {
        let name = functions::check(name, &function)?;
        self.functions.register(&self.cloud, name, function);
        Ok(())
    }

    /// Returns the function that is registered by a name.
    fn _function<'py>(&self, py: Python<'py>, name: &str) -> Option<Bound<'py, PyAny>> {
        self.functions.find(py, name)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.functions.traverse(&visit)
    }

    fn __clear__(&self) {
        self.functions.clear();
    }

    /// Completes accepted writes and closes the file.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.cloud.close()).map_err(|error| to_exception(py, &error))
    }

    /// Answers an AWS request on the wire without a socket: status, headers and body; `None` for a service that is not here.
    /// `headers` is a mapping or pairs; `account` is the account of callers whose access key is not known.
    #[pyo3(signature = (method, url, headers, body, account = None))]
    fn request<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        url: &str,
        headers: &Bound<'py, PyAny>,
        body: &[u8],
        account: Option<&str>,
    ) -> PyResult<Option<PyResponse<'py>>> {
        let request = http::to_request(method, url, headers, body)?;
        let response = py.detach(|| Ok(self.server()?.answer(request, account)));
        let response = response.map_err(|error| to_exception(py, &error))?;
        Ok(response.map(|response| http::to_python(py, response)))
    }
}
