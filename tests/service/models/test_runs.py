"""Documents of runs and jobs: what clients may send, and the states of a job."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from evolve.service.models.runs import ENDED, JOB_ID, Changes, JobProgress, NewJob


def test_what_is_left_out_has_its_default() -> None:
    job = NewJob.model_validate({"command": "run"})
    assert (job.settings, job.name, job.threads) == ({}, None, None)
    changes = Changes.model_validate({})
    assert (changes.settings, changes.threads) == ({}, None)


@pytest.mark.parametrize(
    ("model", "document"),
    [
        (NewJob, {"command": "resume"}),
        (NewJob, {"command": "serve"}),
        (NewJob, {"command": "run", "name": "../outside"}),
        (NewJob, {"command": "run", "threads": 0}),
        (NewJob, {"command": "run", "line": "evolve run"}),
        (Changes, {"settings": []}),
        (Changes, {"threads": 1025}),
        (JobProgress, {"done": float("inf")}),
    ],
)
def test_what_is_no_document(model: type[BaseModel], document: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(document)


def test_a_job_that_has_ended_neither_runs_nor_waits() -> None:
    assert {"done", "failed", "cancelled"} <= set(ENDED)
    assert not {"queued", "running"} & set(ENDED)


@pytest.mark.parametrize(
    ("name", "right"),
    [("20261126-0123abcd", True), ("20261126-0123ABCD", False), ("../20261126-0123abcd", False)],
)
def test_ids_of_jobs(name: str, right: bool) -> None:
    assert bool(re.fullmatch(JOB_ID, name)) is right
