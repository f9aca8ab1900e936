// A run: its head, its parts as tabs, and what its kind shows.

import { path } from "../api.js";
import { useGet } from "../data.js";
import { useEvents } from "../events.js";
import { cell, date, duration, interval, label, number } from "../format.js";
import { html, useState } from "../html.js";
import { isActive, RunButtons, useJob } from "../jobs.js";
import { to } from "../router.js";
import { Chip, CommandLine, Downloads, Facts, Problem, Progress, Tabs, Wait } from "../ui.js";
import { Evolution, Generations } from "./evolution.js";
import Games from "./games.js";
import { Generation, PlayOff } from "./generation.js";
import { Individual, Lineage } from "./lineage.js";
import { Sweep, Trials } from "./sweep.js";
import { Checks, Training } from "./training.js";
import Weights from "./weights.js";

const PARTS = {
  run: {
    "": ["Curves", Evolution],
    generations: ["Generations", ({ rest, ...given }) => (rest.length ? html`<${Generation} rest=${rest} ...${given} />` : html`<${Generations} ...${given} />`)],
    weights: ["Weights", Weights],
    lineage: ["Lineage", Lineage],
    individual: [null, Individual],
    playoff: ["Play-off", PlayOff],
    games: ["Games", Games],
  },
  train: { "": ["Curves", Training], checks: ["Checks", Checks] },
  sweep: { "": ["Overview", Sweep], trials: ["Trials", Trials] },
};

export default function Run({ parts, query }) {
  const [id, part = "", ...rest] = parts;
  const found = useGet(path(["runs", id]));
  const [gone, setGone] = useState(false);
  useEvents(({ name, data }) => {
    if (name !== "run" || data.id !== id) return;
    if (data.gone) setGone(true);
    else {
      if (found.data && (data.state !== found.data.state || data.champion !== found.data.champion)) found.reload();
      found.change((run) => ({ ...run, ...data }));
    }
  });
  const run = found.data;
  if (gone) return html`<h1>${id}</h1><p class="problem" role="alert">This run is no longer there. <a href="#/">All runs</a></p>`;
  if (!run) return html`<h1>${id}</h1><${Wait} of=${found} />`;
  const kinds = { ...PARTS[run.kind], settings: ["Settings", Settings] };
  const [, Content] = kinds[part] || [];
  const tabs = Object.entries(kinds).filter(([name, [title]]) => title && (name !== "playoff" || run.playoff))
    .map(([name, [title]]) => ({ title, href: to(["run", id, ...(name ? [name] : [])]), here: part === name }));
  return html`<${Head} run=${run} reload=${found.reload} />
    <${Tabs} tabs=${tabs} name="Parts of the run" />
    ${Content ? html`<${Content} key=${part} run=${run} rest=${rest} query=${query} />` : html`<p>There is no such part of this run.</p>`}`;
}

function Head({ run }) {
  const job = useJob(run.job);
  const active = isActive(job.data);
  const live = job.live || (active ? job.data.progress : null);
  const share = job.live?.share ?? run.share;
  return html`<div class="head"><h1>${run.id}</h1><${Chip} state=${active ? job.data.state : run.state} /></div>
    <p class="quiet">${[run.noun || run.kind, run.command, run.rules && `${run.rules} rules`, run.preset && `preset ${run.preset}`, run.seed !== null && `seed ${run.seed}`].filter(Boolean).join(" · ")}</p>
    ${run.problem && html`<p class="problem">${run.problem}</p>`}
    ${job.data?.error && !active && run.state !== "done" && html`<p class="problem">${job.data.error}</p>`}
    <${Progress} share=${share} left=${null} name="progress" text=${[
      run.done !== null && `${number(run.done)} of ${number(run.target)} ${run.unit || ""}`,
      active && live?.stage && `${live.stage}${live.total ? ` ${number(live.done)} of ${number(live.total)}` : ""}`,
      active && typeof live?.left === "number" && `${duration(live.left)} left`,
    ].filter(Boolean).join(", ")} />
    <${Facts} facts=${[
      ["champion", run.champion],
      ["its score", run.score === null ? null : interval(run.score, run.score_low, run.score_high)],
      ["last grew", date(run.date)],
    ]} />
    <${RunButtons} run=${run} job=${job.data} />
    ${run.files.length > 0 && html`<details class="downloads"><summary>Downloads</summary><${Downloads} files=${run.files} /></details>`}`;
}

/** What a run was made with. */
function Settings({ run }) {
  const job = useJob(run.job);
  const facts = (values, strong = []) => html`<dl class="settings">${Object.entries(values).map(([name, value]) => html`
    <div class=${strong.includes(name) ? "changed" : undefined}><dt>${label(name)}</dt><dd>${cell(value)}</dd></div>`)}</dl>`;
  const changed = Object.fromEntries(run.changed.map((name) => [name, run.settings[name]]));
  return html`
    ${job.data && html`<h2>The equal command line</h2><${CommandLine} line=${job.data.line} />`}
    <h2>What differs from the usual</h2>${run.changed.length ? facts(changed) : html`<p class="quiet">Nothing.</p>`}
    <h2>All settings</h2>${facts(run.settings, run.changed)}
    ${Object.keys(run.figures).length > 0 && html`<h2>Figures</h2>${facts(run.figures)}`}
    <h2>Versions</h2>${facts(run.versions)}
    ${run.problem && html`<${Problem} error=${{ status: 1, title: "Damaged", message: run.problem }} />`}`;
}
