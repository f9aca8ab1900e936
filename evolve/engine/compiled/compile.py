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
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
import numba.np.linalg
import platformdirs
from numba.core import config
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.serialize import dumps

from evolve.engine.compiled.private import private_folder
from evolve.errors import EvolveError

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: Final[dict[str, Any]] = {"nogil": True, "error_model": "numpy", "no_rewrites": True}
"""For all functions. numba's rewrites take a fifteenth of the time, and the same code comes out."""

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
    """The folder for machine code; None with a warning where others, or nobody, can write to it.

    Machine code, and the pickles that hold it, can do anything.
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


_LONGEST_TURN: Final = 60.0
"""Most seconds to wait for a process that compiles a function: the largest take ten on a busy
machine, and one that fails never ends its turn."""


@contextlib.contextmanager
def _removed_on_failure(path: str) -> Iterator[None]:
    try:
        yield
    except BaseException:
        os.unlink(path)
        raise


class _Files:
    """The compiled versions of one function, one file each: a digest, then a pickle.

    They replace numba's index and data files: two processes that compile at the same time can mix
    those up, and a flipped bit in them ends in a crash inside LLVM. The name holds a hash of all
    that the version depends on, so that no index is needed.
    """

    def __init__(self, folder: Path, name: str, source: str) -> None:
        self._folder, self._name, self._source = folder, name, source

    def load(self, key: object) -> Any:
        """The data saved under a key, None if there is none; ValueError when it is damaged."""
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        digest = hashlib.sha256(content[32:]).digest()
        if digest != content[:32]:
            raise ValueError("the digest does not fit")
        return pickle.loads(content[32:])

    def save(self, key: object, data: object) -> None:
        """Save the data in one step; OSError where that fails."""
        pickled: Any = dumps  # numba has no types for it
        content: bytes = pickled(data)
        with (
            tempfile.NamedTemporaryFile(prefix=".writing-", dir=self._folder, delete=False) as file,
            _removed_on_failure(file.name),
        ):
            file.write(hashlib.sha256(content).digest() + content)
            file.close()  # Windows renames no open file
            os.replace(file.name, self._path(key))

    def _path(self, key: object) -> Path:
        whole = repr((numba.__version__, self._source, key)).encode()
        return self._folder / f"{self._name}.{hashlib.sha256(whole).hexdigest()[:32]}"


class _ForgivingCache(FunctionCache):
    """numba's cache with the files above; damaged versions are compiled and written again.

    It waits for a version that another process is compiling. Without that, two processes that began
    the tests together compiled for 68 seconds of CPU, 24 of them what the other compiled as well.
    A kernel never calls itself, so no two processes wait for each other.
    """

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        make: Any = super().__init__  # numba has no types for these
        make(function)
        name: str = cast(Any, self._impl).filename_base
        # numba takes the time of the file in place of its content: other checkouts compiled again.
        source = Path(function.__code__.co_filename).read_bytes()
        self._cache_file: Any = _Files(folder, name, hashlib.sha256(source).hexdigest())
        self._lock_path = folder / f".compiling-{name}"
        self._lock: Any = None

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled function from disk; None where this process must compile it."""
        found = self._loaded(signature, context)
        if found is None:
            from filelock import FileLock  # not above: it loads asyncio, which loading needs not

            self._lock = self._lock or FileLock(self._lock_path, timeout=_LONGEST_TURN)
            with contextlib.suppress(OSError):  # after a while, or where files cannot be locked
                self._lock.acquire()
            found = self._loaded(signature, context)
            if found is not None:
                self._end_turn()
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
            self._end_turn()

    def _end_turn(self) -> None:
        self._lock.release()
        if not self._lock.is_locked:  # a process that waits has the file open and needs no name
            with contextlib.suppress(OSError):
                self._lock_path.unlink(missing_ok=True)


@functools.cache
def _warn_once(text: str) -> None:
    """Warn for the first of many files only."""
    warnings.warn(text, RuntimeWarning, stacklevel=3)


@functools.cache
def address_of(function: Any, signature: Any) -> int:
    """Address of the C form of a kernel; compiles it if it is not compiled yet."""
    function.compile(signature)
    result = function.overloads[signature]
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))


def is_ready(kernel: Any) -> bool:
    """Whether a kernel is compiled, here or on disk, or never will be."""
    if numba_config.DISABLE_JIT:
        return True
    kept = "" if CACHE_DIR is None else CACHE_DIR.glob(f"{kernel._cache._impl.filename_base}.*")
    return any(kept) or bool(kernel.overloads)


def require_compiling() -> None:
    """EvolveError where numba must not compile: pointers and intrinsics need it."""
    if numba_config.DISABLE_JIT:
        raise EvolveError("NUMBA_DISABLE_JIT is set, and nothing here plays uncompiled: unset it")


class _Uncompiled:
    """A kernel where numba does not compile: what needs no kernel works all the same."""

    def __call__(self, *_: object) -> None:
        require_compiling()

    compile = __call__


def kernel(function: F, **options: Any) -> F:
    """Compile `function` with numba on first call: cached on disk, the GIL released.

    numba reads the cache folder when it makes the dispatcher; other numba code in the process keeps
    its own setting.
    """
    if numba_config.DISABLE_JIT:
        return cast(F, _Uncompiled())
    before = numba_config.CACHE_DIR
    try:
        if CACHE_DIR is not None:
            numba_config.CACHE_DIR = str(CACHE_DIR)
        jitted: Any = numba.njit(**_OPTIONS, **options)(function)
        if CACHE_DIR is not None:
            jitted._cache = _ForgivingCache(jitted.py_func, CACHE_DIR)
    finally:
        numba_config.CACHE_DIR = before
    return cast(F, jitted)


def wrapper(function: F) -> F:
    """Like `kernel`, but spliced into compiled callers before they are typed; for thin ones.

    numba compiles a kernel together with all that it calls, so every layer over the search
    costs the compilation of the search again. A wrapper is a layer for callers in Python alone.
    """
    return kernel(function, inline="always")


class _Part(JITCodeLibrary):
    """The code of a function that becomes a part of kernels, and is made machine code there only.

    numba makes machine code of each such function too, which nobody calls: with what it optimizes
    twice, a sixth of the time. The small ones are optimized before they become parts all the same:
    the exact search took 4 % more time where they were not.
    """

    def __init__(self, codegen: object, small: bool) -> None:
        make: Any = super().__init__  # numba has no types for these
        make(codegen, "part")
        self._small = small

    def _optimize_final_module(self) -> None:
        if self._small:
            optimize: Any = super()._optimize_final_module
            optimize()

    def _finalize_final_module(self) -> None:
        finalize: Any = self._finalize_dynamic_globals
        finalize()
        self._finalized = True


class _PartCompiler(Compiler):
    def __init__(self, *arguments: object) -> None:
        make: Any = super().__init__
        make(*arguments)
        context: Any = self.state.targetctx  # of this function alone
        self.state.library = _Part(context.codegen(), self.state.flags.forceinline)
        context.get_executable = _stand_in


def _stand_in(library: Any, *_: object) -> Any:
    """A new built-in function in place of a compiled one: numba knows each by its own."""
    library.finalize()
    return bytearray().append


def inner(function: F, **options: Any) -> F:
    """Like `kernel`, but for calls by kernels alone: no form for Python or C, and no file."""
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    options |= {"pipeline_class": _PartCompiler}
    return cast(F, numba.njit(**_OPTIONS, **options)(function))


def inlined(function: F) -> F:
    """Like `inner`, but always inlined by LLVM into its callers; for the small hot ones."""
    return inner(function, forceinline=True)
