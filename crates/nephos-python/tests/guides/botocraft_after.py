import nephos
import pytest
from nephos import LogGroup, Secret


@pytest.fixture
def cloud():
    """Models reach the cloud of the `with`. A session on an endpoint is entered in the same way."""
    with nephos.Cloud() as cloud:
        yield cloud


def test_a_secret_is_created(cloud):
    Secret.objects.create(Secret(Name="db", Description="Password"), SecretString="hunter2")
    secret = Secret.objects.get("db")
    assert (secret.name, secret.Description) == ("db", "Password")
    assert Secret.objects.get("absent") is None


def test_log_groups_are_filtered(cloud):
    for name in ["/web/api", "/web/jobs", "/db"]:
        LogGroup.objects.create(LogGroup(logGroupName=name, retentionInDays=90 if name == "/db" else 30))
    groups = LogGroup.objects
    web = groups.list().filter(logGroupName__startswith="/web").order_by("-logGroupName")
    assert [group.name for group in web] == ["/web/jobs", "/web/api"]
    assert groups.list().filter(retentionInDays__gte=90).first().transform("logGroupName", r"/(\w+)") == "db"


def test_models_are_validated_and_saved(cloud):
    LogGroup.objects.create(LogGroup(logGroupName="/web", retentionInDays=30))
    group = LogGroup.objects.get("/web")
    with pytest.raises(ValueError, match="did you mean 30"):
        group.retentionInDays = 31
    group.retentionInDays = 90
    group.save()
    assert LogGroup.objects.get("/web").retentionInDays == 90
    group.delete()
    assert not LogGroup.objects.list().exists()


def test_time_and_previews(cloud):
    Secret.objects.create(Secret(Name="db"), SecretString="hunter2")
    preview = Secret.objects.delete.preview("db", RecoveryWindowInDays=7)
    assert preview.changes and Secret.objects.get("db") is not None
    Secret.objects.delete("db", RecoveryWindowInDays=7)
    cloud.clock.advance(days=7)
    assert Secret.objects.get("db") is None
