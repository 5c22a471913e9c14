"""While `mock_aws` is active no credentials of the user are found, and no request for AWS leaves the machine."""

import os
import re
import socket
import urllib.error
import urllib.request

import boto3
import botocore.session
import pytest
import requests
import urllib3
from botocore.credentials import InstanceMetadataProvider
from botocore.exceptions import HTTPClientError
from botocore.httpsession import URLLib3Session
from botocore.utils import InstanceMetadataFetcher

from nephos import mock_aws


def test_the_environment_is_sealed():
    with mock_aws(account="210987654321"):
        keys = boto3.Session().get_credentials()
        assert (keys.access_key, keys.token) == ("210987654321", None)
        assert boto3.Session().available_profiles == []
        assert boto3.Session().region_name == "us-east-1"
        assert boto3.client("logs").meta.endpoint_url == "https://logs.us-east-1.amazonaws.com"
        assert not {"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"} & set(os.environ)
    assert os.environ["AWS_PROFILE"] == "real"


def test_a_region_of_the_environment_stays(monkeypatch):
    with monkeypatch.context() as change:
        change.setenv("AWS_DEFAULT_REGION", "eu-west-1")
        with mock_aws():
            assert boto3.Session().region_name == "eu-west-1"
            with mock_aws(region="us-west-2"):
                assert boto3.Session().region_name == "us-west-2"
            assert boto3.Session().region_name == "eu-west-1"


def test_a_file_of_the_test_stays(monkeypatch, tmp_path):
    with monkeypatch.context() as change:
        change.setenv("AWS_CONFIG_FILE", str(tmp_path / ".aws/config"))
        with mock_aws():
            assert boto3.Session(profile_name="real").region_name == "eu-west-3"


def test_the_default_session_is_restored():
    boto3.setup_default_session(aws_access_key_id="a", aws_secret_access_key="b", region_name="eu-west-2")
    mine = boto3.DEFAULT_SESSION
    with mock_aws():
        assert boto3.client("logs").meta.region_name == "us-east-1"
        assert boto3.DEFAULT_SESSION is not mine
    assert boto3.DEFAULT_SESSION is mine


def test_settings_of_moto_are_followed():
    config = {"core": {"mock_credentials": False}}
    with mock_aws(config=config):
        assert os.environ["AWS_ACCESS_KEY_ID"] == "AKIAIOSFODNN7EXAMPLE"
        with mock_aws():
            assert os.environ["AWS_ACCESS_KEY_ID"] == "123456789012"
        assert os.environ["AWS_ACCESS_KEY_ID"] == "AKIAIOSFODNN7EXAMPLE"


def test_sessions_share_the_models():
    with mock_aws():
        first = botocore.session.Session().get_component("data_loader")
        assert botocore.session.Session().get_component("data_loader") is first
    assert botocore.session.Session().get_component("data_loader") is not first


def test_everything_is_restored():
    before = (URLLib3Session.send, socket.getaddrinfo, urllib3.HTTPConnectionPool.urlopen, botocore.session.create_loader)
    with mock_aws(), mock_aws():
        assert URLLib3Session.send is not before[0]
    assert (URLLib3Session.send, socket.getaddrinfo, urllib3.HTTPConnectionPool.urlopen, botocore.session.create_loader) == before


def test_presigned_addresses_are_answered_to_other_libraries():
    with mock_aws():
        address = boto3.client("sts").generate_presigned_url("get_caller_identity")
        assert "<Account>123456789012</Account>" in requests.get(address).text
        assert b"<Account>123456789012</Account>" in urllib3.PoolManager().request("GET", address).data


def test_hosts_of_aws_cannot_be_found_otherwise():
    with mock_aws():
        for host in ["sts.amazonaws.com", b"sts.amazonaws.com", "logs.us-east-1.api.aws", "169.254.169.254"]:
            with pytest.raises(socket.gaierror, match="no request to AWS leaves this machine"):
                socket.getaddrinfo(host, 443)
        with pytest.raises(urllib.error.URLError, match="no request to AWS"):
            urllib.request.urlopen("https://sts.amazonaws.com/")
        assert socket.getaddrinfo("127.0.0.1", 443)


def test_metadata_services_are_not_asked():
    fetcher = InstanceMetadataFetcher(num_attempts=1, env={})
    with mock_aws():
        assert InstanceMetadataProvider(fetcher).load() is None


def test_requests_for_this_machine_are_sent():
    client = boto3.client("logs", region_name="us-east-1", endpoint_url="http://127.0.0.1:1")
    with mock_aws(), pytest.raises(HTTPClientError, match="a test connects to"):
        client.describe_log_groups()


def test_requests_for_other_endpoints_are_answered_here():
    client = boto3.client("logs", region_name="us-east-1", endpoint_url="https://logs.example.com")
    with mock_aws():
        assert client.describe_log_groups()["logGroups"] == []


@pytest.mark.parametrize(
    ("authority", "place"),
    [
        ("127.0.0.1:4566", "loopback"),
        ("127.8.8.8", "loopback"),
        ("[::1]:80", "loopback"),
        ("localhost:80", "loopback"),
        ("api.localhost", "loopback"),
        ("169.254.169.254", "metadata"),
        ("[fd00:ec2::254]", "metadata"),
        ("logs.us-east-1.amazonaws.com", "elsewhere"),
        ("localhost.example.com", "elsewhere"),
        ("10.0.0.1", "elsewhere"),
        ("user@localhost@example.com", "elsewhere"),
    ],
)
def test_only_this_machine_gets_requests(authority, place):
    from nephos import mock_network

    assert mock_network._place_of(authority) == place


@pytest.mark.parametrize("host", ["example.com", "amazonaws.com.example.com", "notamazonaws.com", "10.0.0.1", "localhost"])
def test_other_hosts_are_not_of_aws(host):
    from nephos import mock_network

    assert not mock_network.is_aws_host(host)
    assert mock_network.is_aws_host("LOGS.us-east-1.amazonaws.com.")


def test_requests_name_what_they_use():
    """botocore names features such as a paginator in the header; what is kept of one call is not sent with another."""
    features = []

    def record(request, **named):
        agent = request.headers["User-Agent"].decode()
        features.append(set(re.search(r" m/(\S+)", agent)[1].split(",")))

    with mock_aws():
        client = boto3.client("logs")
        client.meta.events.register("before-send", record)
        client.describe_log_groups()
        list(client.get_paginator("describe_log_groups").paginate())
        client.describe_log_groups()
    alone, paged, again = features
    assert alone == again
    assert paged - alone
