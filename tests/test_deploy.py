"""Files for clusters: one image of this version, commands and settings that there are."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

import evolve
from evolve.cli.main import COMMANDS
from tests.cli import ROOT, invoke, posix

DEPLOY = Path(ROOT) / "deploy"
IMAGE = (DEPLOY / "Containerfile").read_text()
SERVICES = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


def documents() -> list[Any]:
    found = [yaml.safe_load((DEPLOY / "compose.yaml").read_text())]
    return found + list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))


def values(document: Any, *names: str) -> list[Any]:
    """Of all keys so called, however deep."""
    if isinstance(document, list):
        return [value for one in document for value in values(one, *names)]
    if not isinstance(document, dict):
        return []
    here = [value for key, value in document.items() if key in names]
    return here + [value for one in document.values() for value in values(one, *names)]


def test_all_are_of_one_image_of_this_version() -> None:
    images = set(values(documents(), "image"))
    version = evolve.__version__.partition(".dev")[0]
    assert images == {f"evolve:{version}"}
    assert f"-t evolve:{version}" in IMAGE


def commands() -> list[list[str]]:
    """Each `evolve …` in what containers run, and in the remarks that say how to."""
    found = [part for part in values(documents(), "command", "args") if isinstance(part, list)]
    words = [word for part in found if part[0] != "sh" for word in [shlex.join(part)]]
    texts = words + [text for part in found for text in part if " evolve " in f" {text} "]
    texts += [(DEPLOY / name).read_text() for name in ("compose.yaml", "Containerfile")]
    lines = [line for text in texts for line in text.replace(";", "\n").splitlines()]
    shown = [line.split("evolve ", 1)[1] for line in lines if " evolve " in f" {line}"]
    split = [shlex.split(line.rstrip("\\"), comments=True) for line in shown]
    known = [words for words in split if words and words[0] in COMMANDS]
    assert {words[0] for words in known} >= {"run", "resume", "serve", "sweep", "match"}
    return known


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_commands_and_their_options_are_there(words: list[str]) -> None:
    name = words[0]
    text = invoke(*words[: 2 if name in ("sweep", "train") else 1], "--help").out
    assert not [(word, name) for word in words[1:] if word.startswith("--") if word not in text]


def keys(settings: Any, before: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """Where the values are, in nested settings."""
    if not isinstance(settings, dict):
        return {before}
    return {key for name, value in settings.items() for key in keys(value, (*before, name))}


def test_dasks_settings_are_ones_that_it_has() -> None:
    distributed = pytest.importorskip("distributed")
    defaults = Path(distributed.__file__).with_name("distributed.yaml")
    ours = keys(yaml.safe_load((DEPLOY / "dask.yaml").read_text()))
    assert len(ours) == 5
    assert "COPY deploy/dask.yaml /etc/dask/" in IMAGE
    assert ours <= keys(yaml.safe_load(defaults.read_text()))


def containers() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """All of Kubernetes, each with its pod."""
    found = []
    for document in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()):
        for pod in values(document, "spec"):
            found += [(one, pod) for one in pod.get("containers", [])]
    return found


@pytest.mark.parametrize(("one", "pod"), containers())
def test_pods_run_without_rights(one: dict[str, Any], pod: dict[str, Any]) -> None:
    assert pod["securityContext"]["runAsNonRoot"]
    assert f"--uid {pod['securityContext']['runAsUser']} " in IMAGE
    assert one["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    mounted = {mount["name"] for mount in one["volumeMounts"]}
    assert "tmp" in mounted <= {volume["name"] for volume in pod["volumes"]}
    assert "command" not in one, "it would leave out the image's start.sh"


def test_all_run_without_rights_on_a_root_that_is_read_only() -> None:
    assert len(containers()) == 4
    ours = [one for one in SERVICES.values() if one["image"].startswith("evolve:")]
    locked = {"read_only": True, "tmpfs": ["/tmp"], "cap_drop": ["ALL"], "entrypoint": None}
    assert [{key: one.get(key) for key in locked} for one in ours] == [locked] * 4


def test_the_service_is_healthy_when_it_answers() -> None:
    probe = ["python", "/usr/local/bin/healthy.py"]
    assert SERVICES["service"]["healthcheck"]["test"] == ["CMD", *probe]
    (page,) = (one for one, _ in containers() if one["name"] == "page")
    names = ("startupProbe", "readinessProbe", "livenessProbe")
    assert not [name for name in names if page[name]["exec"]["command"] != probe]
    assert "COPY deploy/start.sh deploy/healthy.py /usr/local/bin/\n" in IMAGE


class Answer(BaseHTTPRequestHandler):
    """Is well for whoever knows the token."""

    def do_GET(self) -> None:
        known = self.headers["Authorization"] == "Bearer the token"
        self.send_response(200 if known and self.path == "/api/v1/health" else 401)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_its_health_is_asked_for_with_the_token() -> None:
    def ask(token: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, DEPLOY / "healthy.py", str(server.server_port)]
        environment = {**os.environ, "EVOLVE_TOKEN": token}
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        assert ask("the token").returncode == 0
        wrong = ask("another")
        server.shutdown()
        thread.join()
    assert (wrong.returncode, wrong.stderr.count("\n")) == (1, 1)
    gone = ask("the token")
    assert gone.returncode == 1
    assert gone.stderr.startswith("the service does not answer: ")


@posix
def test_what_starts_everything_keeps_kernels_that_can_be_added_to(tmp_path: Path) -> None:
    assert 'ENTRYPOINT ["/usr/local/bin/start.sh"]' in IMAGE
    words = [DEPLOY / "start.sh", "sh", "-c", 'echo "$EVOLVE_CACHE_DIR"; exit 3']
    environment = {**os.environ, "EVOLVE_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, f"{tmp_path}\n")


def test_no_job_of_a_workflow_keeps_credentials() -> None:
    files = [*(Path(ROOT) / ".github/workflows").iterdir()]
    jobs = [job for file in files for job in yaml.safe_load(file.read_text())["jobs"].values()]
    steps = [step for job in jobs for step in job["steps"] if "checkout" in step.get("uses", "")]
    assert {step.get("with", {}).get("persist-credentials") for step in steps} == {False}
