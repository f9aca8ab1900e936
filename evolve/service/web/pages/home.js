// Home: runs and jobs in one list, live, with filters, order and pages.

import { path } from "../api.js";
import { Spark } from "../charts.js";
import { usePages } from "../data.js";
import { useEvents } from "../events.js";
import { date, duration, interval, number } from "../format.js";
import { html, useState } from "../html.js";
import { isActive, JobButtons } from "../jobs.js";
import { setQuery, to } from "../router.js";
import { Chip, More, Progress, Search, Select, Wait } from "../ui.js";

const KINDS = [["", "all"], ["run", "evolutions"], ["train", "trainings"], ["sweep", "sweeps"], ["match", "matches"], ["rate", "ratings"]];
const RULES = [["", "all"], ["standard", "standard"], ["reversed", "reversed"]];
const STATES = [["", "all"], ["running", "running"], ["queued", "queued"], ["done", "done"], ["stopped", "stopped"], ["interrupted", "interrupted"], ["failed", "failed"], ["damaged", "damaged"]];
const SORTS = [["-date", "newest first"], ["date", "oldest first"], ["name", "name"], ["-score", "best score"]];
const OF_JOBS = ["match", "rate"];
const JOB_STATES = ["queued", "interrupted", "failed"];

export default function Home({ query }) {
  const given = (name) => query.get(name) || "";
  const [q, kind, rules, state, sort] = [given("q"), given("kind"), given("rules"), given("state"), given("sort") || "-date"];
  const noRuns = OF_JOBS.includes(kind) || JOB_STATES.includes(state);
  const runs = usePages(noRuns ? null : path(["runs"], { limit: 25, q, kind, rules, state, sort }));
  const jobs = usePages(path(["jobs"], { limit: 50 }));
  const [live, setLive] = useState({});
  useEvents(({ name, data }) => {
    if (name === "job") jobs.change((items) => replaced(items, data, true));
    if (name === "run" && data.gone) runs.change((items) => items.filter((run) => run.id !== data.id));
    else if (name === "run") runs.change((items) => replaced(items, data, sort === "-date" && !(q || kind || rules || state)));
    if (name === "progress") setLive((old) => ({ ...old, [data.run || data.job]: data }));
    if (name === "again") setLive({});
  });
  const shown = merged(noRuns ? [] : runs.items || [], (jobs.items || []).filter((job) => fits(job, { q, kind, rules, state })), sort, runs.more, jobs.items || []);
  const filter = (name) => (value) => setQuery({ [name]: value });
  return html`<div class="head"><h1>Runs and jobs</h1><a class="button main" href="#/new">New run</a></div>
    <div class="filters" role="search">
      <${Search} name="Name" value=${q} onChange=${filter("q")} />
      <${Select} name="Kind" value=${kind} choices=${KINDS} onChange=${filter("kind")} />
      <${Select} name="Rules" value=${rules} choices=${RULES} onChange=${filter("rules")} />
      <${Select} name="State" value=${state} choices=${STATES} onChange=${filter("state")} />
      <${Select} name="Order" value=${sort} choices=${SORTS} onChange=${filter("sort")} />
    </div>
    <${Wait} of=${noRuns ? jobs : runs}>
      ${shown.length === 0 && !runs.loading && html`<${Nothing} filtered=${q || kind || rules || state} />`}
      <ul class="list">${shown.map(({ run, job }) => (run
        ? html`<${RunRow} key=${`run ${run.id}`} run=${run} job=${job} live=${live[run.id] || (job && live[job.id])} />`
        : html`<${JobRow} key=${job.id} job=${job} live=${live[job.id]} />`))}</ul>
      ${!noRuns && html`<${More} pages=${runs} what="runs" />`}
      ${(noRuns || !runs.more) && jobs.more && html`<${More} pages=${jobs} what="jobs" />`}
    <//>`;
}

function Nothing({ filtered }) {
  if (filtered) return html`<p class="quiet">Nothing here is like that. <a href="#/">Show all</a></p>`;
  return html`<div class="panel welcome"><p>There are no runs yet.</p>
    <p>An evolution breeds agents that play Reversi: generation after generation the best survive. A first one takes minutes.</p>
    <p><a class="button main" href="#/new/run">Start an evolution</a> <a class="button" href="#/play">Play a game</a></p></div>`;
}

function replaced(items, item, add) {
  const place = items.findIndex((one) => one.id === item.id);
  if (place < 0) return add ? [item, ...items] : items;
  return items.map((one, at) => (at === place ? item : one));
}

function fits(job, { q, kind, rules, state }) {
  return (!q || jobTitle(job).toLowerCase().includes(q.toLowerCase()))
    && (!kind || job.command === kind)
    && (!rules || job.settings.rules === rules)
    && (!state || job.state === state || (state === "running" && job.state === "stopping"));
}

/** Runs with their jobs at work, and jobs without a run, in one order. */
function merged(runs, jobs, sort, moreRuns, allJobs) {
  const ofRun = new Map(allJobs.filter((job) => job.run && isActive(job)).map((job) => [job.run, job]));
  const listed = runs.map((run) => ({ run, job: ofRun.get(run.id), date: run.date }));
  const known = new Set(runs.map((run) => run.id));
  const alone = jobs.filter((job) => !job.run || (isActive(job) && !known.has(job.run)))
    .map((job) => ({ job, date: job.ended || job.started || job.created }));
  const active = alone.filter(({ job }) => isActive(job));
  const ended = alone.filter(({ job }) => !isActive(job));
  if (!sort.endsWith("date")) return [...active, ...listed, ...ended];
  const sign = sort === "date" ? 1 : -1;
  const last = listed.at(-1)?.date ?? 0;
  const near = moreRuns ? ended.filter((one) => sign * (one.date - last) <= 0) : ended;
  return [...active, ...[...listed, ...near].sort((a, b) => sign * (a.date - b.date))];
}

function RunRow({ run, job, live }) {
  const working = run.state === "running" || isActive(job);
  const share = working ? live?.share ?? run.share : run.share;
  return html`<li class="item">
    <div class="what"><a href=${to(["run", run.id])}>${run.id}</a>
      <span class="quiet">${[run.command, run.rules, run.preset].filter(Boolean).join(" · ")}</span></div>
    <div class="state"><${Chip} state=${isActive(job) ? job.state : run.state} />
      ${run.problem ? html`<span class="bad">${run.problem}</span>`
        : html`<${Progress} share=${share} name=${`progress of ${run.id}`} text=${told(run, working && live, working ? job : null)} />`}</div>
    <div class="curve">${run.curve?.length > 1 && html`<${Spark} values=${run.curve} name=${`curve of ${run.id}`} />`}</div>
    <div class="score" title="score of its champion">${run.score !== null && html`<span>score ${interval(run.score, run.score_low, run.score_high)}</span>`}
      <span class="quiet">${date(run.date)}</span></div>
  </li>`;
}

function told(run, live, job) {
  const done = run.done === null ? null : `${number(run.done)} of ${number(run.target)} ${run.unit || ""}`;
  const left = live?.left ?? job?.progress?.left;
  return [done, typeof left === "number" && `${duration(left)} left`].filter(Boolean).join(", ");
}

/** What a job is about, in a few words. */
export function jobTitle(job) {
  const { command, settings } = job;
  if (command === "match") return `${settings.a} against ${settings.b}`;
  if (command === "rate") return (settings.agents || []).join(", ");
  return job.run || [command, settings.kind].filter(Boolean).join(" ");
}

function JobRow({ job, live }) {
  const progress = job.progress || {};
  const total = progress.total ? progress.done / progress.total : null;
  const share = isActive(job) ? live?.share ?? total : job.state === "done" ? 1 : total ?? 0;
  const left = live?.left ?? progress.left;
  return html`<li class="item job">
    <div class="what"><a href=${to(["job", job.id])}>${jobTitle(job)}</a>
      <span class="quiet">${job.command}${job.place ? `, place ${job.place} in the queue` : ""}</span></div>
    <div class="state"><${Chip} state=${job.state} />
      ${job.error ? html`<span class="bad">${job.error}</span>`
        : job.state !== "queued" && html`<${Progress} share=${share} name="progress" text=${isActive(job) && typeof left === "number" ? `${duration(left)} left` : ""} />`}</div>
    <div class="curve">${isActive(job) && html`<${JobButtons} job=${job} />`}</div>
    <div class="score">${typeof job.result?.score === "number" && html`<span>score ${interval(job.result.score, job.result.score_low, job.result.score_high)}</span>`}
      <span class="quiet">${date(job.ended || job.started || job.created)}</span></div>
  </li>`;
}
