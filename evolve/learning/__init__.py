"""Learning by games: networks, which need torch (the extra `learn`), and patterns, which do not."""
