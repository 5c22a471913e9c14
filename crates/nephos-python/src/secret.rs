//! Texts and bytes that are never printed.

use nephos::SecretText;
use pyo3::{basic::CompareOp, prelude::*, types::PyBytes};
use zeroize::Zeroizing;

/// A text that is never printed, such as a password. `get_secret_value()` is the only way to read it.
#[pyclass(frozen, module = "nephos", name = "SecretStr")]
pub(crate) struct SecretStr(SecretText);

impl SecretStr {
    pub(crate) fn new(text: SecretText) -> Self {
        Self(text)
    }

    pub(crate) fn secret(&self) -> &SecretText {
        &self.0
    }
}

#[pymethods]
impl SecretStr {
    #[new]
    fn from_text(text: String) -> Self {
        Self(text.into())
    }

    /// Returns the text. Do not print it.
    fn get_secret_value(&self) -> &str {
        self.0.expose()
    }

    fn __repr__(&self) -> &'static str {
        "SecretStr('**********')"
    }

    fn __str__(&self) -> &'static str {
        "**********"
    }

    fn __len__(&self) -> usize {
        self.0.expose().chars().count()
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Self>() else { return Ok(py.NotImplemented()) };
        let is_same = self.0 == other.get().0;
        Ok(match op {
            CompareOp::Eq => is_same.into_pyobject(py)?.to_owned().into_any().unbind(),
            CompareOp::Ne => (!is_same).into_pyobject(py)?.to_owned().into_any().unbind(),
            _ => py.NotImplemented(),
        })
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        pyo3::types::PyString::new(slf.py(), slf.get().0.expose()).hash()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().0.expose().to_owned(),))
    }
}

/// Bytes that are never printed, such as a key. `get_secret_value()` is the only way to read them.
#[pyclass(frozen, eq, module = "nephos", name = "SecretBytes")]
#[derive(PartialEq)]
pub(crate) struct SecretBytes(Zeroizing<Vec<u8>>);

impl SecretBytes {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self(Zeroizing::new(bytes.to_vec()))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

#[pymethods]
impl SecretBytes {
    #[new]
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::new(bytes)
    }

    /// Returns the bytes. Do not print them.
    fn get_secret_value(&self) -> &[u8] {
        &self.0
    }

    fn __repr__(&self) -> &'static str {
        "SecretBytes(b'**********')"
    }

    fn __str__(&self) -> &'static str {
        "**********"
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Bound<'py, PyBytes>,)) {
        (slf.get_type().into_any(), (PyBytes::new(slf.py(), slf.get().bytes()),))
    }
}
