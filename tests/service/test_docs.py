"""What docs/reference/rest.md shows works as it stands."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.service import TOKEN, Service

TEXT = (Path(__file__).parents[2] / "docs/reference/rest.md").read_text(encoding="utf-8")

PRESET = '"preset": "quick"'
LITTLE = ', "budget": 2, "checks": 1, "panel_openings": 2, "depth": 4, "probcut_positions": 50'
POPULATION = '"population": 32'
SMALL = '"population": 6, "panel_openings": 2, "playoff_openings": 2, "move_budget": 300'
"""Half a minute of learning, as much of games against the ladder, and a larger run: for readers."""


KEPT = "~/.local/share/evolve/token"


def said(text: str, service: Service, folder: Path) -> str:
    """A text that asks this service, with its token."""
    assert "127.0.0.1:8765" in text
    assert KEPT in text
    (folder / "token").write_text(f"{TOKEN}\n")
    return text.replace(":8765", f":{service.port}").replace(KEPT, str(folder / "token"))


@pytest.mark.slow
def test_the_way_by_python(
    fresh: Service, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert PRESET in code
    exec(said(code, fresh, tmp_path).replace(PRESET, PRESET + LITTLE), {})
    assert "'move':" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_way_by_curl(fresh: Service, tmp_path: Path) -> None:
    (script,) = [one for one in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) if "curl" in one]
    script = said(script, fresh, tmp_path).replace("-m 20", "-m 2")
    assert POPULATION in script
    script = script.replace(POPULATION, SMALL)
    first = script.partition('ask "$api/jobs')[0]
    for part in (script, first):
        subprocess.run(["sh", "-c", part], check=True, cwd=tmp_path, timeout=300)
    assert "class AI" in (tmp_path / "agent.py").read_text()
    assert fresh.get("jobs")["total"] == 1, "the key makes it one job"
