"""Logs through the AWS CLI. Each command takes almost a second to start, so a test has many steps."""

from asserting import Refusal


def test_log_group_lifecycle(aws):
    assert aws("logs", "create-log-group", "--log-group-name", "/web/api", "--tags", "team=web,stage=test") is None
    [group] = aws("logs", "describe-log-groups")["logGroups"]
    assert (group["logGroupName"], group["logGroupClass"]) == ("/web/api", "STANDARD")
    aws("logs", "put-retention-policy", "--log-group-name", "/web/api", "--retention-in-days", 30)
    assert aws("logs", "describe-log-groups", "--query", "logGroups[].retentionInDays") == [30]
    arn = group["logGroupArn"]
    aws("logs", "untag-resource", "--resource-arn", arn, "--tag-keys", "stage")
    assert aws("logs", "list-tags-for-resource", "--resource-arn", arn) == {"tags": {"team": "web"}}
    again = aws.refused("logs", "create-log-group", "--log-group-name", "/web/api")
    assert again == Refusal(
        "ResourceAlreadyExistsException", "CreateLogGroup", "The specified log group already exists"
    )
    aws("logs", "delete-log-group", "--log-group-name", "/web/api")
    assert aws("logs", "describe-log-groups") == {"logGroups": []}
    assert aws.refused("logs", "delete-log-group", "--log-group-name", "/web/api").code == "ResourceNotFoundException"


def test_pagination_with_max_items_and_starting_token(aws, logs):
    made = [f"g{n}" for n in range(8)]
    for name in made:
        logs.create_log_group(logGroupName=name)
    names = lambda answer: [group["logGroupName"] for group in answer["logGroups"]]
    assert names(aws("logs", "describe-log-groups", "--page-size", 3)) == made
    first = aws("logs", "describe-log-groups", "--page-size", 3, "--max-items", 4)
    assert names(first) == made[:4]
    rest = aws("logs", "describe-log-groups", "--page-size", 3, "--starting-token", first["NextToken"])
    assert (names(rest), "NextToken" in rest) == (made[4:], False)
    wrong = aws.refused("logs", "describe-log-groups", "--no-paginate", "--next-token", "made up")
    assert wrong.code == "InvalidParameterException" and "nextToken" in wrong.message


def test_put_filter_and_get_log_events(aws, logs, server):
    logs.create_log_group(logGroupName="g")
    aws("logs", "create-log-stream", "--log-group-name", "g", "--log-stream-name", "s")
    now = server.now()
    events = [f"timestamp={now + n},message={word}" for n, word in enumerate(["one", "ERROR", "three"])]
    where = ["--log-group-name", "g", "--log-stream-name", "s"]
    aws("logs", "put-log-events", *where, "--log-events", *events)
    found = aws("logs", "filter-log-events", "--log-group-name", "g", "--filter-pattern", "ERROR")
    assert [event["message"] for event in found["events"]] == ["ERROR"]
    paged = aws("logs", "filter-log-events", "--log-group-name", "g", "--page-size", 1)
    assert [event["message"] for event in paged["events"]] == ["one", "ERROR", "three"]
    read = aws("logs", "get-log-events", *where, "--start-from-head", "--limit", 2)
    assert [event["message"] for event in read["events"]] == ["one", "ERROR"]


def test_metric_filter_with_nested_parameters(aws, logs):
    logs.create_log_group(logGroupName="g")
    where = ["--log-group-name", "g", "--filter-name", "f"]
    transformation = "metricName=N,metricNamespace=Web,metricValue=1,defaultValue=0,unit=Count"
    aws("logs", "put-metric-filter", *where, "--filter-pattern", "", "--metric-transformations", transformation)
    [described] = aws("logs", "describe-metric-filters", "--log-group-name", "g")["metricFilters"]
    [transformed] = described["metricTransformations"]
    assert (transformed["defaultValue"], transformed["unit"]) == (0.0, "Count")


def test_credentials_select_account_and_region(aws):
    aws("logs", "create-log-group", "--log-group-name", "g", account="210987654321", region="eu-west-1")
    assert aws("logs", "describe-log-groups") == {"logGroups": []}
    [group] = aws("logs", "describe-log-groups", account="210987654321", region="eu-west-1")["logGroups"]
    assert group["logGroupArn"] == "arn:aws:logs:eu-west-1:210987654321:log-group:g"


def test_unknown_operation_is_refused(aws):
    unknown = aws.refused("logs", "describe-queries")
    assert (unknown.code, unknown.operation) == ("UnknownOperationException", "DescribeQueries")
