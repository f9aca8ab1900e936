"""Agent files: documents and arrays of every kind, without pickle; reading one runs no code.

An agent without arrays is one JSON document. Agents with networks are `.npz` archives: the same
document under `header`, and the weights as arrays. The kind interprets the document.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from evolve.agents.registry import KINDS
from evolve.engine.board.rules import Rules
from evolve.engine.networks.architecture import MOST_WEIGHTS
from evolve.errors import AgentFileError
from evolve.files.atomic import replacing
from evolve.parsing import faults, parse_json, read_document

FORMAT: Final = "evolve-agent"
VERSION: Final = 1
_HEADER: Final = "header"

_ZIP: Final = b"PK\x03\x04"
_LARGEST: Final = 8 * MOST_WEIGHTS  # most bytes that an archive may unpack to
Arrays = Mapping[str, npt.NDArray[Any]]
Fields = Mapping[str, Any]


def content_of(document: Mapping[str, Any], arrays: Arrays) -> bytes:
    """The content of an agent file."""
    text = json.dumps(document, indent=1)
    if not arrays:
        return (text + "\n").encode()
    packed = io.BytesIO()
    _pack(packed, {_HEADER: np.array(text), **arrays}, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


@dataclass(frozen=True)
class AgentHeader:
    """The parts of a document that all kinds of agents share."""

    kind: str
    name: str
    parameters: dict[str, Any]
    rules: Rules | None = None
    provenance: dict[str, Any] = field(default_factory=dict)


def _header_of(document: Any) -> AgentHeader:
    """The header of a parsed agent file; raises AgentFileError."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise AgentFileError(f'this is not an agent file: it has no "format": "{FORMAT}"')
    version, kind = document.get("version"), document.get("kind")
    if version != VERSION:
        raise AgentFileError(f"version {version!r} is unknown; this evolve reads {VERSION}")
    if not isinstance(kind, str) or kind not in KINDS:
        known = ", ".join(KINDS)
        fault = "says no kind" if kind is None else f"is of an unknown kind, {kind!r}"
        raise AgentFileError(f"it {fault}; this evolve reads {known}")
    try:
        return TypeAdapter(AgentHeader).validate_python({"name": kind, **document})
    except ValidationError as error:
        raise AgentFileError("; ".join(fault.text for fault in faults(error))) from error


def read_agent_file(path: Path, *, whole: bool = True) -> tuple[AgentHeader, Arrays]:
    """The header of a file, and its arrays; no arrays without `whole`.

    Raises AgentFileError, ValueError where it is neither JSON nor an archive with a JSON header,
    and OSError.
    """
    with path.open("rb") as file:
        packed = file.read(len(_ZIP)) == _ZIP
    if not packed:
        return _header_of(parse_json(read_document(path))), {}
    # Nothing is unpacked that is too large for an agent.
    arrays = read_arrays(path, _LARGEST, None if whole else _HEADER)
    header = arrays.pop(_HEADER, None)
    if header is None or header.dtype.kind != "U" or header.ndim != 0:
        raise ValueError(f"it holds no {_HEADER} of text")
    return _header_of(parse_json(str(header))), arrays


def read_header(path: Path) -> AgentHeader:
    """The header of an agent file, without making the agent: it loads no kernel and no array.

    Raises AgentFileError with the file's name and the fault.
    """
    with naming_file(path):
        return read_agent_file(path, whole=False)[0]


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Turn errors into AgentFileError that name the file."""
    try:
        yield
    except OSError as error:
        raise AgentFileError(f"{path}: {error.strerror or error}") from error
    except AgentFileError as error:
        raise AgentFileError(f"{path}: {error}") from error
    except ValueError as error:
        binary = isinstance(error, UnicodeDecodeError)
        why = "it is neither text nor .npz" if binary else error
        raise AgentFileError(f"{path}: this is not an agent file: {why}") from error


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write an archive, not packed, in one step; the same arrays always give the same bytes."""
    with replacing(path) as file:
        _pack(file, arrays, zipfile.ZIP_STORED)


def _pack(file: Any, arrays: Arrays, method: int) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue(), method)


def read_arrays(
    path: Path, largest: int | None = None, only: str | None = None
) -> dict[str, npt.NDArray[Any]]:
    """All arrays of an archive, or `only` one; OSError, or ValueError where it is damaged.

    Unpacks at most `largest` bytes; without a number, at most the size of the file itself, which
    suits an archive that is not packed.
    """
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            most = os.fstat(file.fileno()).st_size if largest is None else largest
            members = archive.infolist()
            if sum(member.file_size for member in members) > most:
                raise ValueError(f"it would unpack to more than {most} bytes")
            if len({member.filename for member in members}) < len(members):
                raise ValueError("it holds an array twice")
            # Read whole members, so that zipfile verifies the checksum of each.
            return {
                name: _array(archive.read(member))
                for member in members
                if only in (None, name := member.filename.removesuffix(".npy"))
            }
    # zipfile raises RuntimeError for encryption, and a kind of it for a packing unknown to it.
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise ValueError(str(error) or "it is cut off") from error


def _array(data: bytes) -> npt.NDArray[Any]:
    """An array from .npy bytes; ValueError where they are none."""
    try:
        array: npt.NDArray[Any] = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except Exception as error:  # numpy passes on any error of Python's parser
        raise ValueError(f"an array cannot be read: {error}") from error
    return array
