"""Sweeps: Optuna studies over learning, over alpha-beta parameters and over evolution itself."""
