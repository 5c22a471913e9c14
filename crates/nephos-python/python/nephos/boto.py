"""boto3 clients, resources and sessions of a cloud in this process: they reach it without a socket."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from nephos.errors import Unsupported

if TYPE_CHECKING:
    import boto3

#: Account and Region of callers that name none.
DEFAULT_ACCOUNT = "123456789012"
DEFAULT_REGION = "us-east-1"

#: Secret of every access key that is not one of the cloud: nobody verifies it.
SECRET = "nephos"


class UnsupportedService(Unsupported, RuntimeError):
    """A request for a service that the cloud does not have; `service` is its signing name."""

    def __init__(self, message: str, *, service: str, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.service = service

    @classmethod
    def of(cls, service: str, method: str, url: str, hint: str) -> UnsupportedService:
        """Returns the error for a request."""
        address = url.partition("?")[0]
        message = f"the service {service!r} is not in this cloud ({method} {address}): {hint}"
        return cls(message, service=service, code="UnsupportedService", hint=hint)


def client(cloud: Any, service_name: str, *, account: str | None = None, role_arn: str | None = None, **options: Any) -> Any:
    """Returns a boto3 client of `cloud`, with the options of `boto3.client`."""
    return _make("client", cloud, service_name, account, role_arn, options)


def resource(cloud: Any, service_name: str, *, account: str | None = None, role_arn: str | None = None, **options: Any) -> Any:
    """Returns a boto3 resource of `cloud`, with the options of `boto3.resource`."""
    return _make("resource", cloud, service_name, account, role_arn, options)


def boto3_session(
    cloud: Any, *, account: str | None = None, role_arn: str | None = None, region_name: str = DEFAULT_REGION
) -> boto3.Session:
    """Returns a boto3 session whose clients and resources are of `cloud`."""
    import boto3

    from nephos import boto_session

    keys = credentials(cloud, account, role_arn)
    sealed = boto_session.CloudSession(keys, region_name, lambda made: boto_session.route(made, cloud))
    return boto3.Session(botocore_session=sealed)


def credentials(cloud: Any, account: str | None = None, role_arn: str | None = None) -> dict[str, str]:
    """Returns credentials as options of `boto3.client`: of the root of `account`, or of a role that this root assumes."""
    root = {"aws_access_key_id": check_account(account or DEFAULT_ACCOUNT), "aws_secret_access_key": SECRET}
    if role_arn is None:
        return root
    sts = _make("client", cloud, "sts", account, None, {})
    assumed = sts.assume_role(RoleArn=role_arn, RoleSessionName="nephos")["Credentials"]
    return {
        "aws_access_key_id": assumed["AccessKeyId"],
        "aws_secret_access_key": assumed["SecretAccessKey"],
        "aws_session_token": assumed["SessionToken"],
    }


def check_account(account: str) -> str:
    """Returns `account` if it has the form of an account."""
    if isinstance(account, str) and len(account) == 12 and account.isascii() and account.isdigit():
        return account
    raise ValueError(f"account must be a string of twelve digits, such as {DEFAULT_ACCOUNT!r}, got {account!r}")


class BotoMixin:
    """Methods of a cloud that return boto3 clients, resources and sessions."""

    __slots__ = ()

    client = client
    resource = resource
    boto3_session = boto3_session


def plain_client(service_name: str, region: str, account: str) -> Any:
    """Returns a boto3 client of the root of `account` that sends its requests as every client does, as under a mock."""
    with _lock:
        return _shared_session().client(service_name, region_name=region, aws_access_key_id=account, aws_secret_access_key=SECRET)


# One session makes the clients of all clouds, so that the models of services are loaded once.
_lock = threading.Lock()
_maker: boto3.Session | None = None


def _make(method: str, cloud: Any, service_name: str, account: str | None, role_arn: str | None, options: dict[str, Any]) -> Any:
    """Makes a client or a resource with the shared session."""
    from nephos import boto_session

    if "aws_access_key_id" not in options:
        options = {**credentials(cloud, account, role_arn), **options}
    elif account or role_arn:
        raise ValueError("aws_access_key_id already says who calls: leave out account and role_arn")
    # Sessions are not thread-safe, while clients are.
    with _lock:
        made = getattr(_shared_session(), method)(service_name, **options)
    boto_session.route(made if method == "client" else made.meta.client, cloud)
    return made


def _shared_session() -> boto3.Session:
    global _maker
    if _maker is None:
        import boto3

        from nephos import boto_session

        root = {"aws_access_key_id": DEFAULT_ACCOUNT, "aws_secret_access_key": SECRET}
        _maker = boto3.Session(botocore_session=boto_session.CloudSession(root, DEFAULT_REGION, lambda made: None))
    return _maker
