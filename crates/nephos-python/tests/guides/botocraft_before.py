import nephos
import pytest
from botocore.exceptions import ClientError
from botocraft.services import LogGroup, Secret


@pytest.fixture
def session():
    """botocraft calls the cloud, as it calls AWS: by a boto3 session."""
    return nephos.Cloud().boto3_session()


def test_a_secret_is_created(session):
    secrets = Secret.objects.using(session)
    secrets.create(Secret(Name="db", Description="Password"), SecretString="hunter2")
    secret = secrets.get("db")
    assert (secret.name, secret.Description) == ("db", "Password")
    with pytest.raises(ClientError):
        secrets.get("absent")


def test_log_groups_are_filtered(session):
    for name in ["/web/api", "/web/jobs", "/db"]:
        session.client("logs").create_log_group(logGroupName=name)
        session.client("logs").put_retention_policy(logGroupName=name, retentionInDays=90 if name == "/db" else 30)
    groups = LogGroup.objects.using(session)
    web = groups.list().filter(logGroupName__startswith="/web").order_by("-logGroupName")
    assert [group.name for group in web] == ["/web/jobs", "/web/api"]
    assert groups.list().filter(retentionInDays__gte=90).first().transform("logGroupName", r"/(\w+)") == "db"
