//! Values of Python as those of the library, and back.

use crate::{
    classes,
    errors::to_exception,
    record::PyRecord,
    secret::{SecretBytes, SecretStr},
};
use jiff::tz::Offset;
use nephos::{Blob, Error, Map, SecretText, Text, Timestamp, Value};
use nephos_core::{
    Ref,
    shape::{FieldShape, Type},
};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    sync::PyOnceLock,
    types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple, PyType},
};

/// Classes of Python's module `datetime`.
struct Datetimes {
    datetime: Py<PyType>,
    utc: Py<PyAny>,
}

fn datetimes(py: Python<'_>) -> PyResult<&Datetimes> {
    static DATETIMES: PyOnceLock<Datetimes> = PyOnceLock::new();
    DATETIMES.get_or_try_init(py, || {
        let module = py.import("datetime")?;
        Ok(Datetimes {
            datetime: module.getattr("datetime")?.cast_into::<PyType>()?.unbind(),
            utc: module.getattr("timezone")?.getattr("utc")?.unbind(),
        })
    })
}

/// Returns an instant as an aware datetime in UTC.
fn datetime(py: Python<'_>, time: Timestamp) -> PyResult<Bound<'_, PyAny>> {
    let Datetimes { datetime, utc } = datetimes(py)?;
    let civil = Offset::UTC.to_datetime(time);
    let parts = (
        civil.year(),
        civil.month(),
        civil.day(),
        civil.hour(),
        civil.minute(),
        civil.second(),
        civil.subsec_nanosecond() / 1000,
        utc,
    );
    datetime.bind(py).call1(parts)
}

/// Returns a value for Python. `ty` is the type of the field, if it is one.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: Ref<'_>,
    ty: Option<&'static Type>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Ref::Null => py.None().into_bound(py),
        Ref::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
        Ref::Int(value) => value.into_pyobject(py)?.into_any(),
        Ref::Float(value) => PyFloat::new(py, value).into_any(),
        Ref::Text(text) => PyString::new(py, text).into_any(),
        Ref::Choice { name, .. } => match ty {
            Some(Type::Choice(shape)) => classes::choice(py, shape, name)?,
            _ => PyString::new(py, name).into_any(),
        },
        Ref::Time(time) => datetime(py, time)?,
        Ref::Blob(bytes) => PyBytes::new(py, bytes).into_any(),
        Ref::Secret(secret) => Bound::new(py, SecretStr::new(secret.clone()))?.into_any(),
        Ref::List(items) => {
            let item_type = match ty {
                Some(Type::List(item)) => Some(*item),
                _ => None,
            };
            let list = PyList::empty(py);
            for n in 0..items.len() {
                list.append(to_python(py, items.item(n), item_type)?)?;
            }
            list.into_any()
        }
        Ref::Map(entries) => {
            let value_type = match ty {
                Some(Type::Map(value)) => Some(*value),
                _ => None,
            };
            let dict = PyDict::new(py);
            for n in 0..entries.len() {
                let (key, value) = entries.entry(n);
                dict.set_item(key, to_python(py, value, value_type)?)?;
            }
            dict.into_any()
        }
        Ref::Record(record) => classes::instance(py, record.boxed_clone())?,
    })
}

/// Returns the value of a field for Python: a sensitive one as a secret.
pub(crate) fn field_to_python<'py>(
    py: Python<'py>,
    field: &'static FieldShape,
    value: Ref<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Ref::Text(text) if field.sensitive => Ok(Bound::new(py, SecretStr::new(text.into()))?.into_any()),
        Ref::Blob(bytes) if field.sensitive => Ok(Bound::new(py, SecretBytes::new(bytes))?.into_any()),
        value => to_python(py, value, Some(&field.ty)),
    }
}

/// Calls `act` with a value of Python, which is copied only if it has to be.
pub(crate) fn with_value<T>(value: &Bound<'_, PyAny>, act: impl FnOnce(Ref<'_>) -> T) -> PyResult<T> {
    Ok(if value.is_none() {
        act(Ref::Null)
    } else if let Ok(text) = value.cast::<PyString>() {
        act(Ref::Text(text.to_str()?))
    } else if let Ok(value) = value.cast::<PyBool>() {
        act(Ref::Bool(value.is_true()))
    } else if let Ok(value) = value.cast_exact::<PyInt>() {
        act(Ref::Int(int(value)?))
    } else {
        act(from_python(value)?.view())
    })
}

/// Returns a whole number, which must have at most 64 bits.
fn int(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    value.extract::<i64>().map_err(|_| {
        let error = Error::new(
            nephos::ErrorKind::Invalid,
            format!("{value} is outside of the range of whole numbers"),
        );
        to_exception(value.py(), &error)
    })
}

/// Maximum depth of nested values, so that one that contains itself is refused.
const MAX_DEPTH: usize = 64;

/// Returns a value of Python.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    read(value, 0)
}

fn read(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let py = value.py();
    if depth > MAX_DEPTH {
        return Err(PyValueError::new_err(format!("values can be nested at most {MAX_DEPTH} deep")));
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::Text(text.to_str()?.into()));
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Value::Bool(value.is_true()));
    }
    if value.cast::<PyInt>().is_ok() {
        return int(value).map(Value::Int);
    }
    if let Ok(value) = value.cast::<PyFloat>() {
        return Ok(Value::Float(value.extract()?));
    }
    if let Ok(record) = value.cast::<PyRecord>() {
        return Ok(nephos_core::record::to_value(&*record.get().current(py)?));
    }
    if let Ok(entries) = value.cast::<PyDict>() {
        let entries = entries.iter().map(|(key, value)| {
            let key = key.cast::<PyString>().map_err(|_| {
                PyTypeError::new_err(format!("keys of mappings must be texts, found {key:?}"))
            })?;
            Ok((Text::from(key.to_str()?), read(&value, depth + 1)?))
        });
        return entries.collect::<PyResult<Map<Value>>>().map(Value::Map);
    }
    if value.cast::<PyList>().is_ok()
        || value.cast::<PyTuple>().is_ok()
        || value.cast::<PySet>().is_ok()
        || value.cast::<PyFrozenSet>().is_ok()
    {
        let items = value.try_iter()?.map(|item| read(&item?, depth + 1));
        return items.collect::<PyResult<Vec<Value>>>().map(Value::List);
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Value::Blob(Blob(bytes.as_bytes().to_vec())));
    }
    if let Ok(secret) = value.cast::<SecretStr>() {
        return Ok(Value::Secret(secret.get().secret().clone()));
    }
    if let Ok(secret) = value.cast::<SecretBytes>() {
        return Ok(Value::Blob(Blob(secret.get().bytes().to_vec())));
    }
    if value.is_instance(datetimes(py)?.datetime.bind(py))? {
        // A datetime without an offset is taken as UTC.
        let text: String = value.call_method0("isoformat")?.extract()?;
        let time = nephos_core::time::parse(&text);
        return time.map(Value::Time).ok_or_else(|| PyTypeError::new_err(format!("{text} is out of range")));
    }
    // pydantic's secrets, and other mappings and sequences.
    if let Ok(secret) = value.call_method0("get_secret_value") {
        return Ok(Value::Secret(SecretText::from(secret.extract::<String>()?)));
    }
    if value.hasattr("keys")? {
        let dict = PyDict::new(py);
        dict.call_method1("update", (value,))?;
        return read(&dict, depth + 1);
    }
    let class = value.get_type();
    Err(PyTypeError::new_err(format!("values of the type {} are not supported", class.qualname()?)))
}

/// Returns a mapping of keyword arguments.
pub(crate) fn map_from(kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Map<Value>> {
    let Some(kwargs) = kwargs else { return Ok(Map::default()) };
    match from_python(kwargs)? {
        Value::Map(map) => Ok(map),
        _ => Ok(Map::default()),
    }
}
