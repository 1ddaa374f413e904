"""A connection to rosbridge: actions, services and topics of ROS 2 as JSON."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.foundation.installing import install_command

CONNECT_SECONDS = 10.0
"""The longest time for a first connection [s]."""
CANCEL_SECONDS = 10.0
"""The longest time in which a canceled goal must end [s]."""
CLOSE_SECONDS = 2.0
"""The longest time to wait for the end of a connection [s]."""
LONGEST_PAUSE = 5.0
"""The longest time between two attempts to connect again [s]."""
LOOK_SECONDS = 0.05

Status = Literal["succeeded", "aborted", "canceled", "rejected", "lost", "unsent"]
Say = Callable[[str], None]


class RosError(DeliberatePracticeError):
    """A robot behind ROS 2 cannot be used as it is."""


@dataclass(frozen=True)
class Ended:
    """How a goal ended.

    Attributes:
        status: Its status; ``lost`` if the connection was lost, ``unsent`` if rosbridge could not
            send the goal to its server.
        values: The fields of the result.
        text: The reason, if rosbridge gave one.
        late: Whether it was canceled because its time was up.
    """

    status: Status
    values: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    late: bool = False


class Bridge:
    """A connection that comes back by itself.

    Args:
        host, port: Where rosbridge is.
        secure: Whether it uses TLS.
        say: Prints a line.

    Raises:
        RosError: roslibpy is not installed, or nothing answers.
    """

    def __init__(self, host: str, port: int, secure: bool, say: Say) -> None:
        try:
            import roslibpy
        except ModuleNotFoundError:
            raise RosError(
                f"robot ros: the package roslibpy is not installed; run: {install_command('ros')}"
            ) from None
        self._lib, self._say = roslibpy, say
        self._address = f"{'wss' if secure else 'ws'}://{host}:{port}"
        self._events: queue.SimpleQueue[Ended | Mapping[str, Any]] = queue.SimpleQueue()
        self._ros = roslibpy.Ros(host, port, is_secure=secure, transport="asyncio")
        self._ros.factory.maxDelay = LONGEST_PAUSE
        self._losses = 0
        self._ros.on("close", self._lost)
        try:
            self._ros.run(CONNECT_SECONDS)
        except Exception as error:  # roslibpy raises several kinds
            self.close()
            raise RosError(
                f"robot ros: no rosbridge answers at {self._address} ({error}); start it there "
                "with: ros2 launch rosbridge_server rosbridge_websocket_launch.xml"
            ) from None

    def act(
        self,
        action: str,
        kind: str,
        goal: Mapping[str, Any],
        timeout: float,
        feedback: Callable[[Mapping[str, Any]], None],
    ) -> Ended:
        """Send a goal and wait for its end; it is canceled when its time is up.

        Raises:
            RosError: A canceled goal does not end, so the robot may still move.
        """
        self._wait()
        events = self._events = queue.SimpleQueue()
        client = self._lib.ActionClient(self._ros, action, kind)
        goal_id = client.send_goal(
            self._lib.Goal(goal),
            lambda result: events.put(_ended(result)),
            lambda values: events.put(dict(values)),
            lambda result: events.put(_ended(result, failed=True)),
        )
        try:
            ended = _end(events, timeout, feedback)
            if ended is not None:
                if ended.status == "lost":
                    self._say(f"{action}: the connection to {self._address} is lost")
                    client.cancel_goal(goal_id)  # sent as soon as rosbridge answers again
                return ended
            self._say(f"{action}: not done after {timeout:g} s; the goal is canceled")
            client.cancel_goal(goal_id)
            ended = _end(events, CANCEL_SECONDS, feedback)
        except BaseException:  # such as Ctrl-C: the robot must not go on
            client.cancel_goal(goal_id)
            raise
        if ended is None:
            raise RosError(
                f"action {action}: the goal was canceled after {timeout:g} s and did not end "
                f"within {CANCEL_SECONDS:g} s more. Look at the robot; then the same command goes "
                "on with this trial."
            )
        return replace(ended, late=True)

    def call(
        self, service: str, kind: str, request: Mapping[str, Any], timeout: float
    ) -> Mapping[str, Any]:
        """Call a service, again if the connection is lost under way; its response.

        Raises:
            RosError: It failed, or did not answer in time.
        """
        self._wait()
        losses = self._losses
        client = self._lib.Service(self._ros, service, kind)
        try:
            return dict(client.call(self._lib.ServiceRequest(request), timeout=timeout))
        except Exception as error:  # roslibpy raises several kinds
            if self._losses > losses:
                return self.call(service, kind, request, timeout)
            raise RosError(f"service {service}: {error or 'no answer'}.") from None

    def publish(self, topic: str, kind: str, message: Mapping[str, Any]) -> None:
        """Publish a message."""
        self._wait()
        publisher = self._lib.Topic(self._ros, topic, kind)
        publisher.advertise()
        publisher.publish(self._lib.Message(message))

    def close(self) -> None:
        """Disconnect once everything is sent, and do not connect again."""
        factory = self._ros.factory
        factory.maxRetries = 0
        factory.on_ready(lambda protocol: protocol.send_close())  # also if it is just coming back
        deadline = time.monotonic() + CLOSE_SECONDS
        while self._ros.is_connected and time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)

    def _lost(self, _: object) -> None:
        self._losses += 1
        self._events.put(Ended("lost"))

    def _wait(self) -> None:
        """Wait until there is a connection, however long it takes."""
        if self._ros.is_connected:
            return
        self._say(f"waiting for rosbridge at {self._address}")
        while not self._ros.is_connected:
            time.sleep(LOOK_SECONDS)
        self._say(f"rosbridge at {self._address} answers again")


def _end(
    events: queue.SimpleQueue[Ended | Mapping[str, Any]],
    seconds: float,
    feedback: Callable[[Mapping[str, Any]], None],
) -> Ended | None:
    """The end of a goal; None if it does not come in time."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        try:
            event = events.get(timeout=min(left, threading.TIMEOUT_MAX))
        except queue.Empty:
            return None
        if isinstance(event, Ended):
            return event
        feedback(event)
    return None


def _ended(result: Mapping[str, Any], *, failed: bool = False) -> Ended:
    """The end that rosbridge reports: a status and the fields of the result, or a text."""
    values = result["values"]
    if failed:
        text = str(values)
        return Ended("rejected" if "rejected" in text else "unsent", text=text)
    known: dict[str, Status] = {
        "SUCCEEDED": "succeeded",
        "ABORTED": "aborted",
        "CANCELED": "canceled",
    }
    name = result["status"].name
    return Ended(known.get(name, "unsent"), values, text=f"status {name.lower()}")
