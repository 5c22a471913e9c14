"""Words that neither the registry nor the tree has. `check` fails when a word for a new service or feature is missing."""

import textwrap

# Services: the title, and the kinds of the specification that it has or will have.
SERVICES = {
    "ec2": ("Network (EC2)", ()),
    "elbv2": ("Load balancers (ELBv2)", ("LoadBalancer", "Listener", "Rule", "TargetGroup")),
    "events": ("EventBridge", ("EventBus", "EventRule")),
    "iam": ("Identity (IAM)", ("AccessKey", "Group")),
    "kms": ("Crypto keys (KMS)", ("CryptoKey",)),
    "logs": ("CloudWatch Logs", ("LogGroup",)),
    "schemas": ("EventBridge Schemas", ("Registry", "Schema", "Discoverer")),
    "secretsmanager": ("Secrets Manager", ("Secret",)),
    "sts": ("Security Token Service", ("AssumeRole", "CallerIdentity")),
    "resourcegroupstaggingapi": ("Tags of all resources (Resource Groups Tagging)", ()),
    "elb": ("Classic load balancers (ELB)", ("ClassicELB",)),
    "elasticache": ("Caches (ElastiCache)", ("CacheCluster", "CacheSubnetGroup", "CacheUser", "CacheUserGroup")),
    "rds": ("Databases (RDS, DocumentDB)", ("DBInstance", "DocDBCluster")),
    "ecr": ("Container images (ECR)", ("Repository", "Image")),
    "ecs": ("Containers (ECS)", ()),
    "inspector2": ("Vulnerability findings (Inspector)", ()),
    "codepipeline": ("Pipelines (CodePipeline)", ("Pipeline", "ActionType")),
}

# Operations that a service does not have, in words. Services that have all of them are not in the list.
MISSING_OPERATIONS = {
    "codepipeline": "Targets of deployments; repository triggers start nothing",
    "ec2": "Everything but VPCs, subnets, security groups and instances",
    "ecr": "Restoring archived images, signing, rules for the update of pull times, and others",
    "ecs": "Everything but clusters, services and task definitions; no task runs",
    "elasticache": "Global datastores, migrations, reserved nodes, cache security groups, exports to buckets",
    "events": "Global endpoints, partner event sources",
    "iam": "Delegation requests, organizations' root access, outbound federation",
    "inspector2": "Everything but the listing of findings",
    "kms": "Custom key stores, Encapsulate and Decapsulate, GetKeyLastUsage",
    "logs": "Queries (Logs Insights), export and import tasks, deliveries, live tail, anomaly detection, and others",
    "rds": "Global clusters, blue/green deployments, proxies, exports to buckets, cluster endpoints, shard groups, tenant databases, "
    "reserved instances, integrations, activity streams, custom engine versions, DB security groups, backtracking",
    "resourcegroupstaggingapi": "Reports, and required tags of organizations",
    "sts": "AssumeRoot, GetDelegatedAccessToken, GetWebIdentityToken",
}

# Well-known services, by their names in botocore. The pages name those that are not there.
WELL_KNOWN = {
    "s3": "S3",
    "dynamodb": "DynamoDB",
    "sqs": "SQS",
    "sns": "SNS",
    "lambda": "Lambda",
    "cloudformation": "CloudFormation",
    "cloudwatch": "CloudWatch metrics and alarms",
    "stepfunctions": "Step Functions",
    "ssm": "SSM",
    "apigateway": "API Gateway",
    "kinesis": "Kinesis",
    "firehose": "Firehose",
    "rds": "RDS",
    "elasticache": "ElastiCache",
    "elb": "classic load balancers",
    "ecs": "ECS",
    "ecr": "ECR",
    "eks": "EKS",
    "codepipeline": "CodePipeline",
    "route53": "Route 53",
    "acm": "ACM",
    "cognito-idp": "Cognito",
    "ses": "SES",
    "opensearch": "OpenSearch",
    "redshift": "Redshift",
}

# Features of the crate `nephos` that are not services.
FEATURES = {
    "remote": "[`Session::remote`](prelude): signed sessions on endpoints; tokio, hyper and rustls",
    "postgres": "[clouds in a database](CloudOptions::connect), which several machines share",
    "profiles": "credentials from profiles, roles, web identity, containers and instances",
}

NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()


def number(count: int) -> str:
    """A count in words, or in digits if it is large."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def joined(items: list[str]) -> str:
    """A list as a sentence has it: `a, b and c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def wrapped(text: str) -> str:
    """A paragraph in lines as wide as those that are written by hand."""
    return textwrap.fill(text, 130, break_long_words=False, break_on_hyphens=False)
