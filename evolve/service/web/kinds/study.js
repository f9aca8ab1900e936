// A study: who is better in words, each run as a cell of settings × seeds, the means' curves, and the comparison.

import { path, post } from "../api.js";
import { BarChart, Plot } from "../charts.js";
import { courseSeries, useGet, usePages } from "../data.js";
import { useEvents } from "../events.js";
import { capital, courseTitle, isElo, label, margin, number, percent, signed, verdictOf, winnerOf } from "../format.js";
import { mostOf, shade } from "../figures.js";
import { html, useEffect } from "../html.js";
import { to } from "../router.js";
import { Act, Box, CommandLine, Copy, More, Table, Wait } from "../ui.js";

/** A run's number as the comparison has it; before that what is known of it. */
const valueIn = (rows, { setting, seed }, run) => {
  const own = rows.find((row) => row.setting === setting && row.values);
  return own?.values[seed] ?? (!own || isElo(own) ? [run?.elo, run?.elo_so_far, ...(rows.length ? [] : [run?.score])] : []).find(Number.isFinite);
};
const shortOf = (run, setting) => capital(run.cells.find((cell) => cell.setting === setting)?.short || "default");
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
    ${found.data && (names.length > 1 || !ended) && html`<${Verdict} run=${run} found=${found.data} ended=${ended} />`}
    <div class="card stack"><${Matrix} run=${run} names=${names} byId=${byId} means=${rows} whole=${items.length >= (runs.total || 0)} /></div>
    <${Rise} run=${run} items=${items} means=${rows} />
    ${names.length > 1 && html`<div class="two"><${Differences} run=${run} names=${names} byId=${byId} rows=${rows} /><${Effects} rows=${rows} /></div>`}
    ${rows.length > 0 && html`<${Comparison} run=${run} rows=${rows} document=${found.data} />`}
    <${More} pages=${runs} what="runs" />
  <//>`;
}

const unit = (row) => (isElo(row) ? " Elo" : "");
const shown = (row, value) => signed(value, isElo(row) ? 0 : 3);
const from = (row) => (Number.isFinite(row.low) ? `${shown(row, row.low)} to ${shown(row, row.high)}` : "–");

/** Seeds to add where nothing is decided; after a decision a further look could only undo it, or find by luck what is not there. */
function Verdict({ run, found, ended }) {
  const row = verdictOf(found?.items || []);
  const next = Math.max(...run.cells.map(({ seed }) => seed)) + 1;
  const more = row?.winner ? 0 : row?.more_seeds ?? 2;
  const seeds = `${more} ${more === 1 ? "seed" : "seeds"}`;
  const add = more > 0 && ended > 0 && run.state !== "running" && html`<p><${Act} kind="main" act=${() => post(path(["runs", run.id, "resume"]), { settings: { seeds: `${next}-${next + more - 1}` } })}>Add ${seeds} a setting<//></p>
    ${row && Number.isFinite(row.p) && html`<p class="note">Looking again has a price: of 100 studies of equal settings, 5 seem decided at the first look, 9 to those who look twice, 15 to those who look five times. A new study of as many seeds, looked at once, keeps to 5.</p>`}`;
  if (!row) return html`<div class="callout plain words stack"><p>${ended ? "One seed a setting says nothing of chance." : "Its first runs are on their way."}</p>${add}</div>`;
  return html`<div class=${`callout words stack${row.winner ? "" : " plain"}`}>${found.words.map((text) => html`<p>${text}</p>`)}${add}</div>`;
}

function Matrix({ run, names, byId, means, whole }) {
  const seeds = [...new Set(run.cells.map(({ seed }) => seed))];
  const all = run.cells.map((entry) => valueIn(means, entry, byId.get(entry.run))).filter(Number.isFinite);
  const middle = all.length ? mean(all) : 0;
  const most = mostOf(all.map((value) => value - middle));
  const fields = Object.keys(run.settings.grid || {});
  const show = (value) => (Math.abs(value) < 2 ? number(value, 3) : number(value, 0));
  const cell = (entry) => {
    const { run: id } = entry;
    const item = byId.get(id);
    const value = valueIn(means, entry, item);
    if (!item) return html`<td class="v z0"><small>${whole ? "to come" : "not loaded"}</small></td>`;
    return html`<td class=${`v ${Number.isFinite(value) ? shade(value - middle, most) : "z0"}`}><a href=${to(["run", id])}>${Number.isFinite(value) ? show(value) : item.state}</a>
      <small>${item.state === "done" ? value === item.elo && margin(item.elo_low, item.elo_high) : item.state === "running" ? percent(item.share, 0) : item.state}</small></td>`;
  };
  return html`<div class="row spread"><h2 class="title">Each run</h2><span class="scale">weaker <svg viewBox="0 0 110 10" aria-hidden="true">${[-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5].map((step) => html`<rect class=${`v ${shade(step, 5)}`} x=${(step + 5) * 10} width="10" height="10" />`)}</svg> stronger</span></div>
    <${Box} name="settings and seeds"><table class="matrix"><thead><tr><th scope="col">${capital(fields.map(label).join(" · ") || "setting")}</th>
      <th scope="col" class="number">Mean</th>${seeds.map((seed) => html`<th scope="col">Seed ${seed}</th>`)}</tr></thead>
      <tbody>${names.map((name) => {
        const own = means.find((row) => row.setting === name && !row.against);
        return html`<tr key=${name}><th scope="row">${shortOf(run, name)}</th><td class="number"><strong>${own ? show(own.mean) : "–"}</strong> ${own && html`<small>n = ${own.seeds}</small>`}</td>${seeds.map((seed) => {
          const found = run.cells.find((each) => each.setting === name && each.seed === seed);
          return found ? cell(found) : html`<td></td>`;
        })}</tr>`;
      })}</tbody></table><//>
    <p class="note">${all.some((value) => Math.abs(value) >= 2) ? "Elo of the champion, ± 95 %." : `${capital(label(means[0]?.metric || "score"))}.`} Colour: against the mean of all runs. A cell opens its run.</p>`;
}

/** What the better setting gains on the other with each seed: of the two that the verdict is of, else of the first two. */
function Differences({ run, names, byId, rows }) {
  const row = verdictOf(rows);
  const [first, second] = !row ? names : row.mean < 0 ? [row.setting, row.against] : [row.against, row.setting];
  const value = (name, seed) => valueIn(rows, { setting: name, seed }, byId.get(run.cells.find((cell) => cell.setting === name && cell.seed === seed)?.run));
  const bars = [...new Set(run.cells.map(({ seed }) => seed))].map((seed) => ({ name: `seed ${seed}`, value: value(second, seed) - value(first, seed) })).filter((bar) => Number.isFinite(bar.value));
  if (!bars.length) return null;
  const exact = bars.some((bar) => Math.abs(bar.value) > 2) ? 0 : 3;
  const middle = mean(bars.map((bar) => bar.value));
  const same = row && Math.abs(Math.abs(row.mean) - middle) < 0.01; // not while a run of them goes on
  const [low, high] = !same ? [] : row.mean < 0 ? [-row.high, -row.low] : [row.low, row.high];
  return html`<${BarChart} title=${`${shortOf(run, second)} less ${shortOf(run, first)}, seed by seed`} text=${(difference) => signed(difference, exact)}
    bars=${[...bars, { name: "mean", value: middle, low, high, faint: true }]} />`;
}

/** Each factor alone: what each two of its values differ by as a mean over the values of the others, seed by seed. */
function Effects({ rows }) {
  const effects = Object.groupBy(rows.filter(({ over }) => over), ({ setting }) => setting.split("=")[0]);
  const value = (name) => name.slice(name.indexOf("=") + 1);
  return html`<div class="stack">${Object.entries(effects).map(([factor, found]) => html`<${BarChart} key=${factor} title=${`${capital(label(factor))} alone${unit(found[0]) && ", Elo"}`} text=${(difference) => shown(found[0], difference)}
    bars=${found.map(({ setting, against, mean: middle, low, high }) => ({ name: `${value(setting)} − ${value(against)}`, value: middle, low, high }))}>
    <p class="note">Mean over ${label(found[0].over)}, seed by seed; 95 % after Holm: a line that does not reach 0 is decided.</p><//>`)}</div>`;
}

function Rise({ run, items, means }) {
  const tenths = items.reduce((sum, item) => sum + Math.floor(10 * (item.share || 0)), 0);
  const found = useGet(path(["runs", run.id, "courses"]), { keep: true });
  useEffect(() => found.reload(), [tenths]);
  const courses = found.data?.items || [];
  if (!courses.length) return run.state === "running" && html`<p class="quiet">Its first curves are on their way.</p>`;
  const [{ metric, over }] = courses;
  const series = courses.map((course) => courseSeries({ ...course, name: `${shortOf(run, course.setting)}, n = ${course.seeds}`, label: courses.length > 1 && shortOf(run, course.setting) }));
  const rings = metric === "rating" ? courses.flatMap(({ setting, x }, colour) => means.filter((row) => row.metric === "elo" && row.setting === setting && !row.against).map((row) => ({
    name: `champions of ${shortOf(run, setting)}`, unlisted: true, dots: true, open: true, colour: colour % 6, points: [{ x: x.at(-1), y: row.mean }] }))) : [];
  return html`<${Plot} title="How they rose" about=${courseTitle(courses[0])} xName=${label(over)} series=${[...series, ...rings]}>
    <p class="note">Line: mean of the seeds. Shade: from the lowest to the highest seed; from 5 seeds on, the 95 % interval of the mean.${rings.length > 0 && " Ring: mean of the champions' Elo, as in the table."}</p><//>`;
}

function Comparison({ run, rows, document }) {
  const heads = ["Comparison", "Result", "Seeds", "Difference", "95 % (Holm)", "p (Holm)"];
  const columns = heads.map((title, index) => ({ title, number: index > 1, wrap: true, show: (row) => row[index] }));
  const pairs = rows.filter((row) => row.against && !row.over).map((row) => [`${shortOf(run, row.setting)} against ${shortOf(run, row.against)}`, winnerOf(row) || "Undecided", number(row.seeds), `${shown(row, row.mean)}${unit(row)}`, from(row), number(row.p_holm)]);
  if (!pairs.length) return null;
  return html`<div class="stack"><div class="row spread"><h2>The comparison</h2><span class="row"><${Copy} text=${document.latex}>Copy as LaTeX<//><${Copy} text=${document.csv}>Copy as CSV<//></span></div>
    <${Table} name="over seeds" rows=${pairs} columns=${columns} />
    <p class="note">95 % intervals and p are corrected for the number of comparisons, after Holm. Their champions can meet as well:</p><${CommandLine} line=${run.lines[0].line} /></div>`;
}

export const parts = { "": ["Overview", Study] };
