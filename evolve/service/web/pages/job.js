// A job: state, progress, result, log, and its games where it is a match.

import { get, path } from "../api.js";
import { useGet, usePages } from "../data.js";
import { useEvents } from "../events.js";
import { date, duration } from "../format.js";
import { html, useEffect, useState } from "../html.js";
import { isActive, JobButtons, JobHead, jobTitle, useJob } from "../jobs.js";
import { meta } from "../meta.js";
import { go, to } from "../router.js";
import { CommandLine, Download, Facts, More, Select, useAgent, Wait } from "../ui.js";
import { MatchResult, RatingResult } from "./contests.js";
import { GamesTable, Replay, SORTS } from "./game.js";

const FILES = [["games.csv", "the games as a table"], ["games.parquet", "the same, as Parquet"], ["games.ggf", "the games as GGF records"]];

export function Job({ parts, query }) {
  const [id, part, which] = parts;
  const job = useJob(id);
  const Content = part === "games" ? OneGame : Shown;
  return html`${!job.data && html`<h1>Job</h1>`}<${Wait} of=${job}>${job.data && html`<${Content} job=${job.data} which=${which} query=${query} />`}<//>`;
}

function Shown({ job }) {
  const found = useGet(job.run && isActive(job) ? path(["runs"], { q: job.run }) : null);
  useEvents(({ name, data }) => name === "run" && data.id === job.run && found.reload());
  useEffect(() => {
    // While it works, its run is the better page, as soon as there is one.
    if (found.data?.items.some(({ id }) => id === job.run)) location.replace(to(["run", job.run]));
  }, [found.data]);
  return html`<h1>${jobTitle(job)}</h1><p class="quiet">${job.command}</p>
    <${JobHead} job=${job} />
    <${JobButtons} job=${job} gone=${() => go("#/")} />
    ${job.run && html`<p><a class="button main" href=${to(["run", job.run])}>Open its run, ${job.run}</a></p>`}
    ${job.command === "match" && html`<h2>Result</h2><${MatchResult} result=${job.result} /><${Games} job=${job} />`}
    ${job.command === "rate" && html`<h2>Result</h2><${RatingResult} result=${job.result} />`}
    ${job.line && html`<h2>Command</h2><${CommandLine} line=${job.line} />`}
    <${Facts} facts=${[["made", date(job.created)], ["started", job.started && date(job.started)], ["ended", job.ended && date(job.ended)],
      ["took", job.started && job.ended && duration(job.ended - job.started)]]} />
    <${Log} id=${job.id} open=${job.state === "failed"} />`;
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
  const { a, rules } = job.settings;
  const agent = useAgent(rules ? null : a);
  return html`<div class="head"><h1>Game ${which}</h1><a class="button" href=${to(["job", job.id])}>The match</a></div>
    <${Wait} of=${game.data && !rules && !agent.error ? agent : game}>${game.data && (rules || agent.data || agent.error) && html`<${Replay} game=${game.data}
      rules=${rules || agent.data?.rules || meta().default_rules} agent=${a} query=${query} />`}<//>`;
}

function Log({ id, open }) {
  const [text, setText] = useState("…");
  const read = (event) => event.target.open && get(path(["jobs", id, "log"])).then((log) => setText(log.text || "It is empty."), (error) => setText(error.message));
  return html`<details open=${open} onToggle=${read}><summary>Log</summary><pre class="box" tabindex="0" role="region" aria-label="log">${text}</pre></details>`;
}
