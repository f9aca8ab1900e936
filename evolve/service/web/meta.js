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
export const rungsOf = (rules) => found.rules.find(({ name }) => name === rules)?.rungs ?? [];
export const signOf = (rules) => found.rules.find(({ name }) => name === rules)?.discs ?? 1;
export const goalOf = (rules) => found.rules.find(({ name }) => name === rules)?.goal;
export const isContest = (command) => found.contests.some(({ name }) => name === command);
