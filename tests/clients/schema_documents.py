"""Documents for the tests of event schemas."""

import json


def openapi(**properties):
    """Returns an OpenAPI document of one event."""
    return json.dumps(
        {
            "openapi": "3.0.0",
            "info": {"title": "Order", "version": "1"},
            "paths": {},
            "components": {"schemas": {"Order": {"type": "object", "properties": properties}}},
        }
    )


ORDER = openapi(id={"type": "string"}, note={"type": "string", "nullable": True})
DRAFT4 = json.dumps({"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"})
BUS = "arn:aws:events:us-east-1:123456789012:event-bus/default"
