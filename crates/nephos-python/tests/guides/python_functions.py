import json

import boto3
import nephos
from nephos import EventRule, Secret


def test_an_event_rule_calls_a_function():
    with nephos.mock_aws() as cloud:
        totals = []

        @cloud.on(EventRule(Name="large", EventPattern='{"detail": {"total": [{"numeric": [">", 100]}]}}'))
        def handle(event):
            totals.append(event["detail"]["total"])

        for total in (250, 7):
            entry = {"Source": "shop", "DetailType": "Order", "Detail": json.dumps({"total": total})}
            boto3.client("events").put_events(Entries=[entry])
        assert totals == [250]


def test_a_function_rotates_a_secret():
    with nephos.Cloud() as cloud:

        @cloud.register("renew")
        def renew(event, context):
            secret, version = event["SecretId"], event["ClientRequestToken"]
            if event["Step"] == "createSecret":
                Secret.objects.set_value(secret, SecretString="new", ClientRequestToken=version, VersionStages=["PROVIDERPENDING"])
            elif event["Step"] == "finishSecret":
                versions = Secret.objects.get(secret).SecretVersionsToStages
                (old,) = (name for name, stages in versions.items() if "PROVIDERCURRENT" in stages)
                Secret.objects.update_version_stage(
                    secret, VersionStage="PROVIDERCURRENT", MoveToVersionId=version, RemoveFromVersionId=old
                )

        Secret.objects.create(Name="db", SecretString="old")
        Secret.objects.rotate("db", RotationFunctionARN="renew", RotationRules={"AutomaticallyAfterDays": 30})
        assert Secret.objects.get_value("db").SecretString.get_secret_value() == "new"
