// Home: runs and jobs in one list, live, with filters, order and pages.

import { path } from "../api.js";
import { usePages } from "../data.js";
import { useEvents } from "../events.js";
import { amount, date, strengthOf } from "../format.js";
import { Spark } from "../figures.js";
import { html } from "../html.js";
import { Ahead, changed, isActive, JobButtons, jobTitle } from "../jobs.js";
import { isContest, meta } from "../meta.js";
import { setQuery, to } from "../router.js";
import { Chip, More, Progress, Search, Select, Wait } from "../ui.js";

const ALL = ["", "all"];
const STATES = ["", "running", "queued", "done", "stopped", "interrupted", "failed", "damaged", "elsewhere"].map((state) => [state, state === "elsewhere" ? "from elsewhere" : state || "all"]);
const SORTS = [["-date", "newest first"], ["date", "oldest first"], ["name", "name"], ["-elo", "highest Elo"], ["-score", "best score"]];
const OF_JOBS = ["queued", "failed", "elsewhere"];

export function Home({ query }) {
  const filter = Object.fromEntries(["q", "kind", "rules", "state"].map((name) => [name, query.get(name) || ""]));
  const sort = query.get("sort") || "-date";
  const filtered = Object.values(filter).some(Boolean);
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
  const select = (title, name, value, choices) => html`<${Select} name=${title} value=${value} choices=${choices} onChange=${(chosen) => setQuery({ [name]: chosen })} />`;
  return html`<div class="head"><h1>Runs and jobs</h1></div>
    <div class="filters" role="search">
      <${Search} name="Name" value=${filter.q} onChange=${(q) => setQuery({ q })} />
      ${select("Kind", "kind", filter.kind, [ALL, ...[...kinds, ...contests].map(({ name, plural }) => [name, plural])])}
      ${select("Rules", "rules", filter.rules, [ALL, ...rules.map(({ name }) => [name, name])])}
      ${select("State", "state", filter.state, STATES)}${select("Order", "sort", sort, SORTS)}
    </div>
    <${Wait} of=${noRuns ? jobs : runs}>
      ${shown.length === 0 && (filtered ? html`<p class="quiet">Nothing here is like that. <a href="#/">Show all</a></p>` : html`<${Welcome} />`)}
      <ul class="list">${shown.map(({ run, job }) => html`<${Row} key=${run ? `run ${run.id}` : job.id} run=${run} job=${job} />`)}</ul>
      ${!noRuns && html`<${More} pages=${runs} what="runs" />`}
      ${(noRuns || !runs.more) && html`<${More} pages=${jobs} what="jobs" />`}
    <//>`;
}

const Welcome = () => html`<div class="panel"><p>There are no runs yet.</p>
  <p>An evolution breeds agents that play Reversi: generation after generation the best survive.</p>
  <p class="buttons"><a class="button main" href="#/new/run">Start an evolution</a><a class="button" href="#/play">Play a game</a></p></div>`;

function fits(job, { q, kind, rules, state }) {
  return (!q || jobTitle(job).toLowerCase().includes(q.toLowerCase())) && (!kind || job.command === kind)
    && (!rules || job.settings.rules === rules) && (!state || job.state === state);
}

/** Jobs at work first; then runs, and ended jobs that made none where they belong by date. */
function merged(runs, jobs, fit, sort, moreRuns) {
  const known = new Set(runs.map(({ id }) => id));
  const working = new Map(jobs.filter((job) => job.run && isActive(job)).map((job) => [job.run, job]));
  const listed = runs.map((run) => ({ run, job: working.get(run.id), date: run.date }));
  const alone = jobs.filter((job) => fit(job) && (isActive(job) ? !known.has(job.run) : !job.run || ["failed", "elsewhere", "damaged"].includes(job.state)))
    .map((job) => ({ job, date: job.ended || job.created }));
  const ended = alone.filter(({ job }) => !isActive(job));
  const active = alone.filter(({ job }) => isActive(job));
  if (!sort.endsWith("date")) return [...active, ...listed, ...ended];
  const sign = sort === "date" ? 1 : -1;
  const near = ended.filter((one) => !moreRuns || sign * (one.date - (listed.at(-1)?.date ?? 0)) <= 0);
  return [...active, ...[...listed, ...near].sort((a, b) => sign * (a.date - b.date))];
}

function Row({ run, job }) {
  const strength = run ? strengthOf(run) : strengthOf({ ...job.result, elo: null });
  const done = run && amount(run, job);
  const wrong = run ? run.problem : job.error;
  return html`<li class="item">
    <div class="what"><a href=${run ? to(["run", run.id]) : to(["job", job.id])}>${run ? run.id : jobTitle(job)}</a>
      <span class="quiet">${run ? [run.command, run.rules, run.preset].filter(Boolean).join(" · ") : job.command}</span></div>
    <div class="how"><${Chip} state=${(job || run).state} />
      ${wrong ? html`<span class="bad">${wrong}</span>` : job ? html`<${Ahead} job=${job} words=${done} share=${run?.share} />`
        : html`<${Progress} share=${run.share} name=${`progress of ${run.id}`} text=${done} />`}</div>
    <div class="curve">${run?.curve.length > 1 && html`<${Spark} lines=${[run.curve]} name=${`curve of ${run.id}`} />`}${isActive(job) && html`<${JobButtons} job=${job} />`}</div>
    <div class="what">${strength && html`<small>${strength.join(" ")}</small>`}
      <span class="quiet">${date(run ? run.date : job.ended || job.created)}</span></div>
  </li>`;
}
