"""Learning by games: networks, replay, trainers. Needs torch, the extra `learn`."""
