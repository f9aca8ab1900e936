// What there is: kinds of runs with their tables, contests, rules. Asked of the server once, before the first page.

import { get } from "./api.js";

let found;

export async function learn() {
  found ??= await get("meta");
}

export const meta = () => found;
export const kindOf = (run) => found.kinds.find(({ name }) => name === run.kind);
export const tableOf = (run, table) => kindOf(run).tables.find(({ name }) => name === table) ?? kindOf(run).tables[0];
export const firstTable = (run) => kindOf(run).tables[0];
/** The rungs of a run's ladder; passed: below the interval of its champion, or of its strength until it has one. */
export function rungsOf({ rules, elo_low, elo_so_far_low }) {
  const rungs = found.rules.find(({ name }) => name === rules)?.rungs ?? [];
  return rungs.map((rung) => ({ ...rung, passed: rung.elo < (elo_low ?? elo_so_far_low ?? -Infinity) }));
}
export const signOf = (rules) => found.rules.find(({ name }) => name === rules)?.discs ?? 1;
export const goalOf = (rules) => found.rules.find(({ name }) => name === rules)?.goal;
export const isContest = (command) => found.contests.some(({ name }) => name === command);
