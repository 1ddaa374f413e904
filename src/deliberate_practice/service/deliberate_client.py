"""Let a robot practise through a service (``deliberate serve``). One file, Python 3.8 or newer.

All that you write is a function that runs one trial::

    import deliberate_client

    def run(trial):                    # trial["skill"], trial["parameters"], trial["approach"]
        ok = my_robot.execute(trial["skill"], **trial["parameters"])
        return "success" if ok else "failure"

    deliberate_client.practise("http://127.0.0.1:8712", "monday", run, token="dp_...")

or a program that reads the trial as JSON and prints the outcome as its last line::

    python deliberate_client.py http://127.0.0.1:8712 monday --token dp_... --exec ./my_robot.sh

An outcome is success, failure, refused, unreached, aborted or assisted; or a dict with "outcome"
and any of "at", "score", "measurements", "executed", "note". If ``run`` raises an exception or
answers anything else, the trial is aborted. Three such faults in a row stop the client.

Every result is written to a file before it is sent, and sent again until the service has it: no
result is lost or counted twice, whatever fails. Stop with Ctrl-C; the same command goes on.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import os
import random
import re
import shlex
import shutil
import signal
import ssl
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zlib
from subprocess import PIPE, Popen
from typing import Any, Callable, Dict, Union

OUTCOMES = ("success", "failure", "refused", "unreached", "aborted", "assisted")
FIELDS = ("outcome", "at", "score", "measurements", "executed", "note", "by", "version")
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0  # between two tries of a request [s]
ANSWER_SECONDS, PROBE_SECONDS = 30.0, 5.0  # the longest time for an answer, and for a probe
LONGEST_NOTE = 10_000  # the service takes no longer one
ANSWERED = "the robot's program answered {!r}; none of: {}"
MOST_FAULTS = 3  # of the robot's program in a row; one hiccup must not end the night

Json = Dict[str, Any]
Run = Callable[[Json], Union[str, Json]]
Say = Callable[[str], None]


def practise(
    url: str,
    session: str,
    run: Run,
    robot: str = "robot",
    token: str | None = None,
    folder: str = ".",
    wait: float = 30.0,
    cafile: str | None = None,
    say: Say | None = None,
) -> Json:
    """Practise until there is nothing more to do.

    Args:
        url: Where the service is, e.g. ``http://127.0.0.1:8712``.
        session: Name of the session.
        run: Runs a trial and returns its outcome.
        robot: Name of this robot; every robot needs its own.
        token: The robot's token; by default the variable DELIBERATE_TOKEN of the environment.
        folder: Where results are kept until the service has them.
        wait: How long one request waits for a trial [s], at most 60.
        cafile: A file with the certificate of the service or its authority, for https.
        say: Prints a line; by default on stderr.

    Returns:
        The last answer of the service, with the budget.

    Raises:
        ServiceError: The service refuses, e.g. because the token is not valid.
        ProgramError: ``run`` failed in three trials in a row; they are aborted.
        Unreachable: The service speaks http and the address says https, or the reverse.
    """
    say = say or _print
    connection = Connection(url, token, cafile=cafile, say=say)
    spool = Spool(folder, url, session, robot)
    path = "/api/sessions/" + urllib.parse.quote(session, safe="")
    _send(connection, path, spool, say)
    told, faults = None, 0
    while True:
        body = {"robot": robot, "wait": wait if told else 0.0}  # the reason first
        trial = connection.call("POST", path + "/ask", body, seconds=wait + ANSWER_SECONDS)
        if trial["id"] is None:
            if trial["reason"] != told:
                told = trial["reason"]
                say("{}: {}".format(trial["state"], told))
            if trial["state"] == "done":
                return trial
            time.sleep(FIRST_PAUSE)
            continue
        told, fault = None, None
        try:
            answer = outcome_of(run, trial)
        except ProgramError as error:
            answer, fault = {"outcome": "aborted", "note": str(error)}, error.__cause__ or error
        spool.keep(trial, answer)
        result = _send(connection, path, spool, say) or answer
        words = (trial.get("instruction") or trial["skill"], result["outcome"], result.get("note"))
        line = "trial {}: {}".format(trial["id"], ": ".join(filter(None, words)))
        faults = faults + 1 if fault or result["outcome"] != answer["outcome"] else 0
        if faults == MOST_FAULTS:
            refund = "deliberate refund {} {}".format(shlex.quote(session), trial["id"])
            line += f". After {faults} such faults in a row the client stops. Mend the program and "
            raise ProgramError(f"{line}start it again; it goes on. Refund: {refund}") from fault
        say(line)


def outcome_of(run: Run, trial: Json) -> Json:
    """Run a trial; an exception, or an answer that is no outcome, is a ProgramError."""
    try:
        answer = run(trial)
    except Exception as error:
        raise ProgramError(f"{type(error).__name__}: {error}") from error
    result: Any = {"outcome": answer} if isinstance(answer, str) else answer
    if not isinstance(result, dict) or result.get("outcome") not in OUTCOMES:
        raise ProgramError(ANSWERED.format(answer, ", ".join(OUTCOMES)))
    if unknown := [key for key in result if key not in FIELDS]:
        raise ProgramError(ANSWERED.format(unknown[0], ", ".join(FIELDS)))
    label: Json = {key: value for key, value in result.items() if value is not None}
    try:
        if "executed" in label:
            label["executed"] = [
                step if isinstance(step, dict) else {"skill": step[0], "success": bool(step[1])}
                for step in label["executed"]
            ]
        json.dumps(label, allow_nan=False)
    except (TypeError, ValueError, LookupError) as error:
        raise ProgramError(f"the robot's program answered {answer!r}: {error}") from error
    return label


class ServiceError(Exception):
    """The service refused a request: the HTTP status, and the reason."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ProgramError(Exception):
    """The robot's program raised an exception, or answered no outcome."""


class Unreachable(Exception):
    """The service did not answer for too long, or not to this kind of address."""


class Connection:
    """Sends requests until they are answered, with growing pauses in between.

    Gives up after ``patience`` seconds, by default never; the rest is as for :func:`practise`.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        cafile: str | None = None,
        patience: float = math.inf,
        say: Say | None = None,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"{url!r} is no address; write e.g. http://127.0.0.1:8712")
        self.url = f"{parts.scheme}://{parts.netloc}"
        self._token = token or os.environ.get("DELIBERATE_TOKEN", "")
        self._patience, self._say = patience, say or _print
        direct = urllib.request.ProxyHandler({})  # the token goes to the service alone
        tls = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=cafile))
        self._opener = urllib.request.build_opener(direct, tls, _NoRedirects())
        other = "http" if parts.scheme == "https" else "https"
        self._other = f"{other}://{parts.netloc}" if parts.port else None

    def call(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        once: bool = False,
        seconds: float = ANSWER_SECONDS,
    ) -> Json:
        """The answer to a request.

        Args:
            method: GET, POST or DELETE.
            path: The address, beginning with ``/api``.
            body: The data to send.
            once: Whether doing it twice would be wrong; then it carries a key.
            seconds: The longest time for an answer [s].

        Raises:
            ServiceError: It was refused.
            Unreachable: There was no answer for too long, or there is one to the other scheme.
        """
        headers = {"Authorization": "Bearer " + self._token, "Content-Type": "application/json"}
        if once:
            headers["Idempotency-Key"] = uuid.uuid4().hex
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        begun, pause, silent = time.monotonic(), FIRST_PAUSE, False
        while True:
            request = urllib.request.Request(self.url + path, data, headers, method=method)
            least = 0.0
            try:
                with self._opener.open(request, timeout=seconds) as response:
                    answer = json.loads(response.read().decode())
                self._other = None
                if silent:
                    self._say(f"{self.url} answers again")
                if isinstance(answer, dict):
                    return answer
                reason = "no JSON object"
            except urllib.error.HTTPError as error:
                reason = _reason(error)
                if error.code != 429 and error.code < 500:
                    raise ServiceError(error.code, reason) from None
                stated = error.headers.get("Retry-After", "")
                least = min(60.0, float(stated)) if stated.isdigit() else 0.0
            except (OSError, http.client.HTTPException, ValueError) as error:
                reason = str(getattr(error, "reason", error)) or type(error).__name__
                if self._other and self._answers(self._other):
                    raise Unreachable(f"{self.url} does not answer; use {self._other}") from None
            if time.monotonic() - begun > self._patience:
                raise Unreachable(f"{self.url}: {reason}")
            if not silent:
                silent = True
                self._say(f"no answer from {self.url} ({reason}); trying again")
            time.sleep(max(least, pause * random.Random().uniform(0.5, 1.0)))
            pause = min(2 * pause, LONGEST_PAUSE)

    def _answers(self, url: str) -> bool:
        """Whether the service answers there; the token is not sent."""
        try:
            with self._opener.open(url + "/api/health", timeout=PROBE_SECONDS):
                return True
        except (OSError, http.client.HTTPException) as error:
            return isinstance(getattr(error, "reason", None), ssl.SSLCertVerificationError)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: Any) -> None:
        """Follow none; the token is sent nowhere else."""


class Spool:
    """A file in a folder with the result that the service may not have yet."""

    def __init__(self, folder: str, url: str, session: str, robot: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self._whose = [url.rstrip("/"), session, robot]
        readable = re.sub(r"[^A-Za-z0-9]+", "-", f"{session}-{robot}").strip("-")[:80]
        checksum = zlib.crc32("\0".join(self._whose).encode())
        self.path = os.path.join(folder, f"result-{readable}-{checksum:08x}.json")

    def keep(self, trial: Json, result: Json) -> None:
        """Write a result to the disk; afterwards it survives a power cut."""
        body = dict(result, seed=trial["seed"])
        if isinstance(body.get("note"), str):
            body["note"] = body["note"][:LONGEST_NOTE]
        with open(self.path + ".new", "w") as file:
            json.dump({"whose": self._whose, "trial": trial["id"], "body": body}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.path + ".new", self.path)
        self._sync_folder()

    def waiting(self) -> Json | None:
        """The result that was kept last and not forgotten; None if there is none."""
        try:
            with open(self.path) as file:
                data = json.load(file)
        except FileNotFoundError:
            return None
        return data if isinstance(data, dict) and data.get("whose") == self._whose else None

    def forget(self) -> None:
        """The service has it."""
        os.remove(self.path)
        self._sync_folder()

    def put_aside(self) -> str:
        """Keep a refused result for people; the name of its file."""
        aside = f"{self.path}.refused-{int(time.time())}"
        os.replace(self.path, aside)
        return aside

    def _sync_folder(self) -> None:
        if os.name == "posix":
            folder = os.open(os.path.dirname(os.path.abspath(self.path)), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _send(connection: Connection, path: str, spool: Spool, say: Say) -> Json | None:
    """Send the result that is kept, if there is one; then it is forgotten. What was told."""
    if (kept := spool.waiting()) is None:
        return None
    try:
        connection.call("POST", "{}/trials/{}/tell".format(path, kept["trial"]), kept["body"])
    except ServiceError as error:
        if error.status in (400, 413, 422) and kept["body"]["outcome"] != "aborted":
            note = "the service refused {}: {}".format(kept["body"]["outcome"], error)
            trial = dict(kept["body"], id=kept["trial"])
            spool.keep(trial, {"outcome": "aborted", "note": note})
            say(note)
            return _send(connection, path, spool, say)
        if error.status not in (400, 404, 409, 413, 422):
            raise
        say("trial {}: {} Kept in {}".format(kept["trial"], error, spool.put_aside()))
        return None
    spool.forget()
    return dict(kept["body"])


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read().decode())["error"])
    except Exception:
        return f"HTTP status {error.code}"


def _print(line: str) -> None:
    print("deliberate: " + line, file=sys.stderr, flush=True)


def program(command: str) -> Run:
    """A function that runs a command for each trial: JSON on stdin, the outcome as last line."""
    if not (words := shlex.split(command)) or not shutil.which(words[0]):
        raise ValueError(f"--exec {command}: no such program, or it may not run (chmod +x)")

    def run(trial: Json) -> str | Json:
        process, pressed = None, []  # Ctrl-C waits until the program is known, which it ends
        ours = threading.current_thread() is threading.main_thread()
        usual = signal.signal(signal.SIGINT, lambda *_: pressed.append(1)) if ours else None
        try:
            try:
                process = Popen(words, stdin=PIPE, stdout=PIPE, text=True)
            finally:
                if ours:
                    signal.signal(signal.SIGINT, usual or signal.SIG_DFL)
            if pressed:
                raise KeyboardInterrupt
            printed, _ = process.communicate(json.dumps(trial))
        except BaseException:
            if process:
                process.kill()
            raise
        if process.returncode:
            raise RuntimeError(f"{words[0]} ended with status {process.returncode}")
        last = (printed.strip().splitlines() or [""])[-1].strip()
        return dict(json.loads(last)) if last.startswith("{") else last

    return run


def main() -> int:
    """The command: practise with a program."""
    parser = argparse.ArgumentParser(description="Practise through a service, with a program.")
    parser.add_argument("url", help="where the service is, e.g. http://127.0.0.1:8712")
    parser.add_argument("session", help="name of the session")
    parser.add_argument("--exec", required=True, metavar="PROGRAM", dest="command")
    parser.add_argument("--robot", default="robot", help="name of this robot (robot)")
    parser.add_argument("--token", help="its token (the variable DELIBERATE_TOKEN)")
    parser.add_argument("--folder", default=".", help="where results are kept until they are sent")
    parser.add_argument("--cafile", help="certificate of the service, for https")
    given = vars(parser.parse_args())
    try:
        practise(run=program(given.pop("command")), **given)
    except KeyboardInterrupt:
        _print("stopped; everything is kept, and the same command goes on")
        return 130
    except (ServiceError, ProgramError, Unreachable, ValueError, OSError) as error:
        _print(str(error))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
