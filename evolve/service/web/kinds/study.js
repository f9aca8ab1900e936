// A study: who is better in words, each run as a cell of settings × seeds, the means' curves, and the comparison.

import { path, post } from "../api.js";
import { BarChart, Plot } from "../charts.js";
import { useGet, usePages } from "../data.js";
import { useEvents } from "../events.js";
import { capital, label, margin, number, percent, settingOf, signed, verdictOf } from "../format.js";
import { mostOf, shade } from "../figures.js";
import { html, useEffect } from "../html.js";
import { to } from "../router.js";
import { Act, Box, CommandLine, Copy, More, Table, Wait } from "../ui.js";

const valueOf = (run) => [run?.elo, run?.elo_so_far, run?.score].find(Number.isFinite);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function Study({ run, seeds: found }) {
  const runs = usePages(path(["runs"], { study: run.id, limit: 500, sort: "name" }));
  useEvents(({ name, data }) => {
    if (name !== "run" || !data.id.startsWith(`${run.id}+`)) return;
    const known = runs.items?.some(({ id }) => id === data.id);
    if (data.gone || !known) runs.reload();
    else runs.change((items) => items.map((item) => (item.id === data.id ? data : item)));
  });
  const items = runs.items || [];
  const ended = items.filter(({ state }) => state === "done").length;
  const byId = new Map(items.map((item) => [item.id, item]));
  const names = [...new Set(run.cells.map(({ setting }) => setting))];
  const rows = (found.data?.items || []);
  return html`<${Wait} of=${runs}>
    ${!found.data && !found.error && html`<p class="quiet" aria-busy="true">Comparing …</p>`}
    ${found.data && (names.length > 1 || !ended) && html`<${Verdict} run=${run} rows=${rows} ended=${ended} />`}
    <div class="two right">
      <div class="stack"><div class="card stack"><${Matrix} run=${run} names=${names} byId=${byId} means=${rows} whole=${items.length >= (runs.total || 0)} /></div>
        ${names.length > 1 && html`<${Differences} run=${run} names=${names} byId=${byId} />`}</div>
      <${Rise} run=${run} items=${items} />
    </div>
    ${rows.length > 0 && html`<${Comparison} run=${run} rows=${rows} document=${found.data} />`}
    <${More} pages=${runs} what="runs" />
  <//>`;
}

const unit = ({ metric }) => (metric === "elo" ? " Elo" : "");
const shown = (row, value) => signed(value, row.metric === "elo" ? 0 : 3);
const from = (row) => (Number.isFinite(row.low) ? `${shown(row, row.low)} to ${shown(row, row.high)}` : "–");

function Verdict({ run, rows, ended }) {
  const row = verdictOf(rows);
  const next = Math.max(...run.cells.map(({ seed }) => seed)) + 1;
  const more = row ? row.more_seeds ?? (row.winner ? null : 2) : 2;
  const add = more && ended > 0 && run.state !== "running" && html`<p><${Act} kind="main" act=${() => post(path(["runs", run.id, "resume"]), { settings: { seeds: `${next}-${next + more - 1}` } })}>Add ${more} seeds<//></p>`;
  if (!row) return html`<div class="callout plain words stack"><p>${ended ? "One seed a setting says nothing of chance." : "Its first runs are on their way."}</p>${add}</div>`;
  return html`<div class=${`callout words stack${row.winner ? "" : " plain"}`}><p>${capital(row.words)}</p>${add}</div>`;
}

function Matrix({ run, names, byId, means, whole }) {
  const seeds = [...new Set(run.cells.map(({ seed }) => seed))];
  const all = run.cells.map((entry) => valueOf(byId.get(entry.run))).filter(Number.isFinite);
  const middle = all.length ? mean(all) : 0;
  const most = mostOf(all.map((value) => value - middle));
  const fields = Object.keys(run.settings.grid || {});
  const show = (value) => (Math.abs(value) < 2 ? number(value, 3) : number(value, 0));
  const cell = ({ run: id }) => {
    const item = byId.get(id);
    const value = valueOf(item);
    if (!item) return html`<td class="v z0"><small>${whole ? "to come" : "not loaded"}</small></td>`;
    return html`<td class=${`v ${Number.isFinite(value) ? shade(value - middle, most) : "z0"}`}><a href=${to(["run", id])}>${Number.isFinite(value) ? show(value) : item.state}</a>
      <small>${item.state === "done" ? margin(item.elo_low, item.elo_high) : item.state === "running" ? percent(item.share, 0) : item.state}</small></td>`;
  };
  return html`<div class="row spread"><h2 class="title">Each run</h2><span class="scale">weaker <svg viewBox="0 0 110 10" aria-hidden="true">${[-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5].map((step) => html`<rect class=${`v ${shade(step, 5)}`} x=${(step + 5) * 10} width="10" height="10" />`)}</svg> stronger</span></div>
    <${Box} name="settings and seeds"><table class="matrix"><thead><tr><th scope="col">${capital(label(fields.length === 1 ? fields[0] : "setting"))}${fields.length === 1 && html` <span class="option">${fields[0]}</span>`}</th>
      ${seeds.map((seed) => html`<th scope="col">Seed ${seed}</th>`)}<th scope="col" class="number">Mean</th></tr></thead>
      <tbody>${names.map((name) => {
        const own = means.find((row) => row.setting === name && !row.against);
        return html`<tr key=${name}><th scope="row">${settingOf(run, name)}</th>${seeds.map((seed) => {
          const found = run.cells.find((each) => each.setting === name && each.seed === seed);
          return found ? cell(found) : html`<td></td>`;
        })}<td class="number"><strong>${own ? show(own.mean) : "–"}</strong> ${own && html`<small>n = ${own.seeds}</small>`}</td></tr>`;
      })}</tbody></table><//>
    <p class="note">${all.some((value) => Math.abs(value) >= 2) ? "Elo of the champion, ± 95 %." : "Score."} Colour: against the mean of all runs. A cell opens its run.</p>`;
}

/** What the second setting gains on the first with each seed. */
function Differences({ run, names: [first, second], byId }) {
  const value = (name, seed) => valueOf(byId.get(run.cells.find((cell) => cell.setting === name && cell.seed === seed)?.run));
  const bars = [...new Set(run.cells.map(({ seed }) => seed))].map((seed) => ({ name: `seed ${seed}`, value: value(second, seed) - value(first, seed) })).filter((bar) => Number.isFinite(bar.value));
  if (!bars.length) return null;
  const exact = bars.some((bar) => Math.abs(bar.value) > 2) ? 0 : 3;
  return html`<${BarChart} title=${`${settingOf(run, second)} less ${settingOf(run, first).toLowerCase()}, seed by seed`} text=${(difference) => signed(difference, exact)}
    bars=${[...bars, { name: "mean", value: mean(bars.map((bar) => bar.value)), faint: true }]} />`;
}

function Rise({ run, items }) {
  const tenths = items.reduce((sum, item) => sum + Math.floor(10 * (item.share || 0)), 0);
  const found = useGet(path(["runs", run.id, "courses"]), { keep: true });
  useEffect(() => found.reload(), [tenths]);
  const courses = found.data?.items || [];
  if (!courses.length) return html`<div class="card"><h2 class="title">How they rose</h2><p class="quiet">Its first curves are on their way.</p></div>`;
  const [{ metric, over }] = courses;
  const series = courses.map(({ setting, seeds, x, y, low, high }) => ({ name: `${settingOf(run, setting)}, n = ${seeds}`, points: x.map((value, index) => ({ x: value, y: y[index], low: low[index], high: high[index] })) }));
  return html`<${Plot} title="How they rose" about=${`${capital(label(metric))} over ${label(over).replace(/s?$/, "s")}`} xName=${label(over)} series=${series}>
    <p class="note">Line: mean of the seeds. Shade: from the lowest to the highest seed; from 5 seeds on, the 95 % interval of the mean.</p><//>`;
}

function Comparison({ run, rows, document }) {
  const heads = ["Comparison", "In words", "Seeds", "Difference", "95 % interval", "p (Holm)"];
  const cells = rows.filter((row) => row.against).map((row) => [`${settingOf(run, row.setting)} against ${settingOf(run, row.against).toLowerCase()}`, capital(row.words).replace(/:.*/, "."), number(row.seeds), `${shown(row, row.mean)}${unit(row)}`, from(row), number(row.p_holm)]);
  if (!cells.length) return null;
  return html`<div class="stack"><div class="row spread"><h2>The comparison</h2><span class="row"><${Copy} text=${document.latex}>Copy as LaTeX<//><${Copy} text=${document.csv}>Copy as CSV<//></span></div>
    <${Table} name="over seeds" rows=${cells} columns=${heads.map((title, index) => ({ title, number: index > 1, show: (row) => row[index] }))} />
    <p class="note">Their champions can meet as well:</p><${CommandLine} line=${run.lines[0].line} /></div>`;
}

export const parts = { "": ["Overview", Study] };
