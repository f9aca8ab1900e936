// Documents of the API as state of a component: fetched, kept, fetched again when the server says so.

import { get, path } from "./api.js";
import { useEvents } from "./events.js";
import { useCallback, useEffect, useRef, useState } from "./html.js";
import { firstTable, kindOf } from "./meta.js";

/**
 * The document at a path; `change(fn)` puts fn(data) in its place; `keep` shows it until another one has come.
 * A document may be older than the events that come while it is on its way: their changes are made to it, too.
 */
export function useGet(where, { keep = false } = {}) {
  const [state, setState] = useState({});
  const [turn, setTurn] = useState(0);
  const since = useRef(null); // while the document is on its way
  useEffect(() => {
    if (!where) return undefined;
    const abort = new AbortController();
    since.current = [];
    get(where, abort.signal).then(
      (data) => {
        if (abort.signal.aborted) return;
        setState({ where, data: since.current.reduce((known, fn) => fn(known), data) });
        since.current = null;
      },
      (error) => {
        if (abort.signal.aborted) return;
        setState((old) => ({ where, error, data: old.where === where ? old.data : undefined }));
        since.current = null;
      },
    );
    return () => abort.abort();
  }, [where, turn]);
  const reload = useCallback(() => setTurn((old) => old + 1), []);
  useEvents((event) => event.name === "again" && reload());
  const change = useCallback((fn) => {
    since.current?.push(fn);
    setState((old) => (old.data ? { ...old, data: fn(old.data) } : old));
  }, []);
  const current = where && state.where === where;
  const { data, error } = current || (keep && where) ? state : {};
  return { data, error: current ? error : undefined, loading: Boolean(where) && !current, reload, change };
}

/** A list by pages: {items, total, columns} in place of data; `more()` gets the next page, null at the end. */
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

const POINTS = 400;
const CALM = 500;

/** Calls `act` once things are calm: at most twice a second, and after the last call. */
function useCalm(act) {
  const latest = useRef(act);
  const timer = useRef(null);
  latest.current = act;
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      latest.current();
    }, CALM);
  };
}

/** Put new rows of a run into its table. A new rating changes earlier ones, so `refresh` loads them again. */
function useNewRows(run, change, append, refresh) {
  const { id } = run;
  const { event } = kindOf(run);
  const { key } = firstTable(run);
  const smooth = useCalm(refresh);
  useEvents(({ name, data }) => {
    if (name !== event || data.run !== id) return;
    change((items) => {
      const known = items.some((row) => row[key] === data.row[key]);
      if (!known) return append(items, data.row[key]) ? [...items, data.row] : items;
      return items.map((row) => (row[key] === data.row[key] ? data.row : row));
    });
    if (Number.isFinite(data.row.rating)) smooth();
  });
}

export function useTable(run) {
  const { key, name } = firstTable(run);
  const pages = usePages(path(["runs", run.id, name], { limit: 50 }));
  useNewRows(run, pages.change, () => !pages.more, () => get(path(["runs", run.id, name], { limit: 500 })).then(({ items: fresh }) => {
    const byKey = new Map(fresh.map((row) => [row[key], row]));
    pages.change((items) => items.map((row) => byKey.get(row[key]) ?? row));
  }, () => {})); // without an answer the rows stay as they are
  return { ...pages, id: key };
}

/** The same evenly thinned, for curves: {data: rows}. It is fetched again once twice as many have come. */
export function useCurve(run, points = POINTS) {
  const { data, change, ...found } = useGet(path(["runs", run.id, firstTable(run).name], { points }));
  useNewRows(run, (fn) => change((page) => ({ ...page, items: fn(page.items) })), (items, next) => {
    const missed = items.length && next > items.at(-1)[firstTable(run).key] + 1; // while the others were fetched
    if (missed || items.length === 2 * points) found.reload();
    return true;
  }, found.reload);
  return { ...found, data: data?.items };
}

export const hasValues = (rows, column) => rows.some((row) => Number.isFinite(row[column]));

/** A column as a series of a chart: with its band where the table has one. */
export function seriesOf(rows, column, name, x) {
  return { name, points: rows.map((row) => ({ x: row[x], y: row[column], low: row[`${column}_low`], high: row[`${column}_high`] })) };
}

/** A course, the mean of a setting's runs, as a series of a chart. */
export function courseSeries({ name, label, x, y, low, high }) {
  return { name, label, points: x.map((value, index) => ({ x: value, y: y[index], low: low[index], high: high[index] })) };
}
