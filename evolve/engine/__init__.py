"""Everything compiled, and the board: bits, evaluation, search, solver and whole games.

Kernels take scalars, arrays and addresses, check nothing, and release the GIL. Code above them
checks each input once, where it enters.
"""
