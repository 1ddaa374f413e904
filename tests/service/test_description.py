"""The description of the service is complete, and whatever it allows is answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from counts import FULL
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance
from served import Served

EXAMPLES = 60 if FULL else 4


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A service with a session of every kind that a path may name."""
    service = Served(tmp_path_factory.mktemp("described") / "lab.db")
    yield service
    service.close()


@pytest.fixture(scope="module")
def described(lab: Served) -> dict[str, Any]:
    return dict(lab.admin.get("/openapi.json").json())


def test_every_address_is_described(described: dict[str, Any]) -> None:
    assert described["security"] == [{"token": []}]
    count = 0
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            count += 1
            place = f"{method} {path}"
            assert operation["summary"], place
            assert operation["description"], place
            assert operation["tags"], place
            answers = operation["responses"]
            content = answers["200"]["content"]
            schema = next(iter(content.values()))["schema"]
            assert schema, place
            if path == "/api/health":
                continue
            assert {"401", "403", "429"} <= answers.keys(), place
            for status, answer in answers.items():
                if status != "200":
                    reference = answer["content"]["application/json"]["schema"]["$ref"]
                    assert reference.endswith("/Fault"), (place, status)
            if "requestBody" in operation and "/tokens" not in path:
                text = str(operation["requestBody"]["content"])
                names = [part.split("'")[0] for part in text.split("/schemas/")[1:]]
                models = [described["components"]["schemas"][name] for name in names]
                assert any("examples" in model or model["title"] == "By" for model in models), place
    assert count == 39


def test_what_the_description_allows_is_answered(lab: Served) -> None:
    """No answer is a fault of the service, and every answer is as described."""
    name = "described"
    lab.start(name, budget=10_000)
    schema = schemathesis.openapi.from_url(f"{lab.url}/openapi.json")
    header = {"Authorization": f"Bearer {lab.token('admin')}"}
    checks = [not_a_server_error, response_schema_conformance, status_code_conformance]
    tried = 0
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        if operation.path.endswith("/events") or operation.label == "DELETE /api/sessions/{name}":
            continue  # a stream has no end; the session is needed

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        def send(case: Any) -> None:
            nonlocal tried
            if "name" in (case.path_parameters or {}):
                case.path_parameters["name"] = name
            if isinstance(case.body, dict) and "wait" in case.body:
                case.body["wait"] = 0
            response = case.call(headers=header)
            case.validate_response(response, checks=checks)
            tried += 1

        given(case=operation.as_strategy())(send)()
    assert tried > 30 * EXAMPLES / 2


def test_the_client_in_the_package_is_the_one_that_is_served(lab: Served) -> None:
    import deliberate_practice.service.deliberate_client as client

    served = lab.admin.get("/deliberate_client.py").text
    assert served == Path(client.__file__).read_text(encoding="utf-8")
