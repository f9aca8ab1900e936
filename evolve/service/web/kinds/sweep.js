// A sweep: its best settings and how to use them, its trials, what matters for a good score, and its final.

import { path } from "../api.js";
import { BarChart, ParallelChart, Plot } from "../charts.js";
import { useCurve, useGet, usePages } from "../data.js";
import { useEvents } from "../events.js";
import { capital, cell, number, percent, signed } from "../format.js";
import { margin, scale, shade } from "../figures.js";
import { html, useEffect, useMemo, useState } from "../html.js";
import { to } from "../router.js";
import { Rows } from "../tables.js";
import { Box, CommandLine, Select, Table, Wait } from "../ui.js";

const OWN = ["number", "state", "score", "score_error", "seconds", "reports", "origin", "worker", "games", "agent", "reason"];
const [AXES, SLICES, CELLS] = [7, 8, 10];
const PHASES = ["Opening", "Middle", "End"];
const counts = (row) => Number.isFinite(row.score) && ["COMPLETE", "PRUNED"].includes(row.state);

const plain = (value) => cell(typeof value === "number" ? String(Number(value.toPrecision(4))).replace("-", "\u2212") : value);

function Sweep({ run }) {
  const curve = useCurve(run, 1000);
  const best = useGet(path(["runs", run.id, "best"]), { keep: true });
  const importances = useGet(path(["runs", run.id, "importances"]), { keep: true });
  const rows = (curve.data || []).filter(counts);
  useEffect(() => {
    if (rows.length) [best, importances].forEach((one) => one.reload());
  }, [rows.length >> 3, run.state, run.champion]);
  const weights = importances.data?.items || [];
  const names = useMemo(() => parameters(rows, weights), [rows.length, weights]);
  const chosen = rows.find((row) => row.number === best.data?.trial);
  const title = (name) => {
    const { title: words, phase } = best.data?.settings.find((one) => one.name === name) || { title: name };
    return PHASES[phase] ? `${words}, ${PHASES[phase].toLowerCase()}` : words;
  };
  const use = html`<${UseIt} lines=${best.data?.lines} />`;
  const long = best.data?.settings.length > 24;
  return html`<${Wait} of=${curve}>
    ${rows.length === 0 && html`<p class="quiet">No trial has ended yet.</p>`}
    <div class="two left">
      <div class="stack"><${BestSettings} run=${run} best=${best.data} />${!long && use}</div>
      <div class="stack">${rows.length > 0 && html`<${History} rows=${rows} chosen=${chosen} />`}<${Final} run=${run} best=${best.data} />${long && use}</div>
    </div>
    ${names.length > 0 && html`<div class="stack"><div class="head"><h2>What matters</h2><small>${names.length > SLICES ? `${SLICES} of ${names.length} settings, those that go with the score most closely` : ""}</small></div>
      <div class="charts slices">${names.slice(0, SLICES).map((name) => html`<${Slice} key=${name} rows=${rows} name=${name} title=${title(name)} chosen=${chosen} />`)}</div>
      <p class="note">Dots: trials. Line and shade: mean of the trials near a value, 95 %. Ring: the best trial. Trials crowd where the search expected the best, so a slope is a hint and no proof.</p></div>
      <div class="two tops">${names.length > 1 && html`<${Landscape} rows=${rows} names=${names} title=${title} chosen=${chosen} />`}
        <${Importance} weights=${weights} why=${importances.data?.why} count=${rows.length} title=${title} /></div>`}
    ${run.tables.includes("rungs") && html`<h2>Rungs</h2><${Rows} run=${run} table="rungs" />`}
  <//>`;
}

/** The settings that were searched: those that matter first, the others by how much the score goes with them. */
function parameters(rows, weights) {
  const all = Object.keys(rows[0] || {}).filter((name) => !OWN.includes(name) && new Set(rows.map((row) => row[name])).size > 1);
  const order = new Map(weights.map((one) => [one.parameter, 1 + one.share]));
  for (const name of all) if (!order.has(name)) order.set(name, pull(rows, name));
  return all.sort((a, b) => order.get(b) - order.get(a));
}

/** How far the mean score differs along a setting. */
function pull(rows, name) {
  const { of, known } = placed(rows, name);
  const points = known.map((row) => ({ at: of(row), score: row.score }));
  const means = [0, 0.25, 0.5, 0.75, 1].map((place) => near(points, ({ at }) => at - place, 0.12)).filter(({ many }) => many > 2).map(({ mean }) => mean);
  return means.length ? Math.max(...means) - Math.min(...means) : 0;
}

function axis(name, rows) {
  const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
  return values.every((value) => typeof value === "number") ? { name } : { name, words: [...new Set(values.map(String))].sort() };
}

/** A row for each setting; those of the three phases stand side by side. */
function BestSettings({ run, best }) {
  if (!best?.settings.length) return null;
  const rows = new Map();
  for (const one of best.settings) rows.set(one.title, [...(rows.get(one.title) || []), one]);
  const phased = best.settings.some(({ phase }) => phase !== null);
  const show = ({ value, default: usual, low, high, log, phase }) => {
    const on = log ? Math.log : Number;
    const place = Number.isFinite(value) && high > low ? (2 * (on(value) - on(low))) / (on(high) - on(low)) - 1 : 0;
    return html`<td class=${`v ${shade(place)}`} colspan=${phased && phase === null ? PHASES.length : 1}>${plain(value)}${usual !== null && usual !== undefined && usual !== value ? html` <small>was ${plain(usual)}</small>` : ""}</td>`;
  };
  return html`<div class="card stack"><div class="row spread"><h2 class="title">Best settings, ${best.trial === null ? "" : `trial ${best.trial}`}</h2><small>${best.chosen ? "chosen in the final" : "so far"}</small></div>
    <${Box} name="best settings"><table class="genes"><thead><tr><th scope="col">Setting</th>${phased ? PHASES.map((phase) => html`<th scope="col">${phase}</th>`) : html`<th scope="col">Best</th>`}</tr></thead>
      <tbody>${[...rows].map(([title, cells]) => html`<tr key=${title}><th scope="row" title=${cells[0].about}>${title} <span class="option">${cells[0].name.replace(/\.\d+$/, "")}</span></th>
        ${cells[0].phase === null ? cells.map(show) : PHASES.map((_, phase) => { const one = cells.find((each) => each.phase === phase); return one ? show(one) : html`<td></td>`; })}</tr>`)}</tbody></table><//>
    <p class="note">Colour: where the value lies in its range, from low (orange) to high (blue); beside it the default.${run.verdict ? ` ${capital(run.verdict)}.` : ""}</p></div>`;
}

/** Command lines to copy, each with what it is for. */
export function UseIt({ lines, children }) {
  return lines?.length > 0 && html`<div class="card stack"><h2 class="title">Use it</h2>${lines.map(({ about, line }) => html`<div key=${line}><small>${about}:</small><${CommandLine} line=${line} /></div>`)}${children}</div>`;
}

function History({ rows, chosen }) {
  let top = -Infinity;
  const sorted = [...rows].sort((a, b) => a.number - b.number);
  const best = sorted.filter((row) => row.state === "COMPLETE").map((row) => ({ x: row.number, y: (top = Math.max(top, row.score)) }));
  return html`<${Plot} title="Score of each trial" xName="trial" text=${percent} series=${[
    { name: "best", points: best },
    { name: "trials (pale: pruned)", dots: true, points: sorted.map((row) => ({ x: row.number, y: row.score, faint: row.state === "PRUNED" })) },
    ...ringed(chosen, chosen?.number)]} />`;
}

function Final({ run, best }) {
  const pages = usePages(path(["runs", run.id, "final"], { limit: 50 }));
  useEffect(() => pages.reload(), [run.state, run.champion]);
  useEvents(({ name, data }) => name === "run" && data.id === run.id && data.done >= data.target && pages.reload());
  if (!pages.items?.length) return run.state === "done" ? null : html`<p class="note">The final, between the best trials and the defaults, comes after the trials.</p>`;
  const played = pages.items.some((row) => row.games);
  const trial = (row) => row.trial.replace("trial-", "");
  return html`<${Table} name="the final" id="trial" rows=${pages.items} columns=${[
    { title: run.verdict ? "Final" : "Final so far", show: (row) => html`<strong>Trial ${trial(row)}</strong> ${String(best?.trial) === trial(row) ? html`<span class="state">chosen</span>` : trial(row) === "0" && "(the defaults)"}` },
    ...(played ? [{ title: "Elo", number: true, show: (row) => html`<strong>${signed(row.elo, 0)}</strong> ${margin(row.elo_low, row.elo_high)}` }] : []),
    { title: "Score", number: true, show: (row) => percent(row.score, 0) },
    ...(played ? [{ title: "Won, drawn, lost", number: true, show: (row) => [row.wins, row.draws, row.losses].map((count) => number(count)).join(", ") }] : [])]} />`;
}

/** The mean of the scores near a place, with twice its standard error; places are 0 to 1. */
function near(points, place, width) {
  let [sum, weight, squares, second] = [0, 0, 0, 0];
  for (const [distance, score] of points.map((point) => [place(point), point.score])) {
    const share = Math.exp(-0.5 * (distance / width) ** 2);
    sum += share * score;
    weight += share;
    squares += share ** 2;
    second += share * score ** 2;
  }
  const mean = sum / weight;
  const many = weight ** 2 / squares;
  return { mean, many: weight, error: 2 * Math.sqrt(Math.max(0, second / weight - mean ** 2) / Math.max(1, many - 1)) };
}

/** The places of rows in the range of a setting, 0 to 1; its values as numbers, and the ends in words. */
function placed(rows, name) {
  const { words } = axis(name, rows);
  const value = (row) => (words ? words.indexOf(String(row[name])) : row[name]);
  const known = rows.filter((row) => Number.isFinite(value(row)));
  const [low, high] = [Math.min(...known.map(value)), Math.max(...known.map(value))];
  return { known, words, value, low, high, of: (row) => (value(row) - low) / (high - low || 1), ends: words ? [words[0], words.at(-1)] : [number(low), number(high)] };
}

function Slice({ rows, name, title, chosen }) {
  const { known, words, value, low, high, of } = placed(rows, name);
  const points = known.map((row) => ({ at: of(row), score: row.score }));
  const line = Array.from({ length: 21 }, (_, step) => ({ x: low + (step / 20) * (high - low), ...near(points, ({ at }) => at - step / 20, 0.12) })).filter(({ many }) => many > 1)
    .map(({ x, mean, error }) => ({ x, y: mean, low: mean - error, high: mean + error }));
  return html`<${Plot} small bare title=${title} about=${html`<span class="option">${name}</span> ${chosen && html`<span class="nowrap">best ${plain(chosen[name])}</span>`}`} text=${percent} words=${words} xName="" series=${[
    { name: "mean", points: line },
    { name: "trials", dots: true, points: known.map((row) => ({ x: value(row), y: row.score, faint: row.state === "PRUNED" })) },
    ...ringed(chosen, chosen && value(chosen))]} />`;
}

const ringed = (chosen, x) => (chosen ? [{ name: `trial ${chosen.number}`, dots: true, open: true, points: [{ x, y: chosen.score }] }] : []);

function Landscape({ rows, names, title, chosen }) {
  const [across, setAcross] = useState(names[0]);
  const [up, setUp] = useState(names[1]);
  const choices = names.map((name) => [name, title(name)]);
  const [a, b] = [across, up].map((name) => placed(rows, names.includes(name) ? name : names[0]));
  const known = a.known.filter((row) => b.known.includes(row));
  const points = known.map((row) => ({ x: a.of(row), y: b.of(row), score: row.score }));
  const middle = points.reduce((sum, { score }) => sum + score, 0) / points.length;
  const steps = Array.from({ length: CELLS }, (_, step) => (step + 0.5) / CELLS);
  const cells = steps.flatMap((x) => steps.map((y) => ({ x, y, ...near(points, (point) => Math.hypot(point.x - x, point.y - y), 0.13) }))).filter(({ many }) => many > 0.6);
  const most = Math.max(...cells.map(({ mean }) => Math.abs(mean - middle)));
  const [x, y] = [scale([0, 1], [52, 432]), scale([0, 1], [300, 10])];
  const top = cells.reduce((best, one) => (one.mean - one.error > best.mean - best.error ? one : best), cells[0] || {});
  return html`<div class="card stack"><div class="row spread"><h2 class="title">Two settings together</h2><span class="row">
      <${Select} name="Across" hidden value=${across} choices=${choices} onChange=${setAcross} /><${Select} name="Up" hidden value=${up} choices=${choices} onChange=${setUp} /></span></div>
    <svg viewBox="0 0 442 330" role="img" aria-label=${`Mean score over ${title(across)} and ${title(up)}: best, ${percent(top.mean, 0)} ± ${percent(top.error, 0)}`}>
      ${cells.map((one) => html`<rect class=${`v ${shade(one.mean - middle, most)}`} opacity=${Math.abs(one.mean - middle) > one.error ? 1 : 0.4} x=${x(one.x - 0.05)} y=${y(one.y + 0.05)} width="38.2" height="29.2"><title>${percent(one.mean, 0)} ± ${percent(one.error, 0)}</title></rect>`)}
      ${points.map((point) => html`<circle class="trial" cx=${x(point.x)} cy=${y(point.y)} r="2" />`)}
      ${chosen && html`<circle class="dot open c1" cx=${x(a.of(chosen))} cy=${y(b.of(chosen))} r="6" />`}
      <text x="52" y="318">${a.ends[0]}</text><text class="strong" x="242" y="318" text-anchor="middle">${title(across)} →</text><text x="432" y="318" text-anchor="end">${a.ends[1]}</text>
      <text x="46" y="300" text-anchor="end">${b.ends[0]}</text><text class="strong" text-anchor="middle" transform="rotate(-90 14 155)" x="14" y="155">${title(up)} →</text><text text-anchor="end" x="46" y="20">${b.ends[1]}</text></svg>
    <p class="note">Blue: above the mean score of all trials, orange: below; pale where that is within the error. Blank: nothing tried near.</p></div>`;
}

function Importance({ weights, why, count, title }) {
  if (!weights.length) return html`<div class="card stack"><h2 class="title">Importance</h2><p class="callout plain">${why ? `${capital(why)}.` : "…"}</p></div>`;
  const sure = weights.some(({ p }) => p <= 0.05);
  return html`<div class="stack">${!sure && html`<p class="callout plain">None can be told from chance yet: the pale bars are what ${count} trials give by luck. More trials may tell.</p>`}
    <${BarChart} title="Importance" text=${percent} bars=${weights.slice(0, 12).map(({ parameter, share, p }) => ({ name: title(parameter), value: share, faint: p > 0.05 }))} />
    ${sure && html`<p class="note">Share of each setting in a good score. Pale: may be chance.</p>`}</div>`;
}

function Trials({ run }) {
  const curve = useCurve(run, 1000);
  const rows = (curve.data || []).filter(counts);
  const names = parameters(rows, []);
  return html`${names.length > 0 && html`<${ParallelChart} title="Trials over their settings; the best stand out" rows=${rows} score=${(row) => row.score}
      axes=${[...names.slice(0, AXES).map((name) => axis(name, rows)), { name: "score" }]} />`}<${Rows} run=${run} />`;
}

export const parts = { "": ["Overview", Sweep], trials: ["Trials", Trials] };
