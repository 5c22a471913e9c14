"""Secrets through the AWS CLI. Each command takes almost a second to start, so a test has many steps."""


def test_secret_lifecycle(aws, server):
    name = ["--secret-id", "web/db"]
    made = aws("secretsmanager", "create-secret", "--name", "web/db", "--secret-string", "one", "--description", "d")
    assert made["Name"] == "web/db"
    assert aws("secretsmanager", "get-secret-value", *name)["SecretString"] == "one"
    put = aws("secretsmanager", "put-secret-value", *name, "--secret-string", "two")
    assert put["VersionStages"] == ["AWSCURRENT"]
    before = aws("secretsmanager", "get-secret-value", *name, "--version-stage", "AWSPREVIOUS")
    assert (before["SecretString"], before["VersionId"]) == ("one", made["VersionId"])
    aws("secretsmanager", "tag-resource", *name, "--tags", "Key=team,Value=web")
    described = aws("secretsmanager", "describe-secret", *name)
    assert (described["Tags"], described["Description"]) == ([{"Key": "team", "Value": "web"}], "d")
    listed = aws("secretsmanager", "list-secrets", "--filters", "Key=name,Values=web", "--max-items", 1)
    assert [secret["ARN"] for secret in listed["SecretList"]] == [made["ARN"]]
    password = aws("secretsmanager", "get-random-password", "--password-length", 12, "--exclude-punctuation")
    assert len(password["RandomPassword"]) == 12
    aws("secretsmanager", "delete-secret", *name, "--recovery-window-in-days", 7)
    refused = aws.refused("secretsmanager", "get-secret-value", *name)
    assert (refused.code, refused.operation) == ("InvalidRequestException", "GetSecretValue")
    aws("secretsmanager", "restore-secret", *name)
    aws("secretsmanager", "delete-secret", *name, "--force-delete-without-recovery")
    refused = aws.refused("secretsmanager", "describe-secret", *name)
    assert (refused.code, refused.message) == ("ResourceNotFoundException", "Secrets Manager can't find the specified secret.")
