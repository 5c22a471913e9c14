"""Fills moto's server at the given address with a thousand log groups."""

import sys

import boto3

client = boto3.client(
    "logs", endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test"
)
for n in range(1000):
    client.create_log_group(logGroupName=f"/team-{n % 37:02}/service-{n:07}")
