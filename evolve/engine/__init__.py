"""Everything compiled, and the board: bits, evaluation, search, solver and whole games.

Kernels take scalars, arrays and addresses, check nothing, and release the GIL.
Input is checked above, once, where it enters.
"""
