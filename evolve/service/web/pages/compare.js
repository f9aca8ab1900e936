// Runs side by side: their curves over one another, how they differ, and a match between their champions.

import { path } from "../api.js";
import { Plot } from "../charts.js";
import { hasValues, seriesOf, useCurve, useGet } from "../data.js";
import { Launch } from "./new.js";
import { cell, interval, label } from "../format.js";
import { html, useEffect, useState } from "../html.js";
import { Watched } from "../jobs.js";
import { MatchResult } from "./job.js";
import { go, to } from "../router.js";
import { IdList, Select, Table, Wait } from "../ui.js";

const MOST = 6;
const CURVES = {
  run: ["rating", "panel_elo", "panel_score", "past_score", "best_score", "mean_score", "over_budget", "seconds"],
  train: ["elo", "score", "loss", "visited"],
  sweep: ["score"],
};
const X = { run: "generation", train: "games", sweep: "number" };

export default function Compare({ query }) {
  const ids = query.getAll("run").slice(0, MOST);
  const together = useGet(ids.length ? path(["compare"], { run: ids }) : null, { keep: true });
  const runs = together.data?.runs.filter((run) => ids.includes(run.id)) || [];
  return html`<h1>Compare runs</h1>
    <${IdList} of="runs" name="Run" chosen=${ids} onChange=${(chosen) => go(to(["compare"], { run: chosen, job: query.get("job") }))} href=${(id) => to(["run", id])} />
    ${ids.length < 2 && html`<p class="quiet">Choose two runs or more.</p>`}
    ${ids.length > 0 && html`<${Wait} of=${together}>
      ${runs.length > 0 && html`<${Curves} runs=${runs} />`}
      ${runs.length > 1 && html`<${Differences} runs=${runs} comparison=${together.data} /><${PlayOff} runs=${runs} query=${query} />`}
    <//>`}`;
}

function Curves({ runs }) {
  const [tables, setTables] = useState({});
  const [chosen, setChosen] = useState("");
  const [{ kind }] = runs;
  const put = (id, rows) => setTables((old) => ({ ...old, [id]: rows }));
  const columns = CURVES[kind].filter((column) => runs.some((run) => hasValues(tables[run.id] || [], column)));
  const column = columns.includes(chosen) ? chosen : columns[0];
  if (runs.some((run) => run.kind !== kind)) return html`<p class="quiet">They are of different kinds, which have no curve in common.</p>`;
  return html`${runs.map((run) => html`<${Fetch} key=${run.id} run=${run} put=${put} />`)}
    ${column && html`<p><${Select} name="Curve" value=${column} choices=${columns.map((one) => [one, label(one)])} onChange=${setChosen} /></p>
    <${Plot} title=${label(column)} xName=${X[kind]} series=${runs.map((run) => seriesOf(tables[run.id] || [], column, run.id, X[kind]))} />`}`;
}

/** Fetches one run's curve; draws nothing. */
function Fetch({ run, put }) {
  const curve = useCurve(run);
  useEffect(() => {
    if (curve.data) put(run.id, curve.data);
  }, [curve.data]);
  return null;
}

function Differences({ runs, comparison }) {
  const columns = runs.map((run, place) => ({ name: run.id, show: (row) => cell(row.values[place]) }));
  const figures = [...new Set(comparison.figures.flatMap((one) => Object.keys(one || {})))]
    .map((name) => ({ name, values: comparison.figures.map((one) => one?.[name]) }));
  const scores = { name: "score of its champion", values: runs.map((run) => (run.score === null ? null : interval(run.score, run.score_low, run.score_high))) };
  return html`<h2>Settings in which they differ</h2>
    ${comparison.settings.length ? html`<${Table} name="differing settings" rows=${comparison.settings} columns=${[{ name: "setting", show: (row) => label(row.name) }, ...columns]} />` : html`<p class="quiet">None.</p>`}
    <h2>Figures</h2><${Table} name="figures" rows=${[scores, ...figures]} columns=${[{ name: "figure", show: (row) => label(row.name) }, ...columns]} />`;
}

function PlayOff({ runs, query }) {
  const [a, setA] = useState(runs[0].id);
  const [b, setB] = useState(runs[1].id);
  const rules = (id) => runs.find((run) => run.id === id)?.rules;
  const choices = runs.map((run) => [run.id, run.id]);
  const job = query.get("job");
  const start = (started) => go(to(["compare"], { run: runs.map((run) => run.id), job: started.id }));
  return html`<h2>Play them off</h2>
    <p>Their champions play a match, both colours on every opening. Give two values to the sequential test and it ends as soon as it is decided.</p>
    <div class="filters"><${Select} name="First" value=${a} choices=${choices} onChange=${setA} /><${Select} name="Second" value=${b} choices=${choices} onChange=${setB} /></div>
    ${a === b && html`<p class="quiet">Choose two different runs.</p>`}
    ${rules(a) !== rules(b) && html`<p class="quiet">They play by different rules: say by which in the settings.</p>`}
    <${Launch} command="match" fixed=${{ a: `run:${a}`, b: `run:${b}` }} button="Start the match" onStart=${start} disabled=${a === b} />
    ${job && html`<${Watched} key=${job} id=${job}>${({ result }) => html`<${MatchResult} result=${result} />`}<//>`}`;
}
