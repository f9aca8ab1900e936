// A sweep: its best settings and how to use them, its trials over each setting, and its final.

import { path } from "../api.js";
import { ParallelChart, Plot } from "../charts.js";
import { courseSeries, useCurve, useGet, usePages } from "../data.js";
import { useEvents } from "../events.js";
import { capital, cell, margin, number, percent, signed } from "../format.js";
import { scale } from "../figures.js";
import { html, useEffect, useState } from "../html.js";
import { to } from "../router.js";
import { Rows } from "../tables.js";
import { Box, CommandLine, Table, Wait } from "../ui.js";

const AXES = 7;
const FIRST = 12;
const AFTER = 1e9;
const Z95 = 1.96;
const PHASES = ["Opening", "Middle", "End"];
const counts = (row) => Number.isFinite(row.score) && ["COMPLETE", "PRUNED"].includes(row.state);

const plain = (value) => cell(typeof value === "number" ? String(Number(value.toPrecision(4))).replace("-", "\u2212") : value);

function Sweep({ run }) {
  const curve = useCurve(run, 1000);
  const best = useGet(path(["runs", run.id, "best"]), { keep: true });
  const scatter = useGet(path(["runs", run.id, "scatter"]), { keep: true });
  const courses = useGet(run.settings.sampler === "spsa" ? path(["runs", run.id, "courses"]) : null, { keep: true });
  const centre = courses.data?.items.find(({ metric }) => metric === "centre_elo");
  const rows = (curve.data || []).filter(counts);
  useEffect(() => {
    if (rows.length) [best, scatter, courses].forEach((answer) => answer.reload());
  }, [rows.length >> 3, run.state, run.champion]);
  const chosen = rows.find((row) => row.number === best.data?.trial);
  return html`<${Wait} of=${curve}>
    ${rows.length === 0 && html`<p class="quiet">No trial has ended yet.</p>`}
    <${Settings} run=${run} best=${best.data} scatter=${scatter.data} />
    <div class="two left">
      <div class="stack">${centre ? html`<${Plot} title="Where the search is, Elo over the defaults" about="95 %" xName="games" series=${[courseSeries({ ...centre, name: "smoothed over trials that no step uses" })]} />` : rows.length > 0 && html`<${History} rows=${rows} chosen=${chosen} />`}</div>
      <div class="stack"><${Final} run=${run} best=${best.data} /><${UseIt} lines=${best.data?.lines} /></div>
    </div>
  <//>`;
}

function axis(name, rows) {
  const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
  return values.every((value) => typeof value === "number") ? { name } : { name, words: [...new Set(values.map(String))].sort() };
}

/** A row for each setting: its default, its best value, and its trials over its range; those that go with the score first. */
function Settings({ run, best, scatter }) {
  const [all, setAll] = useState(false);
  if (!best?.settings.length) return null;
  const { settings: varied = [], scores = [], note } = scatter || {};
  const order = new Map(varied.map((setting, index) => [setting.name, { ...setting, index }]));
  const rows = [...best.settings].sort((one, other) => (order.get(one.name)?.index ?? AFTER) - (order.get(other.name)?.index ?? AFTER));
  const ends = [Math.min(...scores), Math.max(...scores)];
  const title = ({ title: words, phase }) => (PHASES[phase] ? `${words}, ${PHASES[phase].toLowerCase()}` : words);
  return html`<div class="card stack"><div class="row spread"><h2 class="title">${best.trial === null ? "Settings" : `Best settings, trial ${best.trial}`}</h2><small>${best.chosen ? "chosen in the final" : "so far"}</small></div>
    <${Box} name="best settings"><table><thead><tr><th scope="col">Setting</th><th scope="col" class="number">Default → best</th>${scores.length > 0 && html`<th scope="col">Scores of its trials, ${percent(ends[0], 0)} to ${percent(ends[1], 0)}, over its range</th>`}</tr></thead>
      <tbody>${rows.slice(0, all ? rows.length : FIRST).map((row) => html`<tr key=${row.name}><th scope="row" title=${row.about}>${title(row)} <span class="option">${row.name}</span></th>
        <td class="number">${row.default !== null && row.default !== undefined && html`${plain(row.default)} → `}<strong>${plain(row.value)}</strong></td>
        ${scores.length > 0 && html`<td>${order.has(row.name) && html`<${Over} ...${order.get(row.name)} ...${row} scores=${scores} ends=${ends} winner=${scatter.winner} defaults=${scatter.defaults} />`}</td>`}</tr>`)}</tbody></table><//>
    ${rows.length > FIRST && html`<p><button type="button" onClick=${() => setAll(!all)}>${all ? `The first ${FIRST}` : `All ${rows.length} settings`}</button></p>`}
    <p class="note">Rings: green the best trial, brown the defaults. ${note ? `${note}.` : "Settings that go with the score most closely come first."} Trials crowd where the search expected the best, so a slope is a hint and no proof.${run.verdict ? ` ${capital(run.verdict)}.` : ""}</p>
    ${best.trial !== null && !run.settings.program && html`<p><a href=${to(["new", run.command], { from: run.id, start_from: `run:${run.id}` })}>Begin another with other ranges</a></p>`}</div>`;
}

/** The trials over the range of a setting, below them the range with a tick for the default and a dot for the best. */
function Over({ name, low, high, log, choices, values, scores, ends, winner, defaults, value: best, default: usual }) {
  const on = (value) => (choices.length ? choices.indexOf(String(value)) : log ? Math.log(value) : Number(value));
  const x = scale([choices.length ? 0 : on(low), choices.length ? choices.length - 1 : on(high)], [8, 412]);
  const y = scale(ends, [38, 8]);
  const names = choices.length ? [choices[0], choices.at(-1)] : [plain(low), plain(high)];
  const at = (index) => x(on(values[index]));
  const isKnown = (index) => index !== null && values[index] !== null;
  const ring = (index, colour) => isKnown(index) && html`<g class=${colour}><circle class="dot open" cx=${at(index)} cy=${y(scores[index])} r="6" /></g>`;
  return html`<svg class="over" role="img" viewBox="0 0 420 66" aria-label=${`${name}: ${values.length} trials from ${names.join(" to ")}, default ${plain(usual)}, best ${plain(best)}`}>
    <g class="c1">${values.map((value, index) => value !== null && html`<circle class="dot faint" cx=${at(index)} cy=${y(scores[index])} r="3" />`)}</g>
    ${ring(defaults, "c3")}${ring(winner, "c1")}
    <line class="grid" x1="8" x2="412" y1="48" y2="48" />${isKnown(defaults) && html`<line class="whisker" x1=${at(defaults)} x2=${at(defaults)} y1="43" y2="53" />`}
    ${isKnown(winner) && html`<g class="c1"><circle class="dot" cx=${at(winner)} cy="48" r="5" /></g>`}
    <text x="8" y="64">${names[0]}</text><text x="412" y="64" text-anchor="end">${names[1]}</text></svg>`;
}

/** Command lines to copy, each with what it is for. */
export function UseIt({ lines, children }) {
  return lines?.length > 0 && html`<div class="card stack"><h2 class="title">Use it</h2>${lines.map(({ about, line }) => html`<div key=${line}><small>${about}:</small><${CommandLine} line=${line} /></div>`)}${children}</div>`;
}

function History({ rows, chosen }) {
  let top = -Infinity;
  const sorted = [...rows].sort((a, b) => a.number - b.number);
  const ended = (row) => chosen && row.number >= chosen.number; // the highest score of all is often a lucky one
  const best = sorted.filter((row) => row.state === "COMPLETE").map((row) => ({ x: row.number, y: (top = ended(row) ? chosen.score : Math.max(top, row.score)) }));
  return html`<${Plot} title="Score of each trial" about="95 %" xName="trial" text=${percent} series=${[
    { name: "best", points: best },
    { name: "trials (pale: pruned)", dots: true, whiskers: true, points: sorted.map((row) => ({ x: row.number, y: row.score, ...(row.state === "PRUNED" ? { faint: true } : { low: row.score - Z95 * row.score_error, high: row.score + Z95 * row.score_error }) })) },
    ...(chosen ? [{ name: `trial ${chosen.number}`, dots: true, open: true, points: [{ x: chosen.number, y: chosen.score }] }] : [])]} />`;
}

function Final({ run, best }) {
  const pages = usePages(path(["runs", run.id, "final"], { limit: 50 }));
  useEffect(() => pages.reload(), [run.state, run.champion]);
  useEvents(({ name, data }) => name === "run" && data.id === run.id && data.share === 1 && pages.reload());
  if (!pages.items?.length) return run.state === "done" ? null : html`<p class="note">The final, between the best trials and the defaults, comes after the trials.</p>`;
  const played = pages.items.some((row) => row.games);
  const trial = (row) => row.trial.replace("trial-", "");
  return html`<div class="stack"><${Table} name="the final" id="trial" rows=${pages.items} columns=${[
    { title: run.verdict ? "Final" : "Final so far", show: (row) => html`<strong>Trial ${trial(row)}</strong> ${best?.chosen && String(best.trial) === trial(row) ? html`<span class="state">chosen</span>` : trial(row) === "0" && "(the defaults)"}` },
    ...(played && run.settings.program ? [{ title: "Elo", number: true, show: (row) => html`<strong>${signed(row.elo, 0)}</strong> ${margin(row.elo_low, row.elo_high)}` }] : []),
    { title: "Score", number: true, show: (row) => percent(row.score, 0) },
    ...(played ? [{ title: "Won, drawn, lost", number: true, show: (row) => [row.wins, row.draws, row.losses].map((count) => number(count)).join(", ") }] : [])]} />${typeof run.gain === "number" && html`<p class="note">The best of a final was lucky, too. Its strength is that of its fresh games, at the top.</p>`}</div>`;
}

function Trials({ run }) {
  const curve = useCurve(run, 1000);
  const rows = (curve.data || []).filter(counts);
  const scatter = useGet(path(["runs", run.id, "scatter"]), { keep: true });
  useEffect(() => {
    if (rows.length) scatter.reload();
  }, [rows.length >> 3, run.state]);
  const names = (scatter.data?.settings || []).map(({ name }) => name);
  return html`${names.length > 0 && html`<${ParallelChart} title="Trials over their settings; the best tenth stands out" rows=${rows} score=${(row) => row.score}
      axes=${[...names.slice(0, AXES).map((name) => axis(name, rows)), { name: "score" }]} />`}<${Rows} run=${run} />`;
}

export const parts = { "": ["Overview", Sweep], trials: ["Trials", Trials] };
