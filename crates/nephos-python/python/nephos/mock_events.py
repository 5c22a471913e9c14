"""Delivery of events into moto: what event rules of the cloud have for its queues and topics."""

from __future__ import annotations

import threading
import warnings
from typing import Any

from botocore.awsrequest import AWSPreparedRequest
from botocore.exceptions import ClientError

from nephos import boto, boto_session

#: Services of moto that receive events: they get those since the last time before one of them is asked.
RECEIVERS = ("sqs", "sns")

#: Deliveries that are read at a time.
_PAGE = 1000


class EventReceivers:
    """The queues and topics of one moto. The deliveries stay in the outbox of the cloud."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._is_delivering = False
        #: Number of the last delivery of an account and a Region.
        self._last: dict[tuple[str, str], int] = {}

    def deliver(self, cloud: Any, request: AWSPreparedRequest, account: str) -> None:
        """Sends what is new in the outbox of the account and the Region of `request`; `account` is that of callers who name none."""
        scope = boto_session.scope_of(request)
        with self._lock:
            # Sending is a request, too.
            if scope is None or self._is_delivering:
                return
            self._is_delivering = True
            try:
                self._deliver_from(cloud, boto_session.account_of(request) or account, scope[2])
            finally:
                self._is_delivering = False

    def _deliver_from(self, cloud: Any, account: str, region: str) -> None:
        outbox = cloud.controls.event_deliveries
        while True:
            last = self._last.get((account, region))
            page = outbox(State="DELIVERED", After=last, Limit=_PAGE, Account=account, Region=region).Deliveries
            if not page:
                return
            for delivery in page:
                self._last[account, region] = delivery.Number
                try:
                    _send(cloud, delivery, account, region)
                except ClientError as error:
                    message = f"the event {delivery.EventId} of the rule {delivery.Rule} did not reach {delivery.TargetArn} in moto: {error}"
                    warnings.warn(message, stacklevel=2)


def _send(cloud: Any, delivery: Any, account: str, region: str) -> None:
    """Sends the input of a delivery to its queue or topic; nothing if its target is something else."""
    arn = delivery.TargetArn
    _, _, service, target_region, target_account, name = arn.split(":", 5)
    if service not in RECEIVERS:
        return
    client = boto.plain_client(service, target_region, target_account)
    if service == "sns":
        client.publish(TopicArn=arn, Message=delivery.Input)
        return
    options = {}
    if name.endswith(".fifo"):
        targets = cloud.client("events", account=account, region_name=region).list_targets_by_rule(
            Rule=delivery.Rule, EventBusName=delivery.EventBusName
        )["Targets"]
        queue = next((target.get("SqsParameters", {}) for target in targets if target["Id"] == delivery.TargetId), {})
        options = {"MessageGroupId": queue.get("MessageGroupId", delivery.Rule), "MessageDeduplicationId": delivery.EventId}
    client.send_message(QueueUrl=f"https://sqs.{target_region}.amazonaws.com/{target_account}/{name}", MessageBody=delivery.Input, **options)
