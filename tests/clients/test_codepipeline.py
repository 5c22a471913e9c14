"""Delivery pipelines through boto3 and the AWS CLI: versions, structure, executions, jobs, secrets, webhooks, refusals."""

import copy
import hmac
import json
import urllib.error
import urllib.request

import pytest
from asserting import refused
from paged_clouds import ACCOUNT, REGION

TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Principal": {"Service": "codepipeline.amazonaws.com"}, "Action": "sts:AssumeRole"}
    ],
}


def action(name, category, provider, configuration, owner="AWS", inputs=(), outputs=()):
    return {
        "name": name,
        "actionTypeId": {"category": category, "owner": owner, "provider": provider, "version": "1"},
        "runOrder": 1,
        "configuration": configuration,
        "inputArtifacts": [{"name": artifact} for artifact in inputs],
        "outputArtifacts": [{"name": artifact} for artifact in outputs],
    }


GITHUB = {"Owner": "acme", "Repo": "web", "Branch": "main", "OAuthToken": "hunter2"}
STRUCTURE = {
    "name": "web",
    "roleArn": f"arn:aws:iam::{ACCOUNT}:role/pipelines",
    "artifactStore": {"type": "S3", "location": "artifacts"},
    "stages": [
        {"name": "Source", "actions": [action("Fetch", "Source", "GitHub", GITHUB, owner="ThirdParty", outputs=["source"])]},
        {"name": "Build", "actions": [action("Compile", "Build", "CodeBuild", {"ProjectName": "web"}, inputs=["source"])]},
    ],
}


def structure(**changes):
    return copy.deepcopy(STRUCTURE) | changes


def message(caught):
    return caught.value.response["Error"]["Message"]


@pytest.fixture
def codepipeline(client):
    client("iam").create_role(RoleName="pipelines", AssumeRolePolicyDocument=json.dumps(TRUST))
    return client("codepipeline")


def test_pipeline_is_created_updated_and_deleted(codepipeline):
    tags = [{"key": "team", "value": "web"}]
    created = codepipeline.create_pipeline(pipeline=structure(version=7), tags=tags)
    expected = structure(version=1, executionMode="SUPERSEDED", pipelineType="V1")
    expected["stages"][0]["actions"][0]["configuration"]["OAuthToken"] = "****"
    assert (created["pipeline"], created["tags"]) == (expected, tags)
    found = codepipeline.get_pipeline(name="web")
    assert found["pipeline"] == expected
    assert found["metadata"]["pipelineArn"] == f"arn:aws:codepipeline:{REGION}:{ACCOUNT}:web"
    assert found["metadata"]["created"] == found["metadata"]["updated"]
    updated = codepipeline.update_pipeline(pipeline=expected | {"pipelineType": "V2"})["pipeline"]
    assert (updated["version"], updated["pipelineType"]) == (2, "V2")
    assert codepipeline.get_pipeline(name="web", version=1)["pipeline"] == expected
    [listed] = codepipeline.list_pipelines()["pipelines"]
    assert (listed["name"], listed["version"], listed["pipelineType"]) == ("web", 2, "V2")
    with refused(codepipeline, "PipelineNotFoundException") as caught:
        codepipeline.get_pipeline(name="web", version=3)
    assert message(caught) == f"Account '{ACCOUNT}' does not have a pipeline with name 'web'"
    codepipeline.delete_pipeline(name="web")
    codepipeline.delete_pipeline(name="web")
    assert codepipeline.list_pipelines()["pipelines"] == []


def test_refusals_have_the_words_of_the_service(codepipeline):
    codepipeline.create_pipeline(pipeline=structure())
    with refused(codepipeline, "PipelineNameInUseException"):
        codepipeline.create_pipeline(pipeline=structure())
    with refused(codepipeline, "InvalidStructureException") as caught:
        codepipeline.create_pipeline(pipeline=structure(name="new", roleArn=f"arn:aws:iam::{ACCOUNT}:role/missing"))
    role = f"arn:aws:iam::{ACCOUNT}:role/missing"
    assert message(caught) == f"CodePipeline is not authorized to perform AssumeRole on role {role}"
    with refused(codepipeline, "InvalidStructureException") as caught:
        codepipeline.update_pipeline(pipeline=structure(stages=STRUCTURE["stages"][:1]))
    assert message(caught) == "Pipeline has only 1 stage(s). There should be a minimum of 2 stages in a pipeline"
    named = structure(name="new")
    named["stages"][1]["actions"][0]["name"] = "Com pile"
    with refused(codepipeline, "ValidationException") as caught:
        codepipeline.create_pipeline(pipeline=named)
    assert message(caught) == (
        "1 validation error detected: Value at 'pipeline.stages.2.member.actions.1.member.name' failed to satisfy constraint: "
        r"Member must satisfy regular expression pattern: [A-Za-z0-9.@\-_]+"
    )
    with refused(codepipeline, "PipelineNotFoundException") as caught:
        codepipeline.update_pipeline(pipeline=structure(name="other"))
    assert message(caught) == f"The account with id '{ACCOUNT}' does not include a pipeline with the name 'other'"


def test_tags(codepipeline):
    codepipeline.create_pipeline(pipeline=structure())
    arn = f"arn:aws:codepipeline:{REGION}:{ACCOUNT}:web"
    codepipeline.tag_resource(resourceArn=arn, tags=[{"key": "a", "value": "1"}, {"key": "b", "value": "2"}])
    page = codepipeline.list_tags_for_resource(resourceArn=arn, maxResults=1)
    assert page["tags"] == [{"key": "a", "value": "1"}]
    rest = codepipeline.list_tags_for_resource(resourceArn=arn, maxResults=1, nextToken=page["nextToken"])
    assert rest["tags"] == [{"key": "b", "value": "2"}]
    codepipeline.untag_resource(resourceArn=arn, tagKeys=["a", "b"])
    assert codepipeline.list_tags_for_resource(resourceArn=arn)["tags"] == []
    with refused(codepipeline, "TooManyTagsException") as caught:
        codepipeline.tag_resource(resourceArn=arn, tags=[{"key": f"k{n}", "value": ""} for n in range(51)])
    assert message(caught) == f"Tag limit exceeded for resource [{arn}]."


def test_action_types(codepipeline):
    [manual] = [one for one in codepipeline.list_action_types()["actionTypes"] if one["id"]["provider"] == "Manual"]
    assert manual["id"]["owner"] == "AWS"
    details = {"minimumCount": 0, "maximumCount": 5}
    made = codepipeline.create_custom_action_type(
        category="Build", provider="Jenkins", version="1", inputArtifactDetails=details, outputArtifactDetails=details
    )
    assert made["actionType"]["id"]["owner"] == "Custom"
    [custom] = codepipeline.list_action_types(actionOwnerFilter="Custom")["actionTypes"]
    assert custom == made["actionType"]
    codepipeline.delete_custom_action_type(category="Build", provider="Jenkins", version="1")
    with refused(codepipeline, "ActionTypeAlreadyExistsException"):
        codepipeline.create_custom_action_type(
            category="Build", provider="Jenkins", version="1", inputArtifactDetails=details,
            outputArtifactDetails=details | {"maximumCount": 1},
        )
    found = codepipeline.get_action_type(category="Source", owner="ThirdParty", provider="GitHub", version="1")
    assert found["actionType"]["id"]["provider"] == "GitHub"
    with refused(codepipeline, "ActionTypeNotFoundException"):
        codepipeline.get_action_type(category="Source", owner="AWS", provider="GitHub", version="1")


def test_webhooks(codepipeline):
    codepipeline.create_pipeline(pipeline=structure())
    webhook = {
        "name": "push",
        "targetPipeline": "web",
        "targetAction": "Fetch",
        "filters": [{"jsonPath": "$.ref", "matchEquals": "refs/heads/{Branch}"}],
        "authentication": "GITHUB_HMAC",
        "authenticationConfiguration": {"SecretToken": "hunter2"},
    }
    put = codepipeline.put_webhook(webhook=webhook, tags=[{"key": "a", "value": "b"}])["webhook"]
    assert put["definition"]["authenticationConfiguration"] == {"SecretToken": "****"}
    [listed] = codepipeline.list_webhooks()["webhooks"]
    assert listed == put
    codepipeline.register_webhook_with_third_party(webhookName="push")
    codepipeline.deregister_webhook_with_third_party(webhookName="push")
    codepipeline.delete_webhook(name="push")
    with refused(codepipeline, "WebhookNotFoundException"):
        codepipeline.register_webhook_with_third_party(webhookName="push")


def test_webhook_request_starts_the_pipeline(codepipeline, server):
    codepipeline.create_pipeline(pipeline=structure())
    webhook = {
        "name": "push",
        "targetPipeline": "web",
        "targetAction": "Fetch",
        "filters": [{"jsonPath": "$.ref", "matchEquals": "refs/heads/{Branch}"}],
        "authentication": "GITHUB_HMAC",
        "authenticationConfiguration": {"SecretToken": "hunter2"},
    }
    url = codepipeline.put_webhook(webhook=webhook)["webhook"]["url"]
    body = json.dumps({"ref": "refs/heads/main"}).encode()
    signature = "sha1=" + hmac.new(b"hunter2", body, "sha1").hexdigest()
    address = server.url + url.removeprefix(f"https://{REGION}.webhooks.aws")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(urllib.request.Request(address, data=body))
    assert caught.value.code == 403
    with urllib.request.urlopen(urllib.request.Request(address, data=body, headers={"X-Hub-Signature": signature})) as answer:
        assert answer.status == 200
    [started, _] = codepipeline.list_pipeline_executions(pipelineName="web")["pipelineExecutionSummaries"]
    assert started["trigger"]["triggerType"] == "Webhook"


def set_outcome(server, stage, name, outcome, **more):
    arn = f"arn:aws:codepipeline:{REGION}:{ACCOUNT}:web"
    control = {"pipelineArn": arn, "stageName": stage, "actionName": name, "outcome": outcome}
    server.control("pipeline-actions", control | more)


def statuses(codepipeline):
    return [one["status"] for one in codepipeline.list_pipeline_executions(pipelineName="web")["pipelineExecutionSummaries"]]


def test_executions(codepipeline, server):
    codepipeline.create_pipeline(pipeline=structure())
    [first] = codepipeline.list_pipeline_executions(pipelineName="web")["pipelineExecutionSummaries"]
    assert (first["status"], first["trigger"]["triggerType"]) == ("Succeeded", "CreatePipeline")
    assert first["sourceRevisions"][0]["actionName"] == "Fetch"
    set_outcome(server, "Build", "Compile", "FAIL", message="2 tests failed")
    started = codepipeline.start_pipeline_execution(name="web", clientRequestToken="once")
    assert codepipeline.start_pipeline_execution(name="web", clientRequestToken="once")["pipelineExecutionId"] == (
        started["pipelineExecutionId"]
    )
    names = {"pipelineName": "web", "pipelineExecutionId": started["pipelineExecutionId"]}
    found = codepipeline.get_pipeline_execution(**names)["pipelineExecution"]
    assert (found["status"], found["pipelineVersion"], found["executionMode"]) == ("Failed", 1, "SUPERSEDED")
    chosen = {"pipelineExecutionId": started["pipelineExecutionId"]}
    runs = codepipeline.list_action_executions(pipelineName="web", filter=chosen)["actionExecutionDetails"]
    assert [(run["actionName"], run["status"]) for run in runs] == [("Compile", "Failed"), ("Fetch", "Succeeded")]
    assert runs[0]["output"]["executionResult"]["errorDetails"] == {"code": "JobFailed", "message": "2 tests failed"}
    set_outcome(server, "Build", "Compile", "WAIT")
    codepipeline.retry_stage_execution(**names, stageName="Build", retryMode="FAILED_ACTIONS")
    assert statuses(codepipeline) == ["InProgress", "Succeeded"]
    codepipeline.stop_pipeline_execution(**names, reason="a mistake")
    with refused(codepipeline, "DuplicatedStopRequestException"):
        codepipeline.stop_pipeline_execution(**names)
    codepipeline.stop_pipeline_execution(**names, abandon=True)
    assert statuses(codepipeline) == ["Stopped", "Succeeded"]
    with refused(codepipeline, "PipelineExecutionNotFoundException") as caught:
        missing = "00000000-0000-4000-8000-000000000000"
        codepipeline.get_pipeline_execution(pipelineName="web", pipelineExecutionId=missing)
    assert message(caught) == f"Account '{ACCOUNT}' does not have an execution with id '{missing}' for pipeline 'web'"


def test_approvals_and_transitions(codepipeline):
    ask = {"name": "Release", "actions": [action("Ask", "Approval", "Manual", {})]}
    codepipeline.create_pipeline(pipeline=structure(stages=[STRUCTURE["stages"][0], ask]))
    stages = codepipeline.get_pipeline_state(name="web")["stageStates"]
    assert "inboundTransitionState" not in stages[0]
    assert stages[1]["inboundTransitionState"] == {"enabled": True}
    waiting = stages[1]["actionStates"][0]["latestExecution"]
    named = {"pipelineName": "web", "stageName": "Release"}
    result = {"summary": "ship it", "status": "Approved"}
    codepipeline.put_approval_result(**named, actionName="Ask", result=result, token=waiting["token"])
    [done] = codepipeline.get_pipeline_state(name="web")["stageStates"][1]["actionStates"]
    assert (done["latestExecution"]["status"], "token" in done["latestExecution"]) == ("Succeeded", False)
    with refused(codepipeline, "ApprovalAlreadyCompletedException"):
        codepipeline.put_approval_result(**named, actionName="Ask", result=result, token=waiting["token"])
    codepipeline.disable_stage_transition(**named, transitionType="Inbound", reason="release freeze")
    started = codepipeline.start_pipeline_execution(name="web")["pipelineExecutionId"]
    stage = codepipeline.get_pipeline_state(name="web")["stageStates"][1]
    assert stage["inboundTransitionState"]["disabledReason"] == "release freeze"
    assert stage["inboundExecution"]["pipelineExecutionId"] == started
    codepipeline.enable_stage_transition(**named, transitionType="Inbound")
    stage = codepipeline.get_pipeline_state(name="web")["stageStates"][1]
    assert stage["latestExecution"] == {"pipelineExecutionId": started, "status": "InProgress", "type": "STANDARD"}


def test_jobs(codepipeline):
    details = {"minimumCount": 0, "maximumCount": 5}
    codepipeline.create_custom_action_type(
        category="Build", provider="Jenkins", version="1", inputArtifactDetails=details, outputArtifactDetails=details
    )
    build = {"name": "Build", "actions": [action("Compile", "Build", "Jenkins", {}, owner="Custom", inputs=["source"])]}
    codepipeline.create_pipeline(pipeline=structure(stages=[STRUCTURE["stages"][0], build]))
    jenkins = build["actions"][0]["actionTypeId"]
    [job] = codepipeline.poll_for_jobs(actionTypeId=jenkins)["jobs"]
    assert job["data"]["pipelineContext"]["pipelineName"] == "web"
    assert job["data"]["inputArtifacts"][0]["location"]["s3Location"]["bucketName"] == "artifacts"
    assert set(job["data"]["artifactCredentials"]) == {"accessKeyId", "secretAccessKey", "sessionToken"}
    with refused(codepipeline, "InvalidNonceException"):
        codepipeline.acknowledge_job(jobId=job["id"], nonce="0")
    assert codepipeline.acknowledge_job(jobId=job["id"], nonce=job["nonce"])["status"] == "InProgress"
    assert codepipeline.get_job_details(jobId=job["id"])["jobDetails"]["accountId"] == ACCOUNT
    codepipeline.put_job_success_result(jobId=job["id"], outputVariables={"Version": "1.2"})
    assert statuses(codepipeline) == ["Succeeded"]
    with refused(codepipeline, "InvalidJobStateException"):
        codepipeline.put_job_success_result(jobId=job["id"])


def test_event_rule_starts_a_pipeline(client, codepipeline):
    codepipeline.create_pipeline(pipeline=structure())
    events = client("events")
    events.put_rule(Name="pushes", EventPattern=json.dumps({"source": ["shop"]}))
    target = {"Id": "web", "Arn": f"arn:aws:codepipeline:{REGION}:{ACCOUNT}:web", "RoleArn": STRUCTURE["roleArn"]}
    events.put_targets(Rule="pushes", Targets=[target])
    events.put_events(Entries=[{"Source": "shop", "DetailType": "Order", "Detail": "{}"}])
    [started, _] = codepipeline.list_pipeline_executions(pipelineName="web")["pipelineExecutionSummaries"]
    assert started["trigger"]["triggerType"] == "CloudWatchEvent"
    assert started["trigger"]["triggerDetail"] == f"arn:aws:events:{REGION}:{ACCOUNT}:rule/pushes"


def test_pipeline_with_the_cli(aws, codepipeline):
    made = aws("codepipeline", "create-pipeline", "--pipeline", json.dumps(STRUCTURE))["pipeline"]
    assert made["version"] == 1
    aws("codepipeline", "update-pipeline", "--pipeline", json.dumps(made | {"pipelineType": "V2"}))
    [listed] = aws("codepipeline", "list-pipelines")["pipelines"]
    assert (listed["name"], listed["version"]) == ("web", 2)
    started = aws("codepipeline", "start-pipeline-execution", "--name", "web")["pipelineExecutionId"]
    found = aws(
        "codepipeline", "get-pipeline-execution", "--pipeline-name", "web", "--pipeline-execution-id", started
    )
    assert found["pipelineExecution"]["status"] == "Succeeded"
    aws("codepipeline", "delete-pipeline", "--name", "web")
    gone = aws.refused("codepipeline", "get-pipeline", "--name", "web")
    assert (gone.code, gone.operation) == ("PipelineNotFoundException", "GetPipeline")
