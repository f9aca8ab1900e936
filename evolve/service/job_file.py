"""The small file of a job, and whether this user's service wrote it.

A folder of runs may come from anywhere, and its files may claim anything. So the file has a mark,
made from all its content and the path of the folder, with the secret of this user
(`evolve.runs.trust`). A job without the right mark is from elsewhere.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from evolve.config.toml import plain_words
from evolve.errors import RunError
from evolve.files.atomic import write_text
from evolve.files.changes import make_folder
from evolve.files.folder import FolderPath
from evolve.runs.trust import is_marked, mark_of
from evolve.safe_parsing import parse_json, read_document
from evolve.service.folders import Place
from evolve.service.job import JobRecord

_FILE: Final = "job.json"
_MARK: Final = "mark"
_MOST: Final = 3
"""How many wrong fields a message names."""
_records: Final = TypeAdapter(JobRecord)


def save(record: JobRecord, place: Place) -> None:
    """Write the file of a job of this service in one step; OSError where that fails."""
    assert not record.is_foreign, "to write it would make it one of ours"
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    values["progress"] = record.progress.model_dump(exclude_none=True)
    values["process"] = None if record.process is None else asdict(record.process)
    # As it will be read back: the mark is made from the values after JSON.
    values = parse_json(json.dumps(values))
    values[_MARK] = mark_of(place.runs, *_marked(values))
    folder = place.jobs / record.id
    make_folder(folder, exist_ok=True)
    text = json.dumps(values, indent=1) + "\n"
    try:
        write_text(folder / _FILE, text)
    except OSError:
        if not _holds(folder / _FILE, text):
            raise


def load(folder: FolderPath, place: Place) -> JobRecord:
    """The job in a folder; it is from elsewhere unless its mark is right.

    Raises RunError where its file is damaged.
    """
    file = folder / _FILE
    try:
        values = parse_json(read_document(file))
        if not isinstance(values, dict):
            raise ValueError("it is not a table of values")
        mark = values.pop(_MARK, None)
        record = _records.validate_json(json.dumps(values))
    except ValidationError as error:
        raise RunError(f"{file} is damaged: {_faults(error)}") from error
    except (OSError, ValueError) as error:
        raise RunError(f"{file} is damaged: {error}") from error
    if record.id != folder.name or not is_marked(place.runs, mark, *_marked(values)):
        record.id = folder.name
        record.estranged()
    return record


def process_mark(record: JobRecord, place: Place) -> str:
    """The mark in the environment of a job's process."""
    return mark_of(place.runs, "process", record.id, str(record.created))


def _marked(values: dict[str, Any]) -> tuple[str, str]:
    return "job", json.dumps(values, sort_keys=True)


def _faults(error: ValidationError) -> str:
    found = []
    for detail in error.errors()[:_MOST]:
        place = ".".join(str(part) for part in detail["loc"])
        found.append(f"{place}: {plain_words(detail)}" if place else plain_words(detail))
    return "; ".join(found)


def _holds(path: FolderPath, text: str) -> bool:
    """Whether a file already has that text: then the disk failed only to confirm the write.

    To report a failure would be wrong: after the next start, what the file says is done.
    """
    try:
        return path.read_text(encoding="utf-8") == text
    except (OSError, ValueError):
        return False
