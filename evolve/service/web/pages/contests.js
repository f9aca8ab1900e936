// Runs side by side, with a match between their champions; ratings of agents.

import { path } from "../api.js";
import { BarChart, HeatMap, Plot } from "../charts.js";
import { courseSeries, useGet } from "../data.js";
import { Elo, Ends } from "../figures.js";
import { capital, cell, courseTitle, interval, isElo, isFew, label, margin, number, percent, signed, tooFew } from "../format.js";
import { html, useEffect, useState } from "../html.js";
import { Watched } from "../jobs.js";
import { firstTable } from "../meta.js";
import { go, to } from "../router.js";
import { chartsOf } from "../tables.js";
import { CommandLine, Download, Facts, IdList, Problem, Seg, Select, Table, Wait, WHOLE } from "../ui.js";
import { Launch } from "./new.js";

const MOST = 6;

export function Compare({ query }) {
  const [ids, agents] = ["run", "agent"].map((name) => [...new Set(query.getAll(name))].slice(0, MOST));
  const together = useGet(ids.length ? path(["compare"], { run: ids }) : null, { keep: true });
  const { runs: found = [], champions = [], settings = [], line } = (ids.length && together.data) || {};
  const runs = found.filter((run) => ids.includes(run.id));
  const show = (changes) => go(to(["compare"], { run: ids, agent: agents, job: query.get("job"), ...changes }));
  return html`<h1>Compare</h1>
    <div class="panel"><h2 class="title">What</h2>
      <label for="compare-run">Add runs, trainings, sweeps and studies</label>
      <${IdList} picks id="compare-run" of="runs" chosen=${ids} onChange=${(run) => show({ run })} href=${(id) => to(["run", id])} />
      <label for="compare-agent">Add agents</label>
      <${IdList} id="compare-agent" chosen=${agents} onChange=${(agent) => show({ agent })} href=${(id) => to(["agents", id])} /></div>
    ${ids.length + agents.length === 0 && html`<p class="note">The Elo of their champions, curves and settings stand side by side, and the champions can play. Nothing here to compare? <a href="#/new">Start a run or a study</a></p>`}
    ${ids.length + agents.length > 0 && html`<${Wait} of=${ids.length ? together : { data: {} }}>
      ${runs.length + agents.length > 1 && html`<${Champions} runs=${runs} agents=${agents} /><${Meet} players=${[...champions, ...agents]} line=${runs.some(({ kind }) => kind === "study") && line} job=${query.get("job")} show=${show} />`}
      ${runs.length > 0 && html`<${Courses} runs=${runs} />`}
      ${runs.length > 1 && html`<p><${Download} name="comparison.html" href=${path(["compare", "report.html"], { run: ids })} about="this comparison as a page to send" /></p>
        <${Differences} runs=${runs} settings=${settings} />`}
    <//>`}`;
}

const alike = (runs) => runs.every(({ kind }) => kind === runs[0].kind);

/** The champions of all that was chosen on one Elo axis for each rules: of runs by their games, of a study's settings by its seeds, agents by name. */
function Champions({ runs, agents }) {
  const found = useGet(runs.length ? path(["seeds"], { run: runs.map(({ id }) => id) }) : null).data;
  const known = useGet(agents.length ? path(["agents"], { limit: 500 }) : null).data?.items || [];
  const { true: studies = [], false: others = [] } = Object.groupBy(runs, ({ kind }) => kind === "study");
  const named = new Set(others.flatMap(({ id }) => [id, id.split("+").at(-1)]));
  const studyOf = (setting) => studies.find(({ id }) => setting.startsWith(id)) ?? studies[0];
  const means = (found?.items || []).filter(({ metric, against, setting }) => metric === "elo" && !against && !named.has(setting));
  const bars = [
    ...others.filter(({ elo }) => typeof elo === "number").map(({ id, rules, elo, elo_low, elo_high }) => ({ rules, name: id, value: elo, low: elo_low, high: elo_high })),
    ...means.map(({ setting, mean, low, high }) => ({ rules: studyOf(setting)?.rules, name: setting, value: mean, low, high })),
    ...known.filter(({ id }) => agents.includes(id)).flatMap(({ id, ratings }) => ratings.map(({ rules, elo, error }) => ({ rules, name: id, value: elo, ...(error > 0 && { low: elo - error, high: elo + error }) }))),
  ].filter(({ rules }) => !runs.length || runs.some((run) => run.rules === rules)).sort((one, other) => other.value - one.value);
  const groups = Object.entries(Object.groupBy(bars, ({ rules }) => rules));
  return html`${groups.map(([rules, drawn]) => html`<${BarChart} key=${rules} title=${`Elo of the champions, ${rules}`} bars=${drawn} text=${whole} />`)}
    ${groups.length > 1 && html`<p class="note">Different rules have different scales of Elo.</p>`}
    <${Verdict} words=${found?.words} />`;
}

const Verdict = ({ words }) => words?.length > 0 && html`<div class="callout plain words stack">${words.map((text) => html`<p>${text}</p>`)}</div>`;

const OVER = ["games", "seconds", "generations"];

/** Runs and settings of studies over one another, a chart for what has one scale; alike runs by any number of their first table. */
function Courses({ runs }) {
  const [found, setFound] = useState({});
  const [metric, setMetric] = useState("");
  const [over, setOver] = useState(OVER[0]);
  const put = (id, courses) => setFound((old) => ({ ...old, [id]: courses }));
  const courses = runs.flatMap(({ id, kind }) => (found[id] || []).filter(({ x }) => x.at(-1) > x[0]).map((course) => ({ ...course, name: kind === "study" ? `${id}: ${course.short}, n = ${course.seeds}` : id, label: kind === "study" ? course.short : id })));
  const charts = Object.entries(Object.groupBy(courses, (course) => (isElo(course) ? courseTitle({ ...course, metric: "Strength, Elo" }) : courseTitle(course))));
  const single = alike(runs) && runs[0].kind !== "study";
  const metrics = single ? chartsOf(firstTable(runs[0])).flatMap(({ title, columns }) => columns.map(([column, name]) => [column, columns.length > 1 ? `${title}: ${name}` : title])) : [];
  return html`<div class="row spread"><h2>How they rose</h2><span class="row">${metrics.length > 1 && html`<${Select} name="Curve" hidden value=${metric} choices=${[["", "Strength"], ...metrics]} onChange=${setMetric} />`}
      <${Seg} name="Over" value=${over} choices=${OVER.map((name) => [name, capital(name)])} onChange=${setOver} /></span></div>
    ${runs.map((run) => html`<${Fetch} key=${run.id} run=${run} metric=${metric} over=${over} put=${put} />`)}
    ${charts.map(([title, drawn]) => html`<${Plot} key=${title} tall title=${title} xName=${label(drawn[0].over)} text=${WHOLE.test(drawn[0].metric) ? whole : undefined} series=${drawn.map(courseSeries)}>
      <p class="note">Line: mean of the seeds. Shade: from the lowest to the highest seed; from 5 seeds on, the 95 % interval of the mean; of one run, its own.</p><//>`)}`;
}

function Fetch({ run, metric, over, put }) {
  const courses = useGet(path(["runs", run.id, "courses"], { metric, over }), { keep: true });
  useEffect(() => courses.reload(), [Math.floor(10 * (run.share || 0))]);
  useEffect(() => put(run.id, courses.data?.items), [courses.data]);
  return html`<${Problem} error=${courses.error} />`;
}

function Differences({ runs, settings }) {
  const columns = runs.map((run, index) => ({ name: run.id, show: (row) => cell(row.values[index]) }));
  const found = useGet(path(["metrics"], { run: runs.map((run) => run.id) })).data?.items || [];
  const metrics = [...new Set(found.flatMap(Object.keys))].map((name) => ({ name, values: runs.map((_, index) => found[index]?.[name]) }));
  const shared = ({ values }) => alike(runs) || values.filter((value) => value !== null && value !== undefined).length > 1;
  const folded = (title, head, rows) => rows.length > 0 && html`<details><summary>${title}</summary><${Table} name=${title} rows=${rows} columns=${[{ name: head, show: (row) => label(row.name) }, ...columns]} /></details>`;
  return html`<${OverSeeds} runs=${runs} />
    ${folded("Settings in which they differ", "setting", settings.filter(shared))}
    ${folded("Metrics", "metric", metrics.filter(shared))}`;
}

/** Settings over their seeds, where some of these runs differ in their seeds alone; a study stands for its runs. */
function OverSeeds({ runs }) {
  const { items: found = [] } = useGet(path(["seeds"], { run: runs.map((run) => run.id) })).data || {};
  const pairs = found.some((row) => row.against);
  const exact = ({ metric }) => (WHOLE.test(metric) ? whole : number);
  const columns = [{ name: "metric", show: (row) => label(row.metric) }, { name: "setting", show: (row) => row.label },
    ...(pairs ? [{ name: "against", show: (row) => (row.against ? row.against_label : "–") }] : []), { name: "seeds", number: true },
    { title: pairs ? "mean, or difference" : "mean", number: true, show: (row) => interval(row.mean, row.low, row.high, exact(row)) },
    ...(pairs ? [{ title: "p (Holm)", number: true, show: (row) => number(row.p_holm) }] : [])];
  return found.length > 0 && html`<h2>Over seeds</h2>
    <p class="quiet">Runs that differ in their seeds alone are one setting. Intervals are Student's, 95 %; those of differences are corrected for their number, as p is.${found.some((row) => row.over) && " The last are main effects: means over the other settings."}</p>
    <${Table} name="over seeds" rows=${found} columns=${columns} />`;
}

/** A match of two; of more, and of studies, whose every run has a champion, each meets each. */
function Meet({ players, line, job, show }) {
  if (players.length < 2) return null;
  const two = players.length === 2;
  const fixed = two ? { a: players[0], b: players[1] } : { agents: players };
  const Result = two ? MatchResult : RatingResult;
  return html`<h2>Play them off</h2>
    <p>${two ? html`${players[0]} meets ${players[1]}` : `Their ${number(players.length)} champions meet in ${number((players.length * (players.length - 1)) / 2)} pairs`}, both colours on every opening.</p>
    <${Launch} key=${two} command=${two ? "match" : "rate"} fixed=${fixed} button=${two ? "Start the match" : "Start the round robin"} onStart=${({ id }) => show({ job: id })} />
    ${job && html`<${Watched} key=${job} id=${job}>${({ result }) => html`<${Result} result=${result} />`}<//>`}
    ${line && html`<p class="note">Seed by seed, in a terminal:</p><${CommandLine} line=${line} />`}`;
}

export function Ratings({ query }) {
  const job = query.get("job");
  const [agents, against] = ["agent", "against"].map((name) => query.getAll(name).join("\n"));
  return html`<h1>Ratings</h1>
    <p>Every agent meets every other one, or those of fixed Elo alone, both colours on every opening. Their Elo follows from all games.</p>
    <${Launch} key=${`${agents} ${against}`} command="rate" begin=${{ agents, against }} onStart=${({ id, settings }) => go(to(["ratings"], { agent: settings.agents, against: settings.against || [], job: id }))} />
    ${job && html`<${Watched} key=${job} id=${job}>${({ result }) => html`<${RatingResult} result=${result} />`}<//>`}
    <p><a href="#/?kind=rate">Earlier ratings</a></p>`;
}

const whole = (value) => number(value, 0);
const difference = (value) => signed(value, 0);
const at = (share) => `${100 * share}%`;

export function MatchResult({ result }) {
  if (!result?.games) return html`<p class="quiet">No pair of games has ended yet.</p>${result?.sprt && html`<${Test} sprt=${result.sprt} />`}`;
  const { games, score, score_low: low, score_high: high, superiority, pentanomial, sprt } = result;
  return html`
    ${typeof result.elo === "number" && html`<p><${Elo} big difference value=${result.elo} low=${result.elo_low} high=${result.elo_high} /> <span class="note">for the first</span></p>`}
    <${Ends} result=${result} />
    ${superiority === null && html`<p>${tooFew(2 * pentanomial.reduce((sum, pairs) => sum + pairs))}</p>`}
    <${Facts} facts=${[["games", number(games)], ["score of the first", interval(score, low, high, percent)],
      ["pairs of 0, ½, 1, 1½, 2 points", pentanomial.map((pairs) => number(pairs)).join(", ")]]} />
    ${sprt && html`<${Test} sprt=${sprt} />`}`;
}

const ENDS = { accepted: "Accepted", rejected: "Rejected" };

/** Games to two digits: they are an estimate. */
const about = (games) => number(Number(Number(games).toPrecision(2)));

function Test({ sprt: { elo0, elo1, unit, llr, lower, upper, verdict, games_expected: [at0, half, at1] = [], games_left: ahead, games_rest: rest } }) {
  const share = (value) => Math.max(0, Math.min(1, (value - lower) / (upper - lower)));
  return html`<p><strong>${ENDS[verdict] || "Undecided"}:</strong> stronger by ${number(elo1)} rather than by ${number(elo0)} ${unit} Elo. The log-likelihood ratio is <strong>${signed(llr, 2)}</strong>; it ends at ${signed(lower, 2)} or ${signed(upper, 2)}${ahead > 0 && html`, after about <strong>${about(ahead)}</strong> more games`}${ahead > rest && rest > 0 && `; the match has only ${number(rest)}`}.</p>
    <svg class="scorebar" role="img" aria-label=${`likelihood ratio ${number(llr, 2)} between ${number(lower, 2)} and ${number(upper, 2)}`} width="100%" height="26">
      <rect class="track" width="100%" height="10" y="8" rx="5" /><circle cx=${at(share(llr))} cy="13" r="8" />
      <line x1=${at(share(0))} x2=${at(share(0))} y1="2" y2="24" class="middle" /></svg>
    ${ahead > 0 && html`<p class="note">Expected in all: ${about(at0)} games at ${number(elo0)} Elo, ${about(half)} half way, ${about(at1)} at ${number(elo1)}${unit === "logistic" && ", if none is drawn"}.</p>`}`;
}

export function RatingResult({ result }) {
  const agents = [...(result?.agents || [])].sort((a, b) => b.score - a.score);
  if (!agents.length) return html`<p class="quiet">No games have ended yet.</p>`;
  const names = agents.map(({ agent }) => agent);
  const bars = agents.map((agent) => ({ name: agent.agent, value: agent.elo, low: agent.low ?? agent.elo_low, high: agent.high ?? agent.elo_high, agent }));
  return html`<div class="charts">
      <${BarChart} title="Elo" text=${difference} bars=${bars} />
      ${result.cross && html`<${HeatMap} title="Score of the row against the column" names=${names}
        values=${names.map((row) => names.map((column) => result.cross[row]?.[column] ?? null))} />`}
    </div>
    ${result.words?.length > 0 && html`<div class="callout plain words stack">${result.words.map((text) => html`<p>${capital(text)}.</p>`)}</div>`}
    <${Table} name="rating" rows=${bars} columns=${[{ title: "agent", show: ({ name }) => name }, { title: "Elo", number: true, show: ({ value, low, high, agent }) => (value === null ? (agent.score ? "+∞" : "−∞") : `${difference(value)} ${margin(low, high)}`) },
      { title: "score", number: true, show: ({ agent }) => percent(agent.score) }, { title: "games", number: true, show: ({ agent }) => (isFew(agent.games) ? tooFew(agent.games) : number(agent.games)) }]} />`;
}
