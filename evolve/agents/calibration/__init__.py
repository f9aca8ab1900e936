"""What is measured of agents: ratings, levels, rungs of ladders, their values in discs."""
