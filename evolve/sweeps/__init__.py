"""Sweeps: Optuna studies over learning, over alpha-beta parameters and over evolution itself."""

import warnings

# Of tqdm, which Optuna imports: in a notebook it misses widgets, which nothing here shows.
warnings.filterwarnings("ignore", "IProgress not found")
