"""What compares any agents: matches, tournaments, ratings, sequential tests, panels."""
