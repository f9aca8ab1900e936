"""The benchmarks and what they keep: sound, and of the shipped weights."""
