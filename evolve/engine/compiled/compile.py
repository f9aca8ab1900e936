"""How kernels are compiled and where the machine code is stored.

numba's own cache notices a change in a function's module, but not in the modules of the functions
that it calls. The name of the cache folder therefore holds a hash of every engine source.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
import pickle
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
import numba.np.linalg
import platformdirs
from numba.core import config
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from evolve.engine.compiled.private import private_folder

F = TypeVar("F", bound=Callable[..., Any])

numba_config: Any = config  # numba makes its settings at run time


def _load_without_blas() -> None:
    """Load numba's array functions without scipy.linalg, which takes 0.1 s and 27 MB.

    When loaded, they check that SciPy has a BLAS. SciPy is required, so the answer is yes, and no
    kernel calls a BLAS. Other compiled code that calls one loads it then.
    """
    linalg: Any = numba.np.linalg
    before = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = before


_load_without_blas()


@functools.cache
def sources_hash() -> str:
    """Hash of every engine source, as this process first read it.

    The same hash means the same games.
    """
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.parent.rglob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_dir() -> Path | None:
    """The folder for machine code, or None with a warning.

    It is None where the folder is not writable, or where others can write to it: machine code, and
    the pickles that hold it, can do anything. Neither is an error: only time is lost, and a start
    that fails because of a shared disk is worse than one that compiles.
    """
    root = os.environ.get("EVOLVE_CACHE_DIR") or platformdirs.user_cache_dir("evolve")
    folder = Path(root) / f"kernels-{sources_hash()}"
    try:
        folder = private_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        warnings.warn(
            f"compiled kernels cannot be kept in {folder} ({error.strerror}): every start compiles "
            "again; set EVOLVE_CACHE_DIR to a folder that you alone can write to",
            RuntimeWarning,
            stacklevel=2,
        )
        return None


CACHE_DIR = _cache_dir()


class _Files:
    """The compiled versions of one function, one file each: a digest, then a pickle.

    They replace numba's index and data files: two processes that compile at the same time can mix
    those up, and a flipped bit in them ends in a crash inside LLVM. The name holds a hash of all
    that the version depends on, so that no index is needed.
    """

    def __init__(self, folder: Path, name: str, stamp: object) -> None:
        self._folder, self._name, self._stamp = folder, name, stamp

    def load(self, key: object) -> Any:
        """The data saved under a key, None if there is none; ValueError when it is damaged."""
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        if _digest(content[_DIGEST:]) != content[:_DIGEST]:
            raise ValueError("the digest does not fit")
        known, data = pickle.loads(content[_DIGEST:])
        return data if known == key else None

    def save(self, key: object, data: object) -> None:
        """Save the data in one step; OSError where that fails."""
        pickled: Any = dumps  # numba has no types for it
        content: bytes = pickled((key, data))
        handle, temporary = tempfile.mkstemp(prefix=".writing-", dir=self._folder)
        try:
            with open(handle, "wb") as file:
                file.write(_digest(content) + content)
            os.replace(temporary, self._path(key))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise

    def flush(self) -> None:
        """Remove all versions."""
        for path in self._folder.glob(f"{self._name}.*"):
            path.unlink(missing_ok=True)

    def _path(self, key: object) -> Path:
        whole = repr((numba.__version__, self._stamp, key)).encode()
        return self._folder / f"{self._name}.{hashlib.sha256(whole).hexdigest()[:32]}"


_DIGEST = hashlib.sha256().digest_size


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


class _Turn:
    """One process's turn to compile a function, while others wait for the result.

    A kernel never calls itself, so no two processes wait for each other. A process that ends gives
    its turn back. One that fails to compile keeps it, and others wait in vain: therefore the wait
    is short.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, cast(Any, None)

    def wait(self) -> None:
        """Take the turn, or give up where files cannot be locked, or after a while."""
        import filelock  # not above: it loads asyncio, which loading alone does not need

        lock: Any = self._lock or filelock.FileLock(self._path, timeout=_LONGEST_TURN)
        with contextlib.suppress(OSError):
            lock.acquire()
            self._lock = lock

    def end(self) -> None:
        """Give the turn back."""
        if self._lock is not None:
            self._lock.release()
            if not self._lock.is_locked:
                # A waiting process has the file open, looks for the kernel first, and finds it.
                # Windows removes no file that another process has open.
                with contextlib.suppress(OSError):
                    self._path.unlink(missing_ok=True)


_LONGEST_TURN: Final = 60.0
"""Most seconds of a turn: the largest kernels compile for ten on a busy machine."""


class _ForgivingCache(FunctionCache):
    """numba's cache with the files above; damaged versions are compiled and written again.

    It waits for a version that another process is compiling. Without that, two processes that began
    the tests together compiled for 68 seconds of CPU, 24 of them what the other compiled as well.
    """

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        make: Any = super().__init__  # numba has no types for these
        make(function)
        impl: Any = self._impl
        stamp = impl.locator.get_source_stamp()
        self._cache_file: Any = _Files(folder, impl.filename_base, stamp)
        self._turn = _Turn(folder / f".compiling-{impl.filename_base}")

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled function from disk; None where this process must compile it."""
        found = self._loaded(signature, context)
        if found is None:
            self._turn.wait()
            found = self._loaded(signature, context)
            if found is not None:
                self._turn.end()
        return found

    def _loaded(self, signature: Any, context: Any) -> Any:
        try:
            load: Any = super().load_overload
            return load(signature, context)
        except Exception:  # unpickling files of another Python or numpy may raise any error
            _warn_once(f"compiled kernels in {CACHE_DIR} were damaged; they are made anew")
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Save the compiled function if there is room for it."""
        save: Any = super().save_overload
        try:
            save(signature, data)
        except OSError as error:
            _warn_once(f"compiled kernels cannot be kept in {CACHE_DIR}: {error.strerror}")
        finally:
            self._turn.end()


@functools.cache
def _warn_once(text: str) -> None:
    """Warn for the first of many files only."""
    warnings.warn(text, RuntimeWarning, stacklevel=3)


def kernel(function: F) -> F:
    """Compile `function` with numba on first call: cached on disk, the GIL released."""
    return _jitted(function)


_addressing = threading.Lock()


@functools.cache
def address_of(function: Any, signature: Any) -> int:
    """Address of the C form of a kernel; compiles it if it is not compiled yet."""
    with _addressing:  # otherwise two threads could compile at once
        function.compile(signature)
        result = function.overloads[signature]
        return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))


def wrapper(function: F) -> F:
    """Like `kernel`, but spliced into compiled callers before they are typed; for thin ones.

    numba compiles a kernel together with all that it calls, so every layer over the search
    costs the compilation of the search again. A wrapper is a layer for callers in Python alone.
    """
    return _jitted(function, inline="always")


def _jitted(function: F, **options: Any) -> F:
    """Compile with numba's cache folder set for this moment only.

    numba reads the setting when it makes the dispatcher; other numba code in the process keeps its
    own setting.
    """
    before = numba_config.CACHE_DIR
    try:
        if CACHE_DIR is not None:
            numba_config.CACHE_DIR = str(CACHE_DIR)
        jitted: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
        if CACHE_DIR is not None:
            jitted._cache = _ForgivingCache(jitted.py_func, CACHE_DIR)
    finally:
        numba_config.CACHE_DIR = before
    return cast(F, jitted)


def inner(function: F) -> F:
    """Like `kernel`, but for calls by kernels alone: no form for Python or C, and no file."""
    return _inner(function)


def inlined(function: F) -> F:
    """Like `inner`, but always inlined by LLVM into its callers; for the small hot ones."""
    return _inner(function, forceinline=True)


def _inner(function: F, **options: Any) -> F:
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(F, numba.njit(nogil=True, error_model="numpy", **options)(function))
