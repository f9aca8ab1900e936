// A job: state, progress, result, log, its games; what a match or a rating came to, so far or in the end.

import { get, path } from "../api.js";
import { BarChart, HeatMap } from "../charts.js";
import { useGet, usePages } from "../data.js";
import { useEvents } from "../events.js";
import { date, duration, interval, number, percent, signed } from "../format.js";
import { html, useEffect, useState } from "../html.js";
import { isActive, JobButtons, JobHead, jobTitle, useJob } from "../jobs.js";
import { go, to } from "../router.js";
import { CommandLine, Download, Facts, More, Select, Table, Wait } from "../ui.js";
import { Replay } from "./game.js";
import { GamesTable, SORTS } from "./game.js";

const FILES = [["games.csv", "the games as a table"], ["games.parquet", "the same, as Parquet"], ["games.ggf", "the games as GGF records"]];

export default function JobPage({ parts, query }) {
  const [id, part, which] = parts;
  const job = useJob(id);
  const Content = part === "games" ? OneGame : Shown;
  return html`<${Wait} of=${job}>${job.data && html`<${Content} job=${job.data} which=${which} query=${query} />`}<//>`;
}

function Shown({ job }) {
  const run = useGet(job.run && isActive(job) ? path(["runs", job.run]) : null);
  useEvents(({ name, data }) => name === "run" && data.id === job.run && run.reload());
  useEffect(() => {
    // While it works, its run is the better page, as soon as there is one.
    if (run.data) location.replace(to(["run", job.run]));
  }, [run.data]);
  return html`<h1>${jobTitle(job)}</h1><p class="quiet">${job.command}</p>
    <${JobHead} job=${job} />
    <${JobButtons} job=${job} gone=${() => go("#/")} />
    ${job.run && html`<p><a class="button main" href=${to(["run", job.run])}>Open its run, ${job.run}</a></p>`}
    ${job.command === "match" && html`<h2>Result</h2><${MatchResult} result=${job.result} /><${Games} job=${job} />`}
    ${job.command === "rate" && html`<h2>Result</h2><${RatingResult} result=${job.result} />`}
    <h2>The equal command line</h2><${CommandLine} line=${job.line} />
    <${Facts} facts=${[["made", date(job.created)], ["started", job.started && date(job.started)], ["ended", job.ended && date(job.ended)],
      ["took", job.started && job.ended && duration(job.ended - job.started)]]} />
    <${Log} id=${job.id} />`;
}

function Games({ job }) {
  const [sort, setSort] = useState("game");
  const pages = usePages(path(["jobs", job.id, "games"], { limit: 50, sort }));
  useEffect(() => {
    if (!isActive(job)) pages.reload();
  }, [job.state]);
  if (!pages.items?.length) return null;
  return html`<h2>Games</h2>
    <p class="filters"><${Select} name="Order" value=${sort} choices=${SORTS} onChange=${setSort} />${FILES.map(([name, about]) => html`<${Download} name=${name} about=${about} href=${path(["jobs", job.id, "files", name])} />`)}</p>
    <${GamesTable} games=${pages.items} href=${(game) => to(["job", job.id, "games", game.game])} />
    <${More} pages=${pages} what="games" />`;
}

function OneGame({ job, which, query }) {
  const game = useGet(path(["jobs", job.id, "games", which]));
  return html`<div class="head"><h1>Game ${which}</h1><a class="button" href=${to(["job", job.id])}>The match</a></div>
    <${Wait} of=${game}>${game.data && html`<${Replay} game=${game.data} rules=${job.result?.rules || job.settings.rules || "standard"}
      agent=${job.settings.a} query=${query} />`}<//>`;
}

function Log({ id }) {
  const [text, setText] = useState("…");
  const open = (event) => event.target.open && get(path(["jobs", id, "log"])).then((log) => setText(log.text || "It is empty."), (error) => setText(error.message));
  return html`<details onToggle=${open}><summary>Log</summary><pre class="box" tabindex="0" role="region" aria-label="log">${text}</pre></details>`;
}

const elo = (value) => signed(value, 0);
const at = (share) => `${100 * share}%`;

export function MatchResult({ result }) {
  if (!result) return html`<p class="quiet">No pair of games has ended yet.</p>`;
  const { games, wins, draws, losses, score, score_low: low, score_high: high, sprt } = result;
  return html`
    ${typeof score === "number" && html`<svg class="scorebar" role="img" aria-label=${`score ${interval(score, low, high, percent)}`} width="100%" height="30">
      <rect class="minus" width="100%" height="18" y="6" /><rect class="plus" width=${at(score)} height="18" y="6" />
      ${typeof low === "number" && html`<line x1=${at(low)} x2=${at(high)} y1="15" y2="15" class="whisker" />`}
      <line x1="50%" x2="50%" y1="0" y2="30" class="middle" /></svg>`}
    <${Facts} facts=${[["games", number(games)], ["won, drawn, lost", [wins, draws, losses].map((value) => number(value)).join(", ")],
      ["score of the first", interval(score, low, high, percent)],
      ["Elo", typeof result.elo === "number" && interval(result.elo, result.elo_low, result.elo_high, elo)]]} />
    ${sprt && html`<${Test} sprt=${sprt} />`}`;
}

function Test({ sprt: { elo0, elo1, llr, lower, upper, verdict } }) {
  const share = (value) => Math.max(0, Math.min(1, (value - lower) / (upper - lower)));
  return html`<p>Stronger by ${number(elo1)} Elo rather than by ${number(elo0)}? The log likelihood ratio is <strong>${signed(llr, 2)}</strong>; it ends at ${signed(lower, 2)} or ${signed(upper, 2)}.${verdict && html` <strong>${verdict}</strong>`}</p>
    <svg class="scorebar" role="img" aria-label=${`likelihood ratio ${number(llr, 2)} between ${number(lower, 2)} and ${number(upper, 2)}`} width="100%" height="26">
      <rect class="track" width="100%" height="10" y="8" rx="5" /><circle cx=${at(share(llr))} cy="13" r="8" />
      <line x1=${at(share(0))} x2=${at(share(0))} y1="2" y2="24" class="middle" /></svg>`;
}

export function RatingResult({ result }) {
  const agents = [...(result?.agents || [])].sort((a, b) => (b.elo ?? -Infinity) - (a.elo ?? -Infinity));
  if (!agents.length) return html`<p class="quiet">No games have ended yet.</p>`;
  const names = agents.map(({ agent }) => agent);
  const bars = agents.map((one) => ({ name: one.agent, value: one.elo, low: one.low ?? one.elo_low, high: one.high ?? one.elo_high, one }));
  return html`<div class="charts wide">
      <${BarChart} title="Elo" text=${elo} bars=${bars} />
      ${result.cross && html`<${HeatMap} title="Score of the row against the column" names=${names}
        values=${names.map((row) => names.map((column) => result.cross[row]?.[column] ?? null))} />`}
    </div>
    <${Table} name="rating" rows=${bars} columns=${[{ title: "agent", show: ({ name }) => name }, { title: "Elo", number: true, show: ({ value, low, high }) => interval(value, low, high, elo) },
      { title: "score", number: true, show: ({ one }) => percent(one.score) }, { title: "games", number: true, show: ({ one }) => number(one.games) }]} />`;
}
