"""Measures a listing of log groups by botocraft under moto; prints the best of three runs in seconds."""

import os
import sys
import time

os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1")

import boto3
from botocraft.services import LogGroup
from moto import mock_aws


def main() -> None:
    groups = int(sys.argv[1])
    with mock_aws():
        client = boto3.client("logs")
        for n in range(groups):
            client.create_log_group(logGroupName=f"/team-{n % 37:02}/service-{n % 1013:04}/part-{n:07}")
        best = None
        for _ in range(3):
            start = time.perf_counter()
            found = list(LogGroup.objects.list())
            took = time.perf_counter() - start
            assert len(found) == groups, len(found)
            best = took if best is None else min(best, took)
    print(f"{best:.6f}")


if __name__ == "__main__":
    main()
