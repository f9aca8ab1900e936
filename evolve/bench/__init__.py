"""Speed: what `evolve bench` measures."""
