"""A rosbridge of our own: websockets, and its JSON protocol for actions, services and topics.

Messages are those of ``rosbridge_library/capabilities/send_action_goal.py`` of rosbridge_suite.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve

Json = dict[str, Any]
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6


class FakeRosbridge:
    """Answers goals as a script says.

    The script gets the action and the goal, and returns what happens: ``{"status": 4}`` with
    ``values`` of the result, ``feedback`` (a list) before it, ``seconds`` until it,
    ``"drop": True`` to lose the connection instead, ``"error": text`` if rosbridge cannot send the
    goal, ``"deaf": True`` if the server ignores a cancel.

    Attributes:
        received: Every message, in order.
    """

    def __init__(self, script: Callable[[str, Json], Json], port: int = 0) -> None:
        self.script, self.port = script, port
        self.received: list[Json] = []
        self.services: dict[str, Json] = {}
        self._running: dict[str, asyncio.Event] = {}  # rosbridge keeps goals across connections
        self._connections: set[ServerConnection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._server: Server | None = None
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=[ready], daemon=True)
        self._thread.start()
        ready.wait()

    def ops(self, kind: str) -> list[Json]:
        """The messages of one kind."""
        return [message for message in self.received if message["op"] == kind]

    @property
    def connected(self) -> int:
        """How many are connected."""
        return len(self._connections)

    def close(self) -> None:
        """Stop it; everybody is disconnected."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def drop(self) -> None:
        """Lose every connection, as if the network failed."""
        self._loop.call_soon_threadsafe(self._drop)

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        ready.set()
        self._loop.run_forever()

    async def _start(self) -> None:
        self._server = await serve(self._connected, "127.0.0.1", self.port)
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def _stop(self) -> None:
        assert self._server
        self._drop()
        self._server.close()
        await self._server.wait_closed()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _drop(self) -> None:
        for connection in list(self._connections):
            connection.transport.abort()

    async def _connected(self, connection: ServerConnection) -> None:
        self._connections.add(connection)
        try:
            async for text in connection:
                message: Json = json.loads(text)
                self.received.append(message)
                task = asyncio.create_task(self._answer(connection, message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        except Exception:
            pass  # it was dropped
        finally:
            self._connections.discard(connection)

    async def _answer(self, connection: ServerConnection, message: Json) -> None:
        if message["op"] == "send_action_goal":
            await self._act(connection, message)
        elif message["op"] == "cancel_action_goal" and message["id"] in self._running:
            self._running[message["id"]].set()
        elif message["op"] == "call_service":
            values = self.services.get(message["service"])
            found = values is not None
            text = f"Service {message['service']} does not exist"
            answer = {"op": "service_response", "id": message["id"], "result": found}
            answer |= {"service": message["service"], "values": values if found else text}
            await connection.send(json.dumps(answer))

    async def _act(self, connection: ServerConnection, message: Json) -> None:
        said = self.script(message["action"], message["args"])
        about = {"id": message["id"], "action": message["action"]}
        canceled = self._running[message["id"]] = asyncio.Event()
        try:
            for values in said.get("feedback", []):
                feedback = {"op": "action_feedback", **about, "values": values}
                await connection.send(json.dumps(feedback))
            if said.get("drop"):
                connection.transport.abort()
            status, values = said.get("status", SUCCEEDED), said.get("values", {})
            waiting = asyncio.sleep(100) if said.get("deaf") else canceled.wait()
            try:
                await asyncio.wait_for(waiting, said.get("seconds", 0.01))
                status, values = CANCELED, {}
            except TimeoutError:
                pass
            answer = {"op": "action_result", **about, "result": True}
            answer |= {"status": status, "values": values}
            if "error" in said:
                answer |= {"result": False, "status": 0, "values": said["error"]}
            await connection.send(json.dumps(answer))
        except Exception:
            pass  # nobody listens any more
        finally:
            del self._running[message["id"]]
