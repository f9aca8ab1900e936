"""Speed: what `evolve bench` measures, and the plain-Python agent it compares with."""
