"""Search by evaluation to a depth, exactly to the end, and by trees of simulations."""
