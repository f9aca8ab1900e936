"""Parameters that several routes take."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from evolve.service.models.common import RUN_ID

RunId = Annotated[str, Path(pattern=RUN_ID)]
Text = Annotated[str | None, Query(max_length=200)]
