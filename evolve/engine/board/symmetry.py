"""The eight symmetries of the board, on arrays of bitboards."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine.board.bits import ONE, ZERO, U
from evolve.engine.compiled.compile import inlined, kernel
from evolve.engine.compiled.intrinsics import lowest

_Bitboards = npt.NDArray[np.uint64]


def _swap(bits: _Bitboards, mask: int, shift: int) -> _Bitboards:
    """Swap the bits under `mask` with those `shift` above them."""
    difference: _Bitboards = (bits ^ (bits >> U(shift))) & U(mask)
    swapped: _Bitboards = bits ^ difference ^ (difference << U(shift))
    return swapped


def _mirror_rows(bits: _Bitboards) -> _Bitboards:
    """Exchange row 1 with row 8, and so on."""
    return bits.byteswap()


def transpose(bits: _Bitboards) -> _Bitboards:
    """Exchange columns with rows: b1 with a2, and so on."""
    bits = _swap(bits, 0x00AA00AA00AA00AA, 7)
    bits = _swap(bits, 0x0000CCCC0000CCCC, 14)
    return _swap(bits, 0x00000000F0F0F0F0, 28)


def symmetries(bits: _Bitboards) -> list[_Bitboards]:
    """All eight images of each bitboard; the first is the bitboard itself."""
    images = []
    for image in (bits, transpose(bits)):
        mirrored = _mirror_rows(image)
        turned = _mirror_rows(transpose(mirrored))
        images += [image, mirrored, turned, _mirror_rows(turned)]
    return images


def _square_images() -> npt.NDArray[np.int8]:
    ones = U(1) << np.arange(64, dtype=np.uint64)
    images = np.stack(symmetries(ones))
    return np.log2(images.astype(np.float64)).astype(np.int8)


SQUARE_IMAGES: Final = _square_images()
"""The image of every square under each of the symmetries, [8, 64]."""


@inlined
def image_of(bits: np.uint64, number: int) -> np.uint64:
    """The image of a bitboard under one of the symmetries."""
    image = ZERO
    while bits != ZERO:
        image |= ONE << U(SQUARE_IMAGES[number, lowest(bits)])
        bits &= bits - ONE
    return image


@kernel
def turn_all(
    positions: npt.NDArray[np.uint64],
    images: npt.NDArray[np.int8],
    turned: npt.NDArray[np.uint64],
) -> None:
    """Fill turned [N, K] with images number `images` [N] of bitboards [N, K]."""
    for number in range(positions.shape[0]):
        for column in range(positions.shape[1]):
            turned[number, column] = image_of(positions[number, column], images[number])


def images_of(positions: _Bitboards, images: npt.NDArray[np.int8]) -> _Bitboards:
    """Images number `images` [N] of bitboards [N, K]."""
    turned = np.empty_like(positions)
    turn_all(positions, images, turned)
    return turned


def canonical(positions: _Bitboards) -> _Bitboards:
    """For each of the positions [N, 2] the lowest of its eight images by (own, opp)."""
    best_own, best_opp = positions[:, 0].copy(), positions[:, 1].copy()
    pairs = zip(symmetries(positions[:, 0]), symmetries(positions[:, 1]), strict=True)
    for own, opp in pairs:
        less = (own < best_own) | ((own == best_own) & (opp < best_opp))
        best_own[less], best_opp[less] = own[less], opp[less]
    return np.stack([best_own, best_opp], axis=1)
