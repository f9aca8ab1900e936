// A sweep: its trials, what matters for a good score, its rungs and its final.

import { path } from "../api.js";
import { BarChart, ParallelChart, Plot } from "../charts.js";
import { useCurve, useGet } from "../data.js";
import { percent } from "../format.js";
import { html, useState } from "../html.js";
import { Rows } from "../tables.js";
import { Select, Wait } from "../ui.js";

const OWN = ["number", "state", "score", "score_error", "seconds", "reports", "origin", "worker", "games", "agent", "reason"];
const AXES = 7;
const counts = (row) => Number.isFinite(row.score) && ["COMPLETE", "PRUNED"].includes(row.state);

function Sweep({ run }) {
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
    ${names.length > 0 && html`<${ParallelChart} title=${`Trials over their ${weights.length ? "most important " : ""}settings; the best 20 % stand out`} rows=${rows} score=${(row) => row.score}
      axes=${[...names.slice(0, AXES).map((name) => axis(name, rows)), { name: "score" }]} />`}`}
    ${run.verdict && html`<h2>The final</h2><p>${run.verdict}</p><${Rows} run=${run} table="final" />`}
    ${run.tables.includes("rungs") && html`<h2>Rungs</h2><${Rows} run=${run} table="rungs" />`}
  <//>`;
}

function parameters(rows, weights) {
  const all = Object.keys(rows[0] || {}).filter((name) => !OWN.includes(name) && new Set(rows.map((row) => row[name])).size > 1);
  const order = new Map(weights.map((one, place) => [one.parameter, place]));
  return all.sort((a, b) => (order.get(a) ?? Infinity) - (order.get(b) ?? Infinity));
}

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
  return html`<div><p class="filters"><${Select} name="Slice" value=${name} choices=${names.map((one) => [one, one])} onChange=${setChosen} /></p>
    <${Plot} title=${`Score by ${name}`} xName=${name} words=${words} series=${[{ name: "trials", dots: true, points: rows
      .map((row) => pointOf(row, words ? words.indexOf(String(row[name])) : row[name])).filter(({ x }) => Number.isFinite(x)) }]} /></div>`;
}

export const parts = { "": ["Overview", Sweep], trials: ["Trials", Rows] };
