"""Command lines of jobs: what clients may change when a run continues."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evolve.runs.run import Run, load_run
from evolve.service.job_lines import changed, changes_of
from evolve.service.responses import ProblemError


def sweep(folder: Path, kind: str = "alphabeta") -> Run:
    folder.mkdir()
    (folder / "config.toml").write_text(f'command = "sweep {kind}"\n')
    run = load_run(folder)
    assert isinstance(run, Run)
    return run


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"space": "/etc/passwd"}, "/settings/space"),
        ({"trials": [3, 4]}, "/settings/trials"),
        ({"trials": True}, "/settings/trials"),
        ({"trials": 10**9}, "/settings/trials"),
        ({"storage": "sqlite:///x"}, "/settings/storage"),
    ],
)
def test_a_client_gets_to_no_file_agent_or_program_by_a_change(
    tmp_path: Path, changes: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(ProblemError) as found:
        changed(sweep(tmp_path / "s"), changes)
    assert [place for place, _ in found.value.errors] == [pointer]


def test_what_a_program_is_started_with_is_its_owner_s_to_change(tmp_path: Path) -> None:
    run = sweep(tmp_path / "s", "program")
    assert "trials" in {change.name for change in changes_of(run)}
    for name in ("space", "storage"):
        with pytest.raises(ProblemError, match="trials"):
            changed(run, {name: "style=--anything|x"})
