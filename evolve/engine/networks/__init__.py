"""Networks as data, their outputs, and moves by their values."""
