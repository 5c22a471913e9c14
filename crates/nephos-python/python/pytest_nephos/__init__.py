"""pytest plugin of Nephos: a cloud for the session, a fork of it for each test, its clock, and an environment that leads to it.

It is a package beside `nephos`, so that pytest loads it without importing `nephos`: only tests that use a fixture pay for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import boto3

    import nephos

_MARKER = "nephos(account, region, clock, permissions): what the fixtures cloud, clock and aws begin with"
_KEYWORDS = ("account", "region", "clock", "permissions")
# Earlier names of keywords.
_ALIASES = {"time": "clock"}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture(scope="session")
def nephos_cloud() -> Iterator[nephos.Cloud]:
    """The cloud that every test begins with. Override it in conftest.py to prepare what all tests expect."""
    import nephos

    cloud = nephos.Cloud()
    yield cloud
    cloud.close()


@pytest.fixture
def cloud(nephos_cloud: nephos.Cloud, request: pytest.FixtureRequest) -> Iterator[nephos.Cloud]:
    """A fork of `nephos_cloud` for one test; models without a session reach it, too."""
    import nephos
    from nephos.mock_options import check_permissions

    marked = _marked(request.node)
    check_permissions(marked.get("permissions"))
    fork = nephos_cloud.fork()
    if "clock" in marked:
        fork.clock.freeze()
        fork.clock.set(marked["clock"])
    if "permissions" in marked:
        fork.set_permissions(marked["permissions"])
    previous = nephos.set_default_session(fork.session(marked.get("account"), marked.get("region")))
    yield fork
    nephos.set_default_session(previous)
    fork.close()


@pytest.fixture
def clock(cloud: nephos.Cloud) -> nephos.Clock:
    """The clock of the test's cloud."""
    return cloud.clock


@pytest.fixture
def aws(cloud: nephos.Cloud, request: pytest.FixtureRequest) -> Iterator[boto3.Session]:
    """boto3's default session, whose clients call the test's cloud; those that the code under test makes do, too."""
    import boto3

    import nephos

    marked = _marked(request.node)
    with nephos.mock_aws(cloud=cloud, account=marked.get("account"), region=marked.get("region")):
        boto3.setup_default_session()
        yield boto3.DEFAULT_SESSION


def _marked(item: Any) -> dict[str, Any]:
    """Returns the keywords of the markers of a test; those nearest to it count."""
    keywords: dict[str, Any] = {}
    for marker in item.iter_markers("nephos"):
        given = {_ALIASES.get(name, name): value for name, value in marker.kwargs.items()}
        wrong = [*map(repr, marker.args), *(name for name in given if name not in _KEYWORDS)]
        if wrong:
            message = f"the marker nephos takes only the keywords {', '.join(_KEYWORDS)}, not {', '.join(wrong)}"
            pytest.fail(f"{item.nodeid}: {message}", pytrace=False)
        keywords = given | keywords
    return keywords
