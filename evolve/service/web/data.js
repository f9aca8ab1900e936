// Documents of the API as state of a component: fetched, kept, fetched again when the server says so;
// a run's first table as curves.

import { get, path } from "./api.js";
import { useEvents } from "./events.js";
import { useCallback, useEffect, useState } from "./html.js";

/**
 * The document at a path; nothing where there is no path.
 * Gives {data, error, loading, reload, change}: `change(fn)` puts fn(data) in its place.
 * `keep`: what was there stays until the document of another path has come.
 */
export function useGet(where, { keep = false } = {}) {
  const [state, setState] = useState({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!where) return undefined;
    const abort = new AbortController();
    get(where, abort.signal).then(
      (data) => abort.signal.aborted || setState({ where, data }),
      (error) => abort.signal.aborted
        || setState((old) => ({ where, error, data: old.where === where ? old.data : undefined })),
    );
    return () => abort.abort();
  }, [where, turn]);
  const reload = useCallback(() => setTurn((old) => old + 1), []);
  useEvents((event) => event.name === "again" && reload());
  const change = useCallback((fn) => setState((old) => (old.data ? { ...old, data: fn(old.data) } : old)), []);
  const current = where && state.where === where;
  const { data, error } = current || (keep && where) ? state : {};
  return { data, error: current ? error : undefined, loading: Boolean(where) && !current, reload, change };
}

/**
 * A list by pages: what useGet gives, with {items, total, columns, more} in place of data. `more` is to be
 * called for the next page; null at the list's end. `change(fn)` changes the items.
 */
export function usePages(where) {
  const { data, change, ...first } = useGet(where, { keep: true });
  const more = async () => {
    const page = await get(`${where}${where.includes("?") ? "&" : "?"}after=${encodeURIComponent(data.next)}`);
    change((old) => (old.next === data.next ? { ...old, ...page, items: [...old.items, ...page.items] } : old));
  };
  return { ...first, ...data, more: data?.next && !first.loading ? more : null, change: (fn) => change((old) => ({ ...old, items: fn(old.items) })) };
}

export function useRested(value, milliseconds = 300) {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return rested;
}

const TABLES = { run: "generations", train: "metrics", sweep: "trials" };
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
