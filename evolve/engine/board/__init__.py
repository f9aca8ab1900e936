"""The game: rules, squares, boards, moves and flips on bitboards, symmetries."""
