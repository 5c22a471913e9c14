# coding: utf-8

import datetime
import enum
import importlib
import re

TIME = re.compile(r'(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):?(\d\d))$')


class Marshaller(object):
    """Converts objects of this package to JSON-like values, and back."""

    @classmethod
    def marshall(cls, value):
        """Returns the dictionary, list or scalar of a value. Members that are None are left out."""
        if isinstance(value, enum.Enum):
            return value.value
        if isinstance(value, datetime.datetime):
            return format_time(value)
        if isinstance(value, (list, tuple)):
            return [cls.marshall(item) for item in value]
        if isinstance(value, dict):
            return {key: cls.marshall(item) for key, item in value.items()}
        if not hasattr(value, '_attribute_map'):
            return value
        members = ((wire, getattr(value, name)) for name, wire in value._attribute_map.items())
        return {wire: cls.marshall(member) for wire, member in members if member is not None}

    @classmethod
    def unmarshall(cls, data, type_name):
        """Returns the object of the type, a class of this package, that the data describes."""
        if data is None:
            return None
        if isinstance(type_name, tuple):
            container, item = type_name
            if container == 'list':
                return [cls.unmarshall(value, item) for value in data] if isinstance(data, list) else data
            return {key: cls.unmarshall(value, item) for key, value in data.items()} if isinstance(data, dict) else data
        if type_name == 'datetime':
            return parse_time(data)
        if isinstance(type_name, str):
            type_name = getattr(importlib.import_module(__package__), type_name, None)
        if isinstance(type_name, type) and issubclass(type_name, enum.Enum):
            known = [value for value in type_name if value.value == data]
            return known[0] if known else data
        if not hasattr(type_name, '_types') or not isinstance(data, dict):
            return data
        wires = type_name._attribute_map
        return type_name(**{name: cls.unmarshall(data.get(wires[name]), ty) for name, ty in type_name._types.items()})


def parse_time(text):
    """Parses a date and time; another text is returned unchanged."""
    found = TIME.match(text) if isinstance(text, str) else None
    if not found:
        return text
    day, time, fraction, sign, hours, minutes = found.groups()
    try:
        parsed = datetime.datetime.strptime(day + time, '%Y-%m-%d%H:%M:%S')
    except ValueError:
        return text
    offset = datetime.timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    zone = datetime.timezone(-offset if sign == '-' else offset)
    return parsed.replace(microsecond=int(float(fraction or 0) * 1000000), tzinfo=zone)


def format_time(time):
    """Formats a date and time, with Z for UTC."""
    text = time.isoformat()
    return text[:-6] + 'Z' if text.endswith('+00:00') else text
