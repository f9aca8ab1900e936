// A sweep: its best settings and how to use them, its trials, what matters for a good score, and its final.

import { path } from "../api.js";
import { BarChart, ParallelChart, Plot } from "../charts.js";
import { useCurve, useGet, usePages } from "../data.js";
import { useEvents } from "../events.js";
import { capital, cell, margin, number, percent, signed } from "../format.js";
import { scale, shade } from "../figures.js";
import { html, useEffect, useState } from "../html.js";
import { to } from "../router.js";
import { Rows } from "../tables.js";
import { Box, CommandLine, Select, Table, Wait } from "../ui.js";

const AXES = 7;
const PHASES = ["Opening", "Middle", "End"];
const counts = (row) => Number.isFinite(row.score) && ["COMPLETE", "PRUNED"].includes(row.state);

const plain = (value) => cell(typeof value === "number" ? String(Number(value.toPrecision(4))).replace("-", "\u2212") : value);

function Sweep({ run }) {
  const curve = useCurve(run, 1000);
  const best = useGet(path(["runs", run.id, "best"]), { keep: true });
  const importances = useGet(path(["runs", run.id, "importances"]), { keep: true });
  const slices = useGet(path(["runs", run.id, "landscapes"]), { keep: true });
  const rows = (curve.data || []).filter(counts);
  useEffect(() => {
    if (rows.length) [best, importances, slices].forEach((answer) => answer.reload());
  }, [rows.length >> 3, run.state, run.champion]);
  const weights = importances.data?.items || [];
  const { names = [], pair, items = [] } = slices.data || {};
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
      <div class="stack">${rows.length > 0 && html`<${History} rows=${rows} chosen=${chosen} />`}<${Final} run=${run} best=${best.data} />${long && use}</div>
    </div>
    ${items.length > 0 && html`<div class="stack"><div class="head"><h2>What matters</h2><small>${names.length > items.length ? `${items.length} of ${names.length} settings, those that go with the score most closely` : ""}</small></div>
      <div class="charts slices">${items.map((land) => html`<${Slice} key=${land.x.name} land=${land} title=${title(land.x.name)} chosen=${chosen} />`)}</div>
      <p class="note">Dots: trials. Line and shade: the expected score, 95 %. Ring: the best trial. Trials crowd where the search expected the best, so a slope is a hint and no proof.</p></div>
      <div class="two tops">${names.length > 1 && html`<${Landscape} run=${run} names=${names} pair=${pair} title=${title} chosen=${chosen} count=${rows.length} />`}
        <${Importance} weights=${weights} why=${importances.data?.why} count=${rows.length} title=${title} /></div>`}
    ${run.tables.includes("rungs") && html`<h2>Rungs</h2><${Rows} run=${run} table="rungs" />`}
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
  useEvents(({ name, data }) => name === "run" && data.id === run.id && data.share === 1 && pages.reload());
  if (!pages.items?.length) return run.state === "done" ? null : html`<p class="note">The final, between the best trials and the defaults, comes after the trials.</p>`;
  const played = pages.items.some((row) => row.games);
  const trial = (row) => row.trial.replace("trial-", "");
  return html`<${Table} name="the final" id="trial" rows=${pages.items} columns=${[
    { title: run.verdict ? "Final" : "Final so far", show: (row) => html`<strong>Trial ${trial(row)}</strong> ${best?.chosen && String(best.trial) === trial(row) ? html`<span class="state">chosen</span>` : trial(row) === "0" && "(the defaults)"}` },
    ...(played ? [{ title: "Elo", number: true, show: (row) => html`<strong>${signed(row.elo, 0)}</strong> ${margin(row.elo_low, row.elo_high)}` }] : []),
    { title: "Score", number: true, show: (row) => percent(row.score, 0) },
    ...(played ? [{ title: "Won, drawn, lost", number: true, show: (row) => [row.wins, row.draws, row.losses].map((count) => number(count)).join(", ") }] : [])]} />`;
}

/** The value at a place of an axis, 0 to 1; of choices their number. */
const valueAt = ({ low, high, log }) => (share) => (log ? low * (high / low) ** share : low + share * (high - low));

function Slice({ land, title, chosen }) {
  const { x, across, mean: [mean], error: [error], points, scores, best } = land;
  const at = valueAt(x);
  return html`<${Plot} small bare title=${title} about=${html`<span class="option">${x.name}</span> ${chosen && html`<span class="nowrap">best ${plain(chosen[x.name])}</span>`}`} text=${percent} words=${x.choices.length ? x.choices : undefined} xName="" series=${[
    { name: "expected", points: across.map((share, step) => ({ x: at(share), y: mean[step], ...(mean[step] !== null && { low: mean[step] - 2 * error[step], high: mean[step] + 2 * error[step] }) })) },
    { name: "trials", dots: true, points: points.map(([share], step) => ({ x: at(share), y: scores[step] })) },
    ...ringed(chosen, at(best[0]))]} />`;
}

const ringed = (chosen, x) => (chosen ? [{ name: `trial ${chosen.number}`, dots: true, open: true, points: [{ x, y: chosen.score }] }] : []);

function Landscape({ run, names, pair, title, chosen, count }) {
  const [across = pair[0], setAcross] = useState();
  const [up = pair[1], setUp] = useState();
  const choices = names.map((name) => [name, title(name)]);
  const found = useGet(path(["runs", run.id, "landscapes"], { parameter: [across, up] }), { keep: true });
  useEffect(() => found.reload(), [count >> 3, run.champion]);
  const [land] = found.data?.items || [];
  return html`<div class="card stack"><div class="row spread"><h2 class="title">Two settings together</h2><span class="row">
      <${Select} name="Across" hidden value=${across} choices=${choices} onChange=${setAcross} /><${Select} name="Up" hidden value=${up} choices=${choices} onChange=${setUp} /></span></div>
    <${Wait} of=${found}>${land?.y ? html`<${Plane} land=${land} title=${title} chosen=${chosen} />` : html`<p class="note">Too few trials for a picture yet.</p>`}<//></div>`;
}

function Plane({ land: { x: a, y: b, mean, error, points, scores, best }, title, chosen }) {
  const middle = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const [width, height] = [380 / mean[0].length, 290 / mean.length];
  const [x, y] = [scale([0, 1], [52 + width / 2, 432 - width / 2]), scale([0, 1], [300 - height / 2, 10 + height / 2])];
  const cells = mean.flatMap((row, up) => row.map((value, across) => ({ up, across, value, error: error[up][across] }))).filter(({ value }) => value !== null);
  const most = Math.max(...cells.map(({ value }) => Math.abs(value - middle)));
  const top = cells.reduce((highest, cell) => (cell.value > highest.value ? cell : highest));
  const describe = (cell) => `${percent(cell.value, 0)} ± ${percent(2 * cell.error, 0)}`;
  const ends = ({ choices, low, high }) => (choices.length ? [choices[0], choices.at(-1)] : [number(low), number(high)]);
  return html`<svg viewBox="0 0 442 330" role="img" aria-label=${`Expected score over ${title(a.name)} and ${title(b.name)}: ${describe(top)} at its top`}>
      ${cells.map((cell) => html`<rect class=${`v ${shade(cell.value - middle, most)}`} opacity=${Math.abs(cell.value - middle) > 2 * cell.error ? 1 : 0.4} x=${52 + cell.across * width} y=${300 - (cell.up + 1) * height} width=${width} height=${height} shape-rendering="crispEdges"><title>${describe(cell)}</title></rect>`)}
      ${points.map((point) => html`<circle class="trial" cx=${x(point[0])} cy=${y(point[1])} r="2" />`)}
      ${chosen && html`<circle class="dot open c1" cx=${x(best[0])} cy=${y(best[1])} r="6" />`}
      <text x="52" y="318">${ends(a)[0]}</text><text class="strong" x="242" y="318" text-anchor="middle">${title(a.name)} →</text><text x="432" y="318" text-anchor="end">${ends(a)[1]}</text>
      <text x="46" y="300" text-anchor="end">${ends(b)[0]}</text><text class="strong" text-anchor="middle" transform="rotate(-90 14 155)" x="14" y="155">${title(b.name)} →</text><text text-anchor="end" x="46" y="20">${ends(b)[1]}</text></svg>
    <p class="note">Expected score, as <span class="option">evolve plot</span> draws it. Blue: above the mean of all trials, orange: below; pale where that is within the error. Blank: nothing tried near.</p>`;
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
  const varied = useGet(path(["runs", run.id, "landscapes"], { slices: 0 }), { keep: true });
  useEffect(() => {
    if (rows.length) varied.reload();
  }, [rows.length >> 3, run.state]);
  const { names = [] } = varied.data || {};
  return html`${names.length > 0 && html`<${ParallelChart} title="Trials over their settings; the best tenth stands out" rows=${rows} score=${(row) => row.score}
      axes=${[...names.slice(0, AXES).map((name) => axis(name, rows)), { name: "score" }]} />`}<${Rows} run=${run} />`;
}

export const parts = { "": ["Overview", Sweep], trials: ["Trials", Trials] };
