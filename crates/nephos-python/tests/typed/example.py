"""The typed API as mypy and pyright see it: an example that both accept, and that runs."""

import asyncio

import nephos
from nephos import LogGroup
from nephos.logs import LogGroupClass


def main() -> None:
    with nephos.Cloud() as cloud:
        group = LogGroup(logGroupName="/web/api", retentionInDays=30, logGroupClass="STANDARD")
        LogGroup.objects.create(group, tags={"team": "web"})
        LogGroup.objects.create(logGroupName="/web/other", retentionInDays=7)
        found = LogGroup.objects.get("/web/api")
        assert found is not None
        found.retentionInDays = 90
        found.save()
        days: int | None = found.retentionInDays
        kind: LogGroupClass | None = found.logGroupClass
        names: list[str | None] = [one.name for one in LogGroup.objects.filter(retentionInDays__gte=30)]
        changes = LogGroup.objects.delete.preview("/web/api").changes
        cloud.clock.advance("31d")
        print(days, kind, names, changes[0].row, found.tags["team"])
        key = nephos.CryptoKey.objects.create(Tags={"team": "web"})
        alias = nephos.CryptoKey.objects.create(tags=[{"Key": "team", "Value": "web"}])
        enabled: bool | None = key.wait_until(lambda latest: latest.Enabled is True).Enabled
        states = [delivery.State for delivery in cloud.controls.event_deliveries(Limit=10).Deliveries or ()]
        explained = cloud.why("arn:aws:iam::123456789012:root", "logs:CreateLogGroup")
        reason: str | None = explained.Reason
        print(enabled, alias.is_saved, states, reason, len(cloud.decisions()), len(cloud.tagged("team", "web")))
        asyncio.run(later())


async def later() -> None:
    group = await LogGroup.objects.aget("/web/api")
    if group is not None:
        await group.adelete()
    async for other in LogGroup.objects.list():
        print(other.name)


if __name__ == "__main__":
    main()
