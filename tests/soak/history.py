"""Histories of registers that several clients write and read, and of names that only one client can take.

A history is linearizable if each call could have happened at one moment between its request and its answer. With values that are
written once, that can be decided without a search (Gibbons and Korach, 1997): the calls with one value span a zone, from the first
answer to the last request. Zones that run forward must not overlap, and a zone that runs backward must not lie inside one of those.
"""

import collections
import itertools
import math
import threading
import time

REGISTERS = 5


class History:
    """Calls on registers and names, with the times of their requests and answers."""

    def __init__(self):
        self.lock = threading.Lock()
        # Calls on each register: value, true for a write, times of request and answer.
        self.calls = collections.defaultdict(list)
        # Outcomes of the creations of each name: taken, refused, unknown.
        self.names = collections.defaultdict(collections.Counter)

    def note(self, register, value, is_write, request, answer):
        with self.lock:
            self.calls[register].append((value, is_write, request, answer))

    def note_name(self, name, outcome):
        with self.lock:
            self.names[name][outcome] += 1

    def check(self, fail):
        """Calls `fail` with what no order of the calls explains; returns the number of calls."""
        for register, calls in self.calls.items():
            for problem in problems(calls):
                fail(f"the register {register}: {problem}")
        for name, outcomes in self.names.items():
            if outcomes["taken"] > 1:
                fail(f"the name {name} was taken {outcomes['taken']} times")
            if outcomes["refused"] and not outcomes["taken"] + outcomes["unknown"]:
                fail(f"the name {name} was refused and never taken")
        return sum(map(len, self.calls.values())) + sum(sum(each.values()) for each in self.names.values())


def problems(calls):
    """Yields the reasons why a history of one register is not linearizable. The first value is None."""
    by_value = collections.defaultdict(list)
    for value, is_write, request, answer in calls:
        by_value[value].append((is_write, request, answer))
    by_value.setdefault(None, []).append((True, -math.inf, -math.inf))
    forward, backward = [], []
    for value, group in by_value.items():
        writes = [call for call in group if call[0]]
        reads = [call for call in group if not call[0]]
        if not writes:
            yield f"{value} was read and never written"
            continue
        (_, written, _) = writes[0]
        if any(answer < written for _, _, answer in reads):
            yield f"{value} was read before it was written"
        if not reads and math.isinf(writes[0][2]):
            # A write that nobody answered and nobody read may not have happened.
            continue
        first_answer = min(answer for _, _, answer in group)
        last_request = max(request for _, request, _ in group)
        zone = (min(first_answer, last_request), max(first_answer, last_request), value)
        (forward if first_answer < last_request else backward).append(zone)
    forward.sort(key=lambda zone: zone[0])
    for (_, end, value), (start, _, other) in itertools.pairwise(forward):
        if start < end:
            yield f"{value} was read again after {other}"
    for start, end, value in backward:
        for outer_start, outer_end, outer in forward:
            if outer_start < start and end < outer_end:
                yield f"{outer} was read before and after {value} was written"


def write_register(worker, server, history):
    register, value = f"register-{worker.random.randrange(REGISTERS)}", f"value-{worker.number}-{time.monotonic_ns()}"
    request, answer = time.monotonic(), math.inf
    try:
        server.json("events", "PutRule", Name=register, EventPattern='{"source":["none"]}', Description=value)
        answer = time.monotonic()
    finally:
        # Without an answer it may have been carried out, now or later.
        history.note(register, value, True, request, answer)


def read_register(worker, server, history):
    register = f"register-{worker.random.randrange(REGISTERS)}"
    request = time.monotonic()
    value = server.json("events", "DescribeRule", Name=register).get("Description")
    history.note(register, value, False, request, time.monotonic())


def self_test():
    """Checks the checker with histories that are and are not linearizable."""
    w, r = True, False
    good = [("a", w, 0, 1), ("b", w, 2, 5), ("a", r, 3, 4), ("b", r, 4, 6), (None, r, -2, -1)]
    assert not list(problems(good)), list(problems(good))
    stale = [("a", w, 0, 1), ("b", w, 2, 3), ("a", r, 4, 5)]
    back = [("a", w, 0, 1), ("b", w, 1, 9), ("b", r, 2, 3), ("a", r, 4, 5), ("b", r, 6, 7)]
    unwritten = [("x", r, 0, 1)]
    early = [("a", w, 5, 6), ("a", r, 0, 1)]
    for bad in (stale, back, unwritten, early):
        assert list(problems(bad)), bad
    lost = [("a", w, 0, 1), ("b", w, 2, math.inf), ("a", r, 3, 4), ("b", r, 8, 9)]
    assert not list(problems(lost)), list(problems(lost))


if __name__ == "__main__":
    self_test()
