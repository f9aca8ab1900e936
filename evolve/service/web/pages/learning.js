// A training: curves with their bands, the table of checks. A sweep: history, slices, importances, parallel
// coordinates, the table of trials, its rungs.

import { path } from "../api.js";
import { BarChart, Curves, ParallelChart, Plot } from "../charts.js";
import { useCurve, useGet, usePages, useTable } from "../data.js";
import { percent } from "../format.js";
import { html, useState } from "../html.js";
import { PagedTable, Select, Wait } from "../ui.js";

const CHARTS = [
  { title: "Elo on the ladder", columns: [["elo", "Elo"]] },
  { title: "Score", columns: [["score", "score"]], range: [0, 1], text: percent },
  { title: "Scores against the panel", columns: [["random", "random"], ["depth_1", "depth 1"], ["depth_2", "depth 2"]], range: [0, 1], text: percent },
  { title: "Loss", columns: [["loss", "loss"]] },
  { title: "Weights that games have visited", columns: [["visited", "share"]], range: [0], text: percent },
];
const OVER = [["games", "games"], ["cpu_seconds", "CPU seconds"], ["check", "checks"]];

export function Training({ run }) {
  const curve = useCurve(run);
  const [over, setOver] = useState("games");
  return html`<${Select} name="Over" value=${over} choices=${OVER} onChange=${setOver} />
    <${Wait} of=${curve}>${curve.data && html`<${Curves} rows=${curve.data} charts=${CHARTS} x=${OVER.find(([name]) => name === over)} />`}<//>`;
}

/** The whole table, without columns that nothing is in. */
export function Rows({ run }) {
  const pages = useTable(run);
  const used = ({ name }) => (pages.items || []).some((row) => row[name] !== null && row[name] !== undefined);
  return html`<${PagedTable} pages=${pages} name="rows" pick=${used} />`;
}

const OWN = ["number", "state", "score", "score_error", "seconds", "reports", "origin", "worker", "agent", "reason"];
const AXES = 7;
const counts = (row) => Number.isFinite(row.score) && ["COMPLETE", "PRUNED"].includes(row.state);

export function Sweep({ run }) {
  const curve = useCurve(run, 1000);
  const importances = useGet(path(["runs", run.id, "importances"]));
  const rows = (curve.data || []).filter(counts);
  const weights = importances.data?.items || [];
  const names = parameters(rows, weights);
  return html`<${Wait} of=${curve}>
    ${rows.length === 0 && html`<p class="quiet">No trial has ended yet.</p>`}
    ${rows.length > 0 && html`<div class="charts">
      <${History} rows=${rows} />
      ${names.length > 0 && html`<${Slice} rows=${rows} names=${names} />`}
      ${weights.length > 0 && html`<${BarChart} title="Importance of the settings" text=${percent} 
        bars=${weights.slice(0, 12).map(({ parameter, share, p }) => ({ name: parameter, value: share, faint: p > 0.05 }))} />`}
    </div>
    ${weights.length > 0 && html`<p class="quiet">Pale: chance alone may give as much.</p>`}
    ${importances.data?.why && html`<p class="quiet">${importances.data.why}</p>`}
    ${names.length > 0 && html`<${ParallelChart} title="Trials over their most important settings; the best 20 % stand out" rows=${rows} score=${(row) => row.score}
      axes=${[...names.slice(0, AXES).map((name) => axis(name, rows)), { name: "score" }]} />`}`}
    <${Rungs} run=${run} />
  <//>`;
}

function parameters(rows, weights) {
  const all = Object.keys(rows[0] || {}).filter((name) => !OWN.includes(name) && new Set(rows.map((row) => row[name])).size > 1);
  const order = new Map(weights.map((one, place) => [one.parameter, place]));
  return all.sort((a, b) => (order.get(a) ?? Infinity) - (order.get(b) ?? Infinity));
}

/** An axis of a setting; where it has words or yes and no, with them in order. */
function axis(name, rows) {
  const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
  return values.every((value) => typeof value === "number") ? { name } : { name, words: [...new Set(values.map(String))].sort() };
}

const pointOf = (row, x) => ({ x, y: row.score, faint: row.state === "PRUNED" });

function History({ rows }) {
  let top = -Infinity;
  const sorted = [...rows].sort((a, b) => a.number - b.number);
  const best = sorted.filter((row) => row.state === "COMPLETE").map((row) => ({ x: row.number, y: (top = Math.max(top, row.score)) }));
  return html`<${Plot} title="Score of each trial" xName="trial" series=${[
    { name: "trial (pale: pruned)", dots: true, points: sorted.map((row) => pointOf(row, row.number)) }, { name: "best so far", points: best }]} />`;
}

function Slice({ rows, names }) {
  const [chosen, setChosen] = useState("");
  const name = names.includes(chosen) ? chosen : names[0];
  const { words } = axis(name, rows);
  return html`<div><${Select} name="Slice" value=${name} choices=${names.map((one) => [one, one])} onChange=${setChosen} />
    <${Plot} title=${`Score by ${name}`} xName=${name} words=${words} series=${[{ name: "trials", dots: true, points: rows
      .map((row) => pointOf(row, words ? words.indexOf(String(row[name])) : row[name])).filter(({ x }) => Number.isFinite(x)) }]} /></div>`;
}

function Rungs({ run }) {
  const wanted = run.tables.includes("rungs");
  const pages = usePages(wanted ? path(["runs", run.id, "rungs"], { limit: 50 }) : null);
  if (!wanted) return null;
  return html`<h2>Rungs</h2><${PagedTable} pages=${pages} name="rungs" />`;
}
