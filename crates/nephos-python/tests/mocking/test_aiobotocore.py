"""Clients of aiobotocore under `mock_aws`."""

import asyncio

import pytest

session = pytest.importorskip("aiobotocore.session")

from nephos import UnsupportedService, mock_aws  # noqa: E402


def client(service):
    return session.get_session().create_client(service, region_name="us-east-1")


@mock_aws
async def create_and_list():
    async with client("logs") as logs:
        for number in range(3):
            await logs.create_log_group(logGroupName=f"/{number}")
        pages = logs.get_paginator("describe_log_groups").paginate(PaginationConfig={"PageSize": 2})
        return [group["logGroupName"] async for page in pages for group in page["logGroups"]]


def test_coroutines_are_answered():
    assert asyncio.run(create_and_list()) == ["/0", "/1", "/2"]


def test_errors_are_those_of_the_service():
    async def call():
        async with client("iam") as iam:
            with pytest.raises(iam.exceptions.NoSuchEntityException):
                await iam.get_user(UserName="absent")

    with mock_aws():
        asyncio.run(call())


def test_streams_are_read_in_parts():
    async def call():
        async with client("s3") as s3:
            await s3.create_bucket(Bucket="bucket")
            await s3.put_object(Bucket="bucket", Key="key", Body=b"content")
            body = (await s3.get_object(Bucket="bucket", Key="key"))["Body"]
            return [await body.read(3), await body.read()]

    with mock_aws():
        assert asyncio.run(call()) == [b"con", b"tent"]


def test_other_services_are_refused_by_name():
    async def call():
        async with client("sqs") as sqs:
            await sqs.list_queues()

    with mock_aws(moto=False), pytest.raises(UnsupportedService, match="'sqs'"):
        asyncio.run(call())
