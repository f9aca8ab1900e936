// A job: state, progress, result, log, its games where it is a match.

import { get, path } from "../api.js";
import { useGet, usePages } from "../data.js";
import { agentName, date, duration, number } from "../format.js";
import { html, useEffect, useState } from "../html.js";
import { isActive, JobButtons, useJob } from "../jobs.js";
import { Replay } from "../replay.js";
import { MatchResult, RatingResult } from "../results.js";
import { go, to } from "../router.js";
import { Chip, CommandLine, Downloads, Facts, More, Progress, Wait } from "../ui.js";
import { GamesTable } from "./games.js";
import { jobTitle } from "./home.js";

const FILES = [["games.csv", "the games as a table"], ["games.parquet", "the same, as Parquet"], ["games.ggf", "the games as GGF records"]];

export default function JobPage({ parts, query }) {
  const [id, part, number_] = parts;
  const job = useJob(id);
  if (part === "games" && number_) return html`<${GameOfMatch} job=${job} id=${id} number=${number_} query=${query} />`;
  return html`<${Wait} of=${job}>${job.data && html`<${Shown} job=${job.data} live=${job.live} result=${job.result} />`}<//>`;
}

function Shown({ job, live, result }) {
  const progress = live || job.progress;
  const share = live?.share ?? (job.progress.total ? job.progress.done / job.progress.total : job.state === "done" ? 1 : null);
  const active = isActive(job);
  const [first, setFirst] = useState(job.run);
  useEffect(() => {
    // A job that was just started shows its run as soon as there is one.
    if (job.run && !first) go(to(["run", job.run]));
    setFirst(job.run);
  }, [job.run]);
  return html`<div class="head"><h1>${jobTitle(job)}</h1><${Chip} state=${job.state} /></div>
    <p class="quiet">${job.command}${job.place ? `, place ${job.place} in the queue` : ""}</p>
    ${(active || share !== null) && html`<${Progress} share=${share} name="progress" text=${[
      progress.stage, progress.total ? `${number(progress.done)} of ${number(progress.total)}` : null,
      active && typeof progress.left === "number" && `${duration(progress.left)} left`].filter(Boolean).join(", ")} />`}
    ${job.error && html`<p class="problem">${job.error}</p>`}
    ${job.ending && html`<p>${job.ending}</p>`}
    ${job.notes.length > 0 && html`<ul class="notes">${job.notes.slice(-20).map((note) => html`<li>${note}</li>`)}</ul>`}
    <${JobButtons} job=${job} gone=${() => go("#/")} />
    ${job.run && html`<p><a class="button main" href=${to(["run", job.run])}>Open its run, ${job.run}</a></p>`}
    ${job.command === "match" && html`<h2>Result</h2><${MatchResult} a=${agentName(job.settings.a)} b=${agentName(job.settings.b)} result=${result} />`}
    ${job.command === "rate" && html`<h2>Result</h2><${RatingResult} result=${result} />`}
    ${job.command === "match" && html`<${GamesOfMatch} job=${job} />`}
    <h2>Facts</h2>
    <${Facts} facts=${[["made", date(job.created)], ["started", job.started && date(job.started)], ["ended", job.ended && date(job.ended)],
      ["took", job.started && job.ended ? duration(job.ended - job.started) : null]]} />
    <${CommandLine} line=${job.line} />
    <${Log} id=${job.id} />`;
}

function GamesOfMatch({ job }) {
  const [sort, setSort] = useState("game");
  const pages = usePages(path(["jobs", job.id, "games"], { limit: 50, sort }));
  useEffect(() => {
    if (!isActive(job)) pages.reload();
  }, [job.state]);
  if (!pages.items?.length) return null;
  return html`<h2>Games</h2>
    <${Downloads} files=${FILES.map(([name, about]) => ({ name, about, href: path(["jobs", job.id, "files", name]) }))} />
    <${GamesTable} games=${pages.items} sort=${sort} onSort=${setSort} href=${(game) => to(["job", job.id, "games", game.game])} />
    <${More} pages=${pages} what="games" />`;
}

function GameOfMatch({ job, id, number: which, query }) {
  const game = useGet(path(["jobs", id, "games", which]));
  const settings = job.data?.settings || {};
  return html`<div class="head"><h1>Game ${which}</h1><span class="buttons"><a class="button" href=${to(["job", id])}>The match</a></span></div>
    <${Wait} of=${game}>${game.data && job.data && html`<${Replay} game=${game.data} rules=${settings.rules || job.data.result?.rules || "standard"}
      agent=${settings.a} query=${query} names=${{ black: game.data.black, white: game.data.white }} />`}<//>`;
}

function Log({ id }) {
  const [text, setText] = useState(null);
  const open = (event) => event.target.open && get(path(["jobs", id, "log"])).then((log) => setText(log.text), (error) => setText(error.message));
  return html`<details onToggle=${open}><summary>Log</summary>
    <pre class="box" tabindex="0" role="region" aria-label="log">${text === null ? "…" : text || "It is empty."}</pre></details>`;
}
