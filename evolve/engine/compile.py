"""How kernels are compiled and where the machine code is kept.

numba's own cache notices a change in the module of a function, but not in the modules that
the function calls. The cache folder is therefore keyed to a hash of every engine source.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import platformdirs
from numba.core import config
from numba.core.caching import FunctionCache

F = TypeVar("F", bound=Callable[..., Any])

numba_config: Any = config  # its settings are made at run time


def _sources_hash() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_dir() -> Path | None:
    """The folder for machine code, or None (with a warning) when it cannot be written to."""
    root = os.environ.get("EVOLVE_CACHE_DIR") or platformdirs.user_cache_dir("evolve")
    folder = Path(root) / f"kernels-{_sources_hash()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        warnings.warn(
            f"compiled kernels cannot be kept in {folder} ({error.strerror}): every start compiles "
            "again; set EVOLVE_CACHE_DIR to a writable folder",
            RuntimeWarning,
            stacklevel=2,
        )
        return None


CACHE_DIR = _cache_dir()


class _ForgivingCache(FunctionCache):
    """numba's cache, but for damaged files: they are thrown away and written anew."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled function from disk, or None."""
        try:
            load: Any = super().load_overload  # numba has no types for these
            return load(signature, context)
        except Exception as error:  # unpickling what is damaged may raise anything
            warnings.warn(
                f"a compiled kernel in {CACHE_DIR} was damaged and is made anew: {error!r}",
                RuntimeWarning,
                stacklevel=2,
            )
            flush: Any = self.flush
            flush()
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep the compiled function, where there is room for it."""
        save: Any = super().save_overload
        try:
            save(signature, data)
        except OSError as error:
            warnings.warn(
                f"a compiled kernel cannot be kept in {CACHE_DIR}: {error.strerror}",
                RuntimeWarning,
                stacklevel=2,
            )


def kernel(function: F) -> F:
    """Compile `function` with numba on first call: cached on disk, the GIL released."""
    return _jitted(function)


def wrapper(function: F) -> F:
    """Like `kernel`, but spliced into compiled callers before they are typed; for thin ones.

    numba compiles a kernel together with all that it calls, so every layer over the search
    costs the compilation of the search again. A wrapper is a layer for callers in Python alone.
    """
    return _jitted(function, inline="always")


def _jitted(function: F, **options: Any) -> F:
    """numba reads its cache folder when the dispatcher is made, so the global setting is changed
    for that moment alone and other numba code in the process keeps its own."""
    before = numba_config.CACHE_DIR
    try:
        if CACHE_DIR is not None:
            numba_config.CACHE_DIR = str(CACHE_DIR)
        jitted: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
        if CACHE_DIR is not None:
            cache: Any = _ForgivingCache
            jitted._cache = cache(jitted.py_func)
    finally:
        numba_config.CACHE_DIR = before
    return cast(F, jitted)


def inlined(function: F) -> F:
    """Like `kernel`, but always inlined by LLVM into its callers; for the small hot ones."""
    options: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # no calls from Python
    jitted = numba.njit(nogil=True, forceinline=True, error_model="numpy", **options)(function)
    return cast(F, jitted)
