"""Every paginator of boto3: the smallest pages have the same items, in the same order, as one large page."""

import botocore
import botocore.exceptions
import jmespath
import pytest
from models import loader, model_of
from paged_clouds import FILL

# Smallest and largest page of paginators whose model has no limits, from the documentation.
UNWRITTEN_LIMITS = {
    ("ec2", "DescribeInstances"): (5, 1000),
    ("ec2", "DescribeTags"): (5, 1000),
    ("ecs", "ListClusters"): (1, 100),
    ("ecs", "ListServices"): (1, 100),
    ("ecs", "ListTaskDefinitionFamilies"): (1, 100),
    ("ecs", "ListTaskDefinitions"): (1, 100),
    ("elasticache", "DescribeServerlessCacheSnapshots"): (1, 50),
    ("elasticache", "DescribeServerlessCaches"): (1, 50),
    ("elasticache", "DescribeSnapshots"): (20, 50),
    ("rds", "DescribeOrderableDBInstanceOptions"): (20, 1000),
    ("schemas", "ListDiscoverers"): (1, 100),
    ("schemas", "ListRegistries"): (1, 100),
    ("schemas", "ListSchemaVersions"): (1, 100),
    ("schemas", "ListSchemas"): (1, 100),
    ("schemas", "SearchSchemas"): (1, 100),
}

# Paginators that cannot have three items, or more than the smallest page, and the reason.
FEW_ITEMS = {
    ("ec2", "DescribeVpcs"): "a Region has at most five VPCs, and so has the smallest page",
    ("elasticache", "DescribeServiceUpdates"): "the provider publishes a few updates",
    ("iam", "ListAccessKeys"): "a user has at most two access keys",
    ("iam", "ListAccountAliases"): "an account has at most one alias",
    ("iam", "ListSigningCertificates"): "a user has at most two signing certificates",
    ("kms", "ListKeyPolicies"): "the only policy of a key is named default",
    ("rds", "DescribeCertificates"): "there are three authorities",
    ("rds", "DescribeDBLogFiles"): "an instance that just started has one log file",
    ("rds", "DescribeEventSubscriptions"): "an account has at most 20 subscriptions",
    ("rds", "DescribeOptionGroupOptions"): "no engine has more options than the smallest page",
    ("rds", "DescribeSourceRegions"): "there are fewer Regions",
    ("logs", "DescribeSubscriptionFilters"): "a log group has at most five subscription filters",
}


def paginators(service):
    """Returns boto3's paginators of the operations that the service of the registry has, by operation."""
    try:
        defined = loader().load_service_model(model_of(service).service_name, "paginators-1")["pagination"]
    except botocore.exceptions.UnknownServiceError:
        return {}
    operations = {operation["operation"] for operation in service["operations"]}
    # Portions of a log file are parts of one text, not items.
    operations.discard("DownloadDBLogFilePortion")
    return {name: paginator for name, paginator in defined.items() if name in operations}


def limits(service, operation, paginator):
    """Returns the smallest and the largest size of a page; none if the caller cannot choose it."""
    if "limit_key" not in paginator:
        return None, None
    shape = model_of(service).operation_model(operation).input_shape.members[paginator["limit_key"]]
    # Pages of caches and databases have 20 to 100 items.
    usual = (20, 100) if service["service"] in ("elasticache", "rds") else (None, None)
    unwritten = UNWRITTEN_LIMITS.get((service["service"], operation), usual)
    return shape.metadata.get("min", unwritten[0]), shape.metadata.get("max", unwritten[1])


def items(pages, paginator):
    """Returns the items of pages, with the result key of each."""
    keys = paginator["result_key"]
    keys = keys if isinstance(keys, list) else [keys]
    return [[(key, item) for key in keys for item in jmespath.search(key, page) or []] for page in pages]


def check(client, name, operation, paginator, params, smallest, largest):
    """Yields what is wrong with the pages of an operation."""
    listing = client.get_paginator(botocore.xform_name(operation))
    pages = lambda size: items(listing.paginate(**params, PaginationConfig={"PageSize": size} if size else {}), paginator)
    large, small = pages(largest), pages(smallest)
    by_key = lambda pages: sorted((item for page in pages for item in page), key=lambda item: item[0])
    if len(large) != 1:
        yield f"{len(large)} pages of {largest} items for {sum(map(len, large))}"
    # The lists of one operation are compared one by one: pages need not fill them one after the other.
    if by_key(small) != by_key(large):
        yield f"pages of {smallest} have {by_key(small)}, one page has {by_key(large)}"
    if smallest and max(map(len, small)) > smallest:
        yield f"a page has {max(map(len, small))} items, at most {smallest} are allowed"
    count, enough = sum(map(len, large)), max(3, (smallest or 0) + 1)
    if (name, operation) in FEW_ITEMS:
        if not 1 <= count < enough:
            yield f"{count} items, although {FEW_ITEMS[name, operation]}"
    elif count < enough:
        yield f"{count} items are too few for a test, {enough} are needed"


@pytest.mark.parametrize("name", FILL)
def test_small_pages_have_the_items_of_a_large_one(client, server, registry, name):
    params = FILL[name](client, server)
    found, wrong = paginators(registry[name]), []
    assert set(params) <= set(found), "parameters of operations without a paginator"
    for operation, paginator in found.items():
        bounds = limits(registry[name], operation, paginator)
        try:
            wrong += (
                f"{operation}: {why}"
                for why in check(client(name), name, operation, paginator, params.get(operation, {}), *bounds)
            )
        except (botocore.exceptions.ClientError, botocore.exceptions.PaginationError) as error:
            wrong.append(f"{operation}: {error}")
    assert not wrong, "\n".join(wrong)


def test_every_paginator_is_checked(registry):
    found = {(name, operation) for name, service in registry.items() for operation in paginators(service)}
    assert {name for name, _ in found} == set(FILL)
    assert set(FEW_ITEMS) | set(UNWRITTEN_LIMITS) <= found
