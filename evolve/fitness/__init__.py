"""What an evolution asks for: openings, batches of games, round robins, scores."""
