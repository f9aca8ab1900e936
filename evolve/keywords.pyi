"""The settings that Python calls take, made from models by `benchmarks.keywords`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from evolve.agents.agent import Agent
from evolve.engine.board.rules import Rules
from evolve.population.genome import Encoding


class StudyKeywords(TypedDict, total=False):
    preset: Literal['tuned', 'published']
    rules: Rules
    generations: int
    population: int
    algorithm: str
    encoding: str | Encoding
    phases: int
    boundaries: Sequence[int] | int | str
    tie: Sequence[str]
    terms: Sequence[str]
    bounds: Mapping[str, Any]
    fix: Mapping[str, Any]
    start_from: str | None
    openings: Literal['pair', 'shared', 'start']
    opening_plies: int
    openings_per_pair: int
    opponents: int | None
    move_budget: int
    fitness: str | Callable[..., Any]
    survivors: float
    newcomers: float
    selection: str | Callable[..., Any]
    survival: str | Callable[..., Any]
    crossover: str | Callable[..., Any]
    crossover_rate: float
    blend: float
    eta: float
    mutation: str | Callable[..., Any]
    mutation_rate: float
    mutation_size: float
    depth_mutation: str | Callable[..., Any]
    panel: Literal['ladder', 'fixed']
    panel_every: int
    panel_openings: int
    playoff_openings: int
    hall_of_fame: int
    patience: int | None
    until_rest: bool
    time_limit: float | None


class EvolutionKeywords(StudyKeywords, total=False):
    seed: int


class TrainingKeywords(TypedDict, total=False):
    rules: Rules
    seed: int
    budget: float | None
    games: int | None
    input: Literal['canonical', 'planes', 'mobility', 'coloured', 'coloured-move']
    games_per_iteration: int
    window: int
    batch: int
    updates: float
    learning_rate: float
    decay: float
    weight_decay: float
    augment: bool
    openings: int
    endgame: int
    check_every: int
    panel_openings: int
    patience: int | None
    device: Literal['auto', 'cpu', 'cuda']
    preset: Literal['default', 'swept', 's2-dqn', 's2-dueling', 's2-minimax-dueling', 's3-dqn', 's3-double', 's3-dueling', 's5-network1', 's5-network2'] | Literal['default', 'swept', 's3-mcts', 's4-reversiv'] | Literal['default', 'quick', 'strong', 'record-size', 'evolved']
    layers: Sequence[str]
    networks: int
    bootstrap: Literal['own', 'negamax']
    steps: int
    gamma: float
    double: bool
    target_period: int
    others_zero: bool
    reward: Literal['none', 'outcome', 'halves', 'share', 'difference']
    shaping: float
    positional: float
    minimax: bool
    opponents: Mapping[str, Any]
    both_sides: bool
    past: int
    random_first: float
    survival: int
    survival_games: int
    epsilon: float
    epsilon_end: float
    lookahead: int
    simulations: int
    c_puct: float
    noise: float
    temperature: float
    temperature_plies: int
    solved: int
    reuse: bool
    solve_by: Literal['visits', 'value']
    root_value: float
    first_ply: int
    accept: bool
    accept_against: Sequence[str]
    accept_games: int
    play_simulations: int
    play_c_puct: float
    check_simulations: int
    shapes: Sequence[str]
    phases: int
    start_from: str | None
    greedy: float
    trace: float
    rate: float
    search_depth: int
    search_trace: float
    search_share: float
    search_solved: int
    search_rate: float
    duels: float
    duel_depths: Sequence[int] | int | str
    duel_plies: Sequence[int] | int | str
    duel_noise: float
    duel_rate: float
    duels_a_step: int
    duel_shapes: Sequence[str]
    checks: int
    depth: int
    probcut: float
    probcut_positions: int


class SweepKeywords(TypedDict, total=False):
    rules: Rules
    seed: int
    trials: int
    timeout: float | None
    budget: float | None
    sampler: Literal['tpe', 'cma', 'gp', 'spsa', 'random']
    pruner: Literal['median', 'race', 'halving', 'none']
    startup: int
    start_from: str | None
    reports: int
    panel: Sequence[str]
    panel_openings: int
    finalists: int
    final_openings: int | None
    retest: int
    space: Mapping[str, Any]
    fix: Mapping[str, Any]
    require: Sequence[str]
    program: str
    set_by: Literal['env', 'gtp'] | None
    set_command: str
    objective: Literal['self', 'panel']
    pairs: int
    games: int | None


class MatchKeywords(TypedDict, total=False):
    openings: str
    opening_plies: int | None
    seed: int
    rules: Rules | None
    games: int | None
    sprt: str | Sequence[float | str] | None
    alpha: float
    beta: float


class RateKeywords(TypedDict, total=False):
    openings: str
    opening_plies: int | None
    seed: int
    rules: Rules | None
    against: Sequence[Agent | str | Path] | str
    elos: Sequence[float]
    games: int
