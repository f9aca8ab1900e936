// A sweep: its best settings and how to use them, its trials over each setting, and its final.

import { path } from "../api.js";
import { ParallelChart, Plot } from "../charts.js";
import { courseSeries, useCurve, useGet, usePages } from "../data.js";
import { useEvents } from "../events.js";
import { capital, cell, margin, number, percent, signed } from "../format.js";
import { shade } from "../figures.js";
import { html, useEffect, useState } from "../html.js";
import { to } from "../router.js";
import { Rows } from "../tables.js";
import { Box, CommandLine, Table, Wait } from "../ui.js";

const AXES = 7;
const FIRST = 12;
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
  const [all, setAll] = useState(false);
  const { settings = [], note } = scatter.data || {};
  const shown = all ? settings : settings.slice(0, FIRST);
  const chosen = rows.find((row) => row.number === best.data?.trial);
  const title = (name) => {
    const { title: words, phase } = best.data?.settings.find((setting) => setting.name === name) || { title: name };
    return PHASES[phase] ? `${words}, ${PHASES[phase].toLowerCase()}` : words;
  };
  const use = html`<${UseIt} lines=${best.data?.lines} />`;
  const long = best.data?.settings.length > 24;
  return html`<${Wait} of=${curve}>
    ${rows.length === 0 && html`<p class="quiet">No trial has ended yet.</p>`}
    <div class="two left">
      <div class="stack"><${BestSettings} run=${run} best=${best.data} />${!long && use}</div>
      <div class="stack">${centre ? html`<${Plot} title="Where the search is, Elo over the defaults" about="95 %" xName="games" series=${[courseSeries({ ...centre, name: "smoothed over trials that no step uses" })]} />` : rows.length > 0 && html`<${History} rows=${rows} chosen=${chosen} />`}<${Final} run=${run} best=${best.data} />${long && use}</div>
    </div>
    ${settings.length > 0 && html`<div class="stack"><div class="head"><h2>Trials over each setting</h2>${settings.length > FIRST && html`<button type="button" onClick=${() => setAll(!all)}>${all ? `The first ${FIRST}` : `All ${settings.length} settings`}</button>`}</div>
      ${note && html`<p class="callout plain">${note}.</p>`}
      <div class="charts slices">${shown.map((setting) => html`<${Over} key=${setting.name} scatter=${scatter.data} setting=${setting} title=${title(setting.name)} />`)}</div>
      <p class="note">Blue: scores above the mean of the trials, orange: below. Rings: green the best trial, brown the defaults. ${note ? "The settings stand in the order of the table." : "Settings that go with the score most closely come first."} Trials crowd where the search expected the best, so a slope is a hint and no proof.</p></div>`}
  <//>`;
}

function axis(name, rows) {
  const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
  return values.every((value) => typeof value === "number") ? { name } : { name, words: [...new Set(values.map(String))].sort() };
}

/** A row for each setting; those of the three phases stand side by side. */
function BestSettings({ run, best }) {
  if (!best?.settings.length) return null;
  const rows = new Map();
  for (const setting of best.settings) rows.set(setting.title, [...(rows.get(setting.title) || []), setting]);
  const phased = best.settings.some(({ phase }) => phase !== null);
  const show = ({ value, default: usual, low, high, log, phase }) => {
    const on = log ? Math.log : Number;
    const share = Number.isFinite(value) && high > low ? (2 * (on(value) - on(low))) / (on(high) - on(low)) - 1 : 0;
    return html`<td class=${`v ${shade(share)}`} colspan=${phased && phase === null ? PHASES.length : 1}>${plain(value)}${usual !== null && usual !== undefined && usual !== value ? html` <small>was ${plain(usual)}</small>` : ""}</td>`;
  };
  return html`<div class="card stack"><div class="row spread"><h2 class="title">Best settings, ${best.trial === null ? "" : `trial ${best.trial}`}</h2><small>${best.chosen ? "chosen in the final" : "so far"}</small></div>
    <${Box} name="best settings"><table class="genes"><thead><tr><th scope="col">Setting</th>${phased ? PHASES.map((phase) => html`<th scope="col">${phase}</th>`) : html`<th scope="col">Best</th>`}</tr></thead>
      <tbody>${[...rows].map(([title, cells]) => html`<tr key=${title}><th scope="row" title=${cells[0].about}>${title} <span class="option">${cells[0].name.replace(/\.\d+$/, "")}</span></th>
        ${cells[0].phase === null ? cells.map(show) : PHASES.map((_, phase) => { const setting = cells.find((each) => each.phase === phase); return setting ? show(setting) : html`<td></td>`; })}</tr>`)}</tbody></table><//>
    <p class="note">Colour: where the value lies in its range, from low (orange) to high (blue); beside it the default.${run.verdict ? ` ${capital(run.verdict)}.` : ""}</p>
    ${best.trial !== null && !run.settings.program && html`<p><a href=${to(["new", run.command], { from: run.id, start_from: `run:${run.id}` })}>Begin another with other ranges</a></p>`}</div>`;
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
    ...(chosen ? ringed(`trial ${chosen.number}`, chosen.number, chosen.score) : [])]} />`;
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
    ...(played ? [{ title: "Elo", number: true, show: (row) => html`<strong>${signed(row.elo, 0)}</strong> ${margin(row.elo_low, row.elo_high)}` }] : []),
    { title: "Score", number: true, show: (row) => percent(row.score, 0) },
    ...(played ? [{ title: "Won, drawn, lost", number: true, show: (row) => [row.wins, row.draws, row.losses].map((count) => number(count)).join(", ") }] : [])]} />${typeof run.gain === "number" && html`<p class="note">The best of a final was lucky, too. Its strength is that of its fresh games, at the top.</p>`}</div>`;
}

const ringed = (name, x, y, more) => [{ name, dots: true, open: true, points: [{ x, y }], ...more }];

/** The trials over a setting: their scores, and the best and the defaults ringed. */
function Over({ scatter: { scores, colours, winner, defaults }, setting: { name, values, choices, log }, title }) {
  const point = (value, at) => ({ x: choices.length ? choices.indexOf(value) : log ? Math.log10(value) : value, y: scores[at], shade: shade(colours[at]) });
  const mark = (words, at, more) => (at !== null && values[at] !== null ? ringed(words, point(values[at], at).x, scores[at], more) : []);
  const best = winner !== null && html`<span class="nowrap">best ${plain(values[winner])}</span>`;
  return html`<${Plot} small bare title=${title} about=${html`<span class="option">${name}</span> ${best}`} text=${percent} words=${choices.length ? choices : undefined} log=${log} xName=${name} series=${[
    ...mark("the defaults", defaults, { colour: 2 }), ...mark("the best", winner, { colour: 0 }),
    { name: "trials", dots: true, points: values.map(point).filter((_, at) => values[at] !== null) }]} />`;
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
