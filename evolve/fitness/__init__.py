"""Games as a measure of strength: openings, batches of games, round robins, intervals."""
