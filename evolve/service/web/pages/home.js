// Home: what runs on top, then runs, studies, sweeps and matches in one list; without any, a first visit.

import { path, remove } from "../api.js";
import { useGet, usePages } from "../data.js";
import { useEvents } from "../events.js";
import { Elo, Ends, Picture, Spark } from "../figures.js";
import { aboutOf, amount, capital, duration, eloOf, gainOf, gapOf, isFew, percent, tooFew, troubleOf, verdictOf, when, winnerOf } from "../format.js";
import { html, useEffect, useState } from "../html.js";
import { aheadOf, changed, contestOf, DeleteJob, isActive, JobButtons, jobTitle } from "../jobs.js";
import { isContest, kindOf, meta } from "../meta.js";
import { setQuery, to } from "../router.js";
import { ActTwice, Chip, Icon, Menu, More, Problem, Search, Seg, Select, Wait } from "../ui.js";

const STATES = ["running", "queued", "done", "stopped", "interrupted", "failed", "damaged"];
const SORTS = [["-date", "Newest first"], ["date", "Oldest first"], ["-elo", "Strongest first"], ["-score", "Best score first"], ["name", "Name"]];
const OF_JOBS = ["queued", "failed"];
const MOST = 6;

export function Home({ query }) {
  const filter = Object.fromEntries(["q", "kind", "rules", "state"].map((name) => [name, query.get(name) || ""]));
  const sort = query.get("sort") || "-date";
  const filtered = Object.values(filter).some(Boolean);
  const [chosen, setChosen] = useState([]);
  const { kinds, contests, rules } = meta();
  const noRuns = isContest(filter.kind) || OF_JOBS.includes(filter.state);
  const runs = usePages(noRuns ? null : path(["runs"], { limit: 25, ...filter, sort }));
  const jobs = usePages(path(["jobs"], { limit: 50 }));
  useEvents((event) => {
    const { name, data } = event;
    const put = (items, add) => (items.some(({ id }) => id === data.id) || !add
      ? items.map((item) => (item.id === data.id ? data : item)) : [data, ...items]);
    if (name === "job") jobs.change((items) => put(items, true));
    else if (name === "progress" || name === "match") jobs.change((items) => items.map((job) => changed(job, event)));
    else if (name === "run" && !data.study) runs.change((items) => (data.gone ? items.filter(({ id }) => id !== data.id) : put(items, sort === "-date" && !filtered)));
  });
  const listed = noRuns ? [] : runs.items || [];
  const shown = merged(listed, jobs.items || [], (job) => fits(job, filter), sort, !noRuns && runs.more);
  const now = shown.filter(({ run, job }) => isActive(job) || run?.state === "running");
  const rest = shown.filter((item) => !now.includes(item));
  const list = noRuns ? jobs : runs;
  const first = runs.items && jobs.items && !filtered && (shown.length === 0 || (shown.length === 1 && shown[0].run?.id === "example"));
  const select = (title, name, value, choices) => html`<${Select} name=${title} hidden value=${value} choices=${choices} onChange=${(changed) => setQuery({ [name]: changed })} />`;
  const tick = (id) => setChosen(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id].slice(-MOST));
  return html`<h1 class="sr">Runs</h1>
    ${now.map((item) => html`<${Now} key=${keyOf(item)} ...${item} />`)}
    ${first && html`<${FirstVisit} opened=${shown.length > 0} />`}
    ${!first && (shown.length > 0 || filtered) && html`<div class="row" role="search">
      <${Seg} name="Kind" value=${filter.kind} onChange=${(kind) => setQuery({ kind })} choices=${[["", "All"], ...[...kinds, ...contests].map(({ name, plural }) => [name, capital(plural)])]} />
      <span class="find push"><${Icon} name="search" /><${Search} hidden name="Search runs" value=${filter.q} onChange=${(q) => setQuery({ q })} /></span>
      <span class="row">${select("Rules", "rules", filter.rules, [["", "All rules"], ...rules.map(({ name }) => [name, name])])}
      ${select("State", "state", filter.state, [["", "All states"], ...STATES.map((state) => [state, state])])}
      ${select("Order", "sort", sort, SORTS)}</span>
    </div>`}
    <${Wait} of=${list}>
      ${filtered && shown.length === 0 && html`<p class="note">Nothing here is like that. <a href="#/">Show all</a>, or <a href="#/new">start something new</a>.</p>`}
      ${rest.length > 0 && html`<div class="card flush"><div class="run heads" aria-hidden="true"><span></span><span></span><span>Name</span><span>Course</span><span>Elo</span><span>What that means</span><span>Ended</span></div>
        <ul class="runs">${rest.map((item) => html`<${Row} key=${keyOf(item)} ...${item} chosen=${chosen.includes(item.run?.id)} onTick=${() => tick(item.run.id)} />`)}</ul></div>`}
      ${!noRuns && html`<${More} pages=${runs} what="runs" />`}
      ${(noRuns || !runs.more) && html`<${More} pages=${jobs} what="jobs" />`}
      ${rest.length > 0 && html`<p class="note">Elo is on the ladder of its rules: 0 is the weight table at 1 ply, ± a 95 % interval; with a sign it is a difference. Choose two rows to compare them.</p>`}
    <//>
    ${chosen.length > 0 && html`<div class="card picked row" role="status"><strong>${chosen.length}</strong> chosen${chosen.length === 1 && html` <span class="note">one more to compare</span>`}
      <button type="button" class="push" onClick=${() => setChosen([])}>None</button>
      ${chosen.length > 1 && html`<a class="button main" href=${to(["compare"], { run: chosen })}>Compare</a>`}</div>`}`;
}

const keyOf = ({ run, job }) => (run ? `run ${run.id}` : job.id);

/** Loaded where there is nothing else to see. */
function FirstVisit(props) {
  const [loaded, setLoaded] = useState({});
  useEffect(() => {
    import("./welcome.js").then(({ Welcome }) => setLoaded({ Welcome }), (error) => setLoaded({ error }));
  }, []);
  return loaded.Welcome ? html`<${loaded.Welcome} ...${props} />` : html`<${Problem} error=${loaded.error} />`;
}

function fits(job, { q, kind, rules, state }) {
  return (!q || jobTitle(job).toLowerCase().includes(q.toLowerCase())) && (!kind || job.command === kind)
    && (!rules || job.settings.rules === rules) && (!state || job.state === state);
}

/** Jobs at work first; then runs, and ended jobs that made none where they belong by date. */
function merged(runs, jobs, fit, sort, moreRuns) {
  const known = new Set(runs.map(({ id }) => id));
  const listed = runs.map((run) => ({ run, job: jobs.find((job) => job.run === run.id && (isActive(job) || (job.id === run.job && job.state === "failed" && run.state === "stopped"))), date: run.date }));
  const alone = jobs.filter((job) => fit(job) && !known.has(job.run) && (isActive(job) || !job.run || ["failed", "damaged"].includes(job.state)))
    .map((job) => ({ job, date: job.ended || job.created }));
  const ended = alone.filter(({ job }) => !isActive(job));
  const active = alone.filter(({ job }) => isActive(job));
  if (!sort.endsWith("date")) return [...active, ...listed, ...ended];
  const sign = sort === "date" ? 1 : -1;
  const near = ended.filter((item) => !moreRuns || sign * (item.date - (listed.at(-1)?.date ?? 0)) <= 0);
  return [...active, ...[...listed, ...near].sort((a, b) => sign * (a.date - b.date))];
}

const hrefOf = ({ run, job }) => (run ? to(["run", run.id]) : to(["job", job.id]));

/** What is at work: how far, how strong so far, and how it is stopped. */
function Now({ run, job }) {
  const { text, left, share } = aheadOf(job, run);
  return html`<section class="card now" aria-label=${`working: ${run?.id || jobTitle(job)}`}>
    <${Picture} run=${run} />
    <div class="bar-cell"><p class="row"><a class="title plain" href=${hrefOf({ run, job })}>${run?.id || jobTitle(job)}</a><${Chip} state=${(job || run).state} text=${text} />
      <span class="note">${[left, run ? aboutOf(run) : contestOf(job)].filter(Boolean).join(" · ")}</span></p>
      <progress max="1" value=${share ?? undefined} aria-label=${`progress of ${run?.id || jobTitle(job)}`}></progress></div>
    ${run && html`<${Course} run=${run} />`}
    <div class="figure"><${Strength} run=${run} job=${job} /></div>
    ${job && html`<div class="row"><${JobButtons} job=${job} /></div>`}
  </section>`;
}

function Row({ run, job, chosen, onTick }) {
  const name = run ? run.id : jobTitle(job);
  const state = (job || run).state;
  return html`<li class="run">
    ${run && state !== "damaged" ? html`<input class="tick" type="checkbox" aria-label=${`Choose ${name}`} checked=${chosen} onChange=${onTick} />` : html`<span class="tick"></span>`}
    <${Picture} run=${run} />
    <div class="who"><span class="row"><a class="plain" href=${hrefOf({ run, job })}>${name}</a>${state !== "done" && html`<${Chip} state=${state} />`}</span>
      <span class="note">${run ? aboutOf(run, amount(run)) : contestOf(job)}</span></div>
    ${run ? html`<${Course} run=${run} />` : job.result?.games > 0 && job.result.wins !== undefined ? html`<${Ends} result=${job.result} />` : html`<span class="spark"></span>`}
    <div class="figure"><${Strength} run=${run} job=${job} /></div>
    <span class="says"><${Meaning} run=${run} job=${job} /></span>
    <span class="when note">${when(run ? run.date : job.ended || job.created)}${job?.ended && job.started ? ` · ${duration(job.ended - job.started)}` : ""}</span>
    ${run && html`<${Menu} name=${`More about ${name}`}>
      ${run.champion && html`<a href=${to(["play"], { agent: `run:${run.id}` })}>Play its champion</a>`}
      ${kindOf(run)?.tables.length > 0 && html`<a href=${to(["new", run.command], { from: run.id })}>Run again with changes</a>`}
      ${kindOf(run) && html`<a href=${to(["compare"], { run: run.id })}>Compare with …</a>`}
      <${ActTwice} question="The run and all its tables go." act=${() => remove(path(["runs", run.id]))}>Delete<//><//>`}
    ${!run && html`<${Menu} name=${`More about ${name}`}><a href=${hrefOf({ job })}>Open</a><${JobButtons} job=${job} /><${DeleteJob} job=${job} gone=${() => {}} /><//>`}
  </li>`;
}

function Course({ run }) {
  const lines = run.curves.length ? run.curves : [run.curve];
  return lines[0].length > 1 ? html`<${Spark} lines=${lines} name=${`course of ${run.id}`} />` : html`<span class="spark"></span>`;
}

function Strength({ run, job }) {
  if (!run) {
    const { elo, elo_low: low, elo_high: high, score } = job.result || {};
    return typeof elo === "number" ? html`<${Elo} value=${elo} low=${low} high=${high} difference />` : typeof score === "number" && html`<span class="elo">${percent(score, 0)} <i>score</i></span>`;
  }
  const elo = eloOf(run);
  if (typeof elo.value === "number") return html`<${Elo} ...${elo} />`;
  return typeof run.gain === "number" && html`<${Elo} value=${run.gain} low=${run.gain_low} high=${run.gain_high} difference />`;
}

/** Who is stronger after a match or a rating, as far as its games tell. */
function outcomeOf({ settings, result }) {
  const [best] = [...(result?.agents || [])].sort((a, b) => b.score - a.score);
  if (best && isFew(best.games)) return tooFew(best.games);
  if (best) return `${best.agent} is the strongest`;
  if (!result?.games || typeof result.score !== "number") return null;
  if (result.superiority === null) return tooFew(2 * result.pentanomial.reduce((sum, pairs) => sum + pairs));
  if (result.score_low <= 0.5 && result.score_high >= 0.5) return "Undecided: they may be equally strong";
  const [a, b] = [settings.a, settings.b].map((id) => String(id).replace(/^run:/, ""));
  return result.score > 0.5 ? `${a} is stronger than ${b}` : `${b} is stronger than ${a}`;
}

function Meaning({ run, job }) {
  const wrong = run?.problem || job?.error;
  if (wrong) return html`<span class="bad">${troubleOf(wrong)}</span>`;
  if (!run) return (job.ending && job.ending !== "played" ? job.ending : null) ?? outcomeOf(job);
  if (typeof run.gain === "number") return typeof run.elo === "number" ? gainOf(run) : "Over its default settings, in fresh games";
  if (run.grid) return html`<${Found} run=${run} />`;
  if (run.beats) return `Beats the ${run.beats}`;
  if (typeof run.elo === "number") return "Beats no rung of the ladder for certain";
  if (typeof run.elo_so_far === "number") return "Strength of its bests";
  return typeof run.score === "number" ? `Scores ${percent(run.score)} against its panel` : null;
}

/** What a study has found: its verdict, as its own page says it, below how large it is. */
function Found({ run }) {
  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const row = verdictOf(useGet(path(["seeds"], { run: run.id, ended: run.done }), { keep: true }).data?.items || []);
  const size = `${count(run.grid.length, "setting")} × ${count(run.grid[0]?.length ?? 0, "seed")}`;
  return row ? html`${winnerOf(row) || "Undecided"}<br />${row.winner ? `by ${gapOf(row)}` : `${gapOf(row)} apart`}, ${size}` : size;
}
