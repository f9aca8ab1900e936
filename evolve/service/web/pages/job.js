// A job: state, progress, result, log, and its games where it is a match.

import { get, path } from "../api.js";
import { useGet, usePages } from "../data.js";
import { useEvents } from "../events.js";
import { Elo, Picture } from "../figures.js";
import { duration, when } from "../format.js";
import { html, useEffect, useState } from "../html.js";
import { contestOf, DeleteJob, isActive, JobButtons, JobHead, jobTitle, useJob } from "../jobs.js";
import { meta } from "../meta.js";
import { go, to } from "../router.js";
import { Chip, CommandLine, Download, HeadRow, Menu, More, Select, useAgent, Wait } from "../ui.js";
import { MatchResult, RatingResult } from "./contests.js";
import { GamesTable, Replay, SORTS } from "./game.js";

const FILES = [["games.csv", "the games as a table"], ["games.parquet", "the same, as Parquet"], ["games.ggf", "the games as GGF records"], ["report.html", "the match as a page to send"]];

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
  const { elo, elo_low: low, elo_high: high } = job.result || {};
  const took = job.started && job.ended && duration(job.ended - job.started);
  return html`<${HeadRow} picture=${html`<${Picture} />`} title=${jobTitle(job)} chip=${html`<${Chip} state=${job.state} />`} note=${[contestOf(job), when(job.ended || job.created), took].filter(Boolean).join(" · ")}
      figure=${html`<${Elo} big difference value=${elo} low=${low} high=${high} />${typeof elo === "number" && html`<p class="note">for ${jobTitle(job).split(" – ")[0]}</p>`}`}>
      ${job.run && html`<a class="button main" href=${to(["run", job.run])}>Open its run</a>`}<${JobButtons} job=${job} />
      ${!isActive(job) && html`<${Menu} name="More about this job"><${DeleteJob} job=${job} gone=${() => go("#/")} /><//>`}<//>
    <${JobHead} job=${job} bare />
    ${job.command === "match" && html`<section class="card stack"><h2>Result</h2><${MatchResult} result=${job.result} /></section><${Games} job=${job} />`}
    ${job.command === "rate" && html`<section class="card stack"><h2>Result</h2><${RatingResult} result=${job.result} /></section>`}
    ${job.line && html`<section class="stack"><h2>Command</h2><${CommandLine} line=${job.line} /></section>`}
    <${Log} id=${job.id} open=${job.state === "failed"} />`;
}

function Games({ job }) {
  const [sort, setSort] = useState("game");
  const pages = usePages(path(["jobs", job.id, "games"], { limit: 50, sort }));
  useEffect(() => {
    if (!isActive(job)) pages.reload();
  }, [job.state]);
  if (!pages.items?.length) return null;
  return html`<section class="stack"><h2>Games</h2>
    <p class="filters"><${Select} name="Order" value=${sort} choices=${SORTS} onChange=${setSort} />${FILES.map(([name, about]) => html`<${Download} name=${name} about=${about} href=${path(["jobs", job.id, "files", name])} />`)}</p>
    <${GamesTable} games=${pages.items} href=${(game) => to(["job", job.id, "games", game.game])} />
    <${More} pages=${pages} what="games" /></section>`;
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
