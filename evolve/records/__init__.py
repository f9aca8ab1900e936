"""Games and positions as files that other programs read and write: OBF, GGF, moves, WTHOR."""
