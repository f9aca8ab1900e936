"""Compare agents of any kind: matches, tournaments, ratings, sequential tests, panels."""
