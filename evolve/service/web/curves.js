// A run's first table as curves: its rows, evenly thinned, and those that arrive meanwhile.

import { path } from "./api.js";
import { useGet } from "./data.js";
import { useEvents } from "./events.js";

export const TABLES = { run: "generations", train: "metrics", sweep: "trials" };
const EVENTS = { run: "generation", train: "check", sweep: "trial" };
const KEYS = { run: "generation", train: "check", sweep: "number" };
const POINTS = 400;

/** The rows of a run of a kind; they are fetched again once twice as many have come. */
export function useCurve(id, kind, points = POINTS) {
  const found = useGet(id && kind ? path(["runs", id, TABLES[kind]], { points }) : null);
  const key = KEYS[kind];
  useEvents(({ name, data }) => {
    if (name !== EVENTS[kind] || data.run !== id || !found.data) return;
    if (found.data.items.length >= 2 * points) found.reload();
    found.change((page) => ({ ...page, items: [...page.items.filter((row) => row[key] !== data.row[key]), data.row] }));
  });
  return found;
}

/** A column as a series of a chart: with its band where the table has one. */
export function seriesOf(rows, column, name, x = "generation") {
  const low = `${column}_low`;
  const high = `${column}_high`;
  return { name, points: rows.map((row) => ({ x: row[x], y: row[column], low: row[low], high: row[high] })) };
}

export const hasValues = (rows, column) => rows.some((row) => Number.isFinite(row[column]));
