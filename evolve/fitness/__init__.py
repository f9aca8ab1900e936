"""Parts of the fitness evaluation: openings, batches of games, round robins, scores."""
