"""Log groups through boto3."""

import concurrent.futures
import json
import urllib.request

from asserting import refused


def names(groups):
    return [group["logGroupName"] for group in groups]


def get(logs, name):
    """Returns the log group of that name."""
    [group] = logs.describe_log_groups(logGroupIdentifiers=[name])["logGroups"]
    return group


def test_log_group_round_trip(logs, client, server):
    before = server.now()
    key = client("kms").create_key()["KeyMetadata"]["Arn"]
    logs.create_log_group(
        logGroupName="/web/api",
        kmsKeyId=key,
        tags={"team": "web", "empty": ""},
        logGroupClass="INFREQUENT_ACCESS",
        deletionProtectionEnabled=True,
    )
    [group] = logs.describe_log_groups()["logGroups"]
    assert before <= group.pop("creationTime") <= server.now()
    arn = "arn:aws:logs:us-east-1:123456789012:log-group:/web/api"
    assert group == {
        "logGroupName": "/web/api",
        "arn": arn + ":*",
        "logGroupArn": arn,
        "kmsKeyId": key,
        "logGroupClass": "INFREQUENT_ACCESS",
        "deletionProtectionEnabled": True,
        "bearerTokenAuthenticationEnabled": False,
        "metricFilterCount": 0,
        "storedBytes": 0,
    }
    assert logs.list_tags_for_resource(resourceArn=arn)["tags"] == {"team": "web", "empty": ""}


def test_describe_log_groups_by_prefix_pattern_class_and_identifier(logs):
    for name in ["/web/api", "/web/app", "/db/api"]:
        logs.create_log_group(logGroupName=name)
    logs.create_log_group(logGroupName="/web/seldom", logGroupClass="INFREQUENT_ACCESS")
    find = lambda **what: names(logs.describe_log_groups(**what)["logGroups"])
    assert find() == ["/db/api", "/web/api", "/web/app", "/web/seldom"]
    assert find(logGroupNamePrefix="/web/a") == ["/web/api", "/web/app"]
    assert find(logGroupNamePattern="api") == ["/db/api", "/web/api"]
    assert find(logGroupClass="INFREQUENT_ACCESS") == ["/web/seldom"]
    assert find(logGroupIdentifiers=["/web/app", "/nothing", "/db/api"]) == ["/db/api", "/web/app"]
    # A search by pattern returns only these fields.
    [found] = logs.describe_log_groups(logGroupNamePattern="seldom")["logGroups"]
    assert found.keys() == {"arn", "creationTime", "logGroupArn", "logGroupClass", "logGroupName", "metricFilterCount"}


def test_pagination_returns_each_log_group_once(logs):
    made = [f"/group/{n:03}" for n in range(23)]
    for name in made:
        logs.create_log_group(logGroupName=name)
    pages = list(logs.get_paginator("describe_log_groups").paginate(PaginationConfig={"PageSize": 5}))
    assert [len(page["logGroups"]) for page in pages] == [5, 5, 5, 5, 3]
    assert [name for page in pages for name in names(page["logGroups"])] == made
    assert "nextToken" not in pages[-1]
    searched = logs.get_paginator("describe_log_groups").paginate(
        logGroupNamePattern="group/01", PaginationConfig={"PageSize": 4}
    )
    assert [group["logGroupName"] for group in searched.search("logGroups[]")] == made[10:20]


def test_pagination_resumes_from_starting_token(logs):
    made = [f"g{n}" for n in range(9)]
    for name in made:
        logs.create_log_group(logGroupName=name)
    paginator = logs.get_paginator("describe_log_groups")
    # The token of boto3 contains the token of the service and the number of items already taken from the page.
    first = paginator.paginate(PaginationConfig={"MaxItems": 5, "PageSize": 3}).build_full_result()
    rest = paginator.paginate(PaginationConfig={"StartingToken": first["NextToken"], "PageSize": 3}).build_full_result()
    assert (names(first["logGroups"]), names(rest["logGroups"])) == (made[:5], made[5:])


def test_pagination_token_is_bound_to_account_region_query_and_day(logs, client, server):
    for n in range(3):
        logs.create_log_group(logGroupName=f"g{n}")
    token = logs.describe_log_groups(limit=2)["nextToken"]
    assert names(logs.describe_log_groups(limit=2, nextToken=token)["logGroups"]) == ["g2"]
    for other in [client("logs", account="210987654321"), client("logs", region="eu-west-1")]:
        with refused(other, "InvalidParameterException"):
            other.describe_log_groups(limit=2, nextToken=token)
    with refused(logs, "InvalidParameterException"):
        logs.describe_log_groups(limit=2, nextToken=token, logGroupNamePrefix="g")
    server.advance("23h")
    assert names(logs.describe_log_groups(limit=2, nextToken=token)["logGroups"]) == ["g2"]
    server.advance("2h")
    with refused(logs, "InvalidParameterException"):
        logs.describe_log_groups(limit=2, nextToken=token)


def test_tag_and_untag_resource(logs):
    logs.create_log_group(logGroupName="g", tags={"a": "1"})
    arn = get(logs, "g")["logGroupArn"]
    tags = lambda: logs.list_tags_for_resource(resourceArn=arn)["tags"]
    logs.tag_resource(resourceArn=arn, tags={"a": "2", "Größe/x@y": "né: +-=._"})
    assert tags() == {"a": "2", "Größe/x@y": "né: +-=._"}
    logs.untag_resource(resourceArn=arn, tagKeys=["a", "never there"])
    assert tags() == {"Größe/x@y": "né: +-=._"}
    logs.untag_resource(resourceArn=arn, tagKeys=["Größe/x@y"])
    assert tags() == {}


def test_log_group_settings(logs, client):
    logs.create_log_group(logGroupName="g")
    arn = get(logs, "g")["logGroupArn"]
    key = client("kms").create_key()["KeyMetadata"]["Arn"]
    logs.put_retention_policy(logGroupName="g", retentionInDays=30)
    logs.associate_kms_key(logGroupName="g", kmsKeyId=key)
    logs.put_log_group_deletion_protection(logGroupIdentifier=arn, deletionProtectionEnabled=True)
    logs.put_bearer_token_authentication(logGroupIdentifier="g", bearerTokenAuthenticationEnabled=True)
    group = get(logs, "g")
    assert (group["retentionInDays"], group["kmsKeyId"]) == (30, key)
    assert group["deletionProtectionEnabled"] and group["bearerTokenAuthenticationEnabled"]
    logs.delete_retention_policy(logGroupName="g")
    logs.disassociate_kms_key(resourceIdentifier=arn)
    logs.put_log_group_deletion_protection(logGroupIdentifier="g", deletionProtectionEnabled=False)
    group = get(logs, "g")
    assert "retentionInDays" not in group and "kmsKeyId" not in group
    logs.delete_log_group(logGroupName="g")
    assert logs.describe_log_groups()["logGroups"] == []


def test_credentials_select_account_and_region(logs, client):
    logs.create_log_group(logGroupName="ours")
    theirs, elsewhere = client("logs", account="210987654321"), client("logs", region="eu-west-1")
    theirs.create_log_group(logGroupName="theirs")
    elsewhere.create_log_group(logGroupName="elsewhere")
    arns = lambda at: [group["logGroupArn"] for group in at.describe_log_groups()["logGroups"]]
    assert arns(logs) == ["arn:aws:logs:us-east-1:123456789012:log-group:ours"]
    assert arns(theirs) == ["arn:aws:logs:us-east-1:210987654321:log-group:theirs"]
    assert arns(elsewhere) == ["arn:aws:logs:eu-west-1:123456789012:log-group:elsewhere"]
    # An access key that is not an account ID belongs to the default account.
    assert arns(client("logs", account="AKIAIOSFODNN7EXAMPLE")) == arns(logs)
    with refused(theirs, "ResourceNotFoundException"):
        theirs.delete_log_group(logGroupName="ours")


def test_responses_have_unique_request_ids(logs):
    ids = {logs.describe_log_groups()["ResponseMetadata"]["RequestId"] for _ in range(3)}
    assert len(ids) == 3


def test_reset_deletes_everything(logs, server):
    logs.create_log_group(logGroupName="g")
    server.control("reset", {})
    assert logs.describe_log_groups()["logGroups"] == []


def test_concurrent_creates_of_a_log_group_succeed_once(client):
    def create(caller):
        try:
            caller.create_log_group(logGroupName="g")
        except caller.exceptions.ResourceAlreadyExistsException:
            return 0
        return 1

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(create, [client("logs") for _ in range(24)])) == 1


def test_model_has_no_waiters(logs):
    assert logs.waiter_names == [], "the model has waiters now: add tests for those of implemented operations"


def test_presigned_url(logs, client):
    """Sends a presigned request of a JSON service with the headers that it needs."""
    logs.create_log_group(logGroupName="ours")
    headers = {"X-Amz-Target": "Logs_20140328.DescribeLogGroups", "Content-Type": "application/x-amz-json-1.1"}
    for caller, seen in [(logs, ["ours"]), (client("logs", account="210987654321"), [])]:
        address = caller.generate_presigned_url("describe_log_groups", Params={})
        with urllib.request.urlopen(urllib.request.Request(address, data=b"{}", headers=headers)) as answer:
            assert names(json.load(answer)["logGroups"]) == seen


def test_unsigned_chunked_request(server):
    """Sends an unsigned request with a chunked body, which boto3 would not send."""
    request = urllib.request.Request(
        server.url,
        data=iter([b'{"logGroupName":', b'"plain"}']),
        headers={
            "X-Amz-Target": "Logs_20140328.CreateLogGroup",
            "Content-Type": "application/x-amz-json-1.1",
            "Transfer-Encoding": "chunked",
        },
    )
    with urllib.request.urlopen(request) as answer:
        assert (answer.status, answer.read()) == (200, b"{}")


def test_log_groups_are_listed_by_patterns(logs):
    for name in ["/aws/lambda/f", "/web", "/web/api"]:
        logs.create_log_group(logGroupName=name, tags={"stage": "prod" if "web" in name else "test"})
    listed = logs.list_log_groups(logGroupNamePattern="^/aws|api")["logGroups"]
    assert names(listed) == ["/aws/lambda/f", "/web/api"]
    assert listed[0]["logGroupArn"].endswith(":log-group:/aws/lambda/f") and listed[0]["logGroupClass"] == "STANDARD"
    first = logs.list_log_groups(limit=2)
    assert names(first["logGroups"]) == ["/aws/lambda/f", "/web"]
    assert names(logs.list_log_groups(limit=2, nextToken=first["nextToken"])["logGroups"]) == ["/web/api"]
    prod = logs.list_log_groups(logGroupTags=[{"key": "stage", "values": ["PROD*"]}])["logGroups"]
    assert names(prod) == ["/web", "/web/api"]


def test_older_forms_of_tagging(logs):
    logs.create_log_group(logGroupName="g")
    logs.tag_log_group(logGroupName="g", tags={"a": "1", "b": "2"})
    logs.untag_log_group(logGroupName="g", tags=["a"])
    assert logs.list_tags_log_group(logGroupName="g")["tags"] == {"b": "2"}
    arn = "arn:aws:logs:us-east-1:123456789012:log-group:g"
    for resource in [arn, arn + ":*"]:
        assert logs.list_tags_for_resource(resourceArn=resource)["tags"] == {"b": "2"}
