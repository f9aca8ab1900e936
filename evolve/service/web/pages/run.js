// A run: its head, its parts as tabs, and what its kind shows.

import { path, post, remove } from "../api.js";
import { useGet } from "../data.js";
import { useEvents } from "../events.js";
import { amount, cell, date, interval, label, strengthOf } from "../format.js";
import { html, useEffect, useState } from "../html.js";
import { Ahead, isActive, JobButtons, useJob } from "../jobs.js";
import { kindOf } from "../meta.js";
import { go, to } from "../router.js";
import { partsOf } from "../tables.js";
import { Act, ActTwice, Chip, CommandLine, Download, Facts, Problem, Progress, Tabs, Wait } from "../ui.js";
import { SettingsForm, settingsOf, textOf } from "./new.js";

/** The parts of a run: of its kind's own module, where it has one, and of all tables that this does not show. */
function useParts(run) {
  const [loaded, setLoaded] = useState({});
  const kind = run && kindOf(run);
  useEffect(() => {
    if (!kind) return;
    if (!kind.page) setLoaded({ kind, parts: partsOf(kind) });
    else import(`../kinds/${kind.page}.js`).then(({ parts }) => setLoaded({ kind, parts: { ...parts, ...partsOf(kind, parts) } }), (error) => setLoaded({ kind, error }));
  }, [kind]);
  return loaded.kind === kind ? loaded : {};
}

export function Run({ parts, query }) {
  const [id, part = "", ...rest] = parts;
  const found = useGet(path(["runs", id]));
  const job = useJob(found.data?.job);
  const [gone, setGone] = useState(false);
  useEvents(({ name, data }) => {
    if (name === "job" && data.run === id && data.id !== found.data?.job) found.reload();
    if (name !== "run" || data.id !== id) return;
    setGone(Boolean(data.gone));
    if (!data.gone && (data.state !== found.data?.state || data.champion !== found.data?.champion)) found.reload();
    found.change((run) => ({ ...run, ...data }));
  });
  const run = found.data;
  const own = useParts(run);
  if (gone) return html`<h1>${id}</h1><p class="problem" role="alert">This run is no longer there. <a href="#/">All runs</a></p>`;
  if (!run) return html`<h1>${id}</h1><${Wait} of=${found} />`;
  const all = { ...own.parts, settings: ["Settings", Settings] };
  const Content = all[part]?.[1];
  const loading = !own.parts && kindOf(run) && part !== "settings";
  const tabs = Object.entries(all).filter(([, [title, , shown = () => true]]) => title && shown(run))
    .map(([name, [title]]) => ({ title, href: to(["run", id, name].filter(Boolean)), here: part === name }));
  return html`<${Head} run=${run} job=${job.data} />
    <${Tabs} tabs=${tabs} name="Parts of the run" />
    <${Problem} error=${own.error} />
    ${loading ? html`<p class="quiet" aria-busy="true">Loading …</p>` : Content ? html`<${Content} key=${part + run.state} run=${run} job=${job.data} rest=${rest} query=${query} />` : html`<p>There is no such part of this run.</p>`}`;
}

function Head({ run, job }) {
  const active = isActive(job);
  const done = amount(run, active && job);
  const wrong = run.problem || (!active && (run.state !== "done" || job?.state === "failed") && job?.error);
  return html`${run.study && html`<p><a href=${to(["run", run.study])}>${run.study}</a></p>`}<div class="head"><h1>${run.id}</h1><${Chip} state=${active ? job.state : run.state} /></div>
    <p class="quiet">${[run.command || run.noun, run.rules && `${run.rules} rules`, run.preset && `preset ${run.preset}`, run.seed !== null && `seed ${run.seed}`].filter(Boolean).join(" · ")}</p>
    ${wrong && html`<p class="problem">${wrong}</p>`}
    ${active ? html`<${Ahead} job=${job} words=${done} share=${run.share} />` : html`<${Progress} share=${run.share} text=${done} name="progress" />`}
    <${Facts} facts=${[["champion", run.agent ? html`<a href=${to(["agents", run.agent])}>${run.champion}</a>` : run.champion], strengthOf(run) || ["Elo", null], ["play-off share", typeof run.playoff_share === "number" && interval(run.playoff_share, run.playoff_share_low, run.playoff_share_high)], ["last grew", date(run.date)]]} />
    <${Buttons} run=${run} job=${job} active=${active} />
    ${run.files.length > 0 && html`<details><summary>Downloads</summary><p class="buttons">${run.files.map((file) => html`<${Download} ...${file} />`)}</p></details>`}`;
}

function Buttons({ run, job, active }) {
  const [opened, setOpened] = useState(false);
  const idle = !active && run.state !== "running";
  return html`<div class="buttons">
    ${active && html`<${JobButtons} job=${job} />`}
    ${idle && run.changes.length > 0 && html`<button type="button" aria-expanded=${opened} onClick=${() => setOpened(!opened)}>${run.state === "done" ? "Extend" : "Go on"} …</button>`}
    ${run.changes.length > 0 && kindOf(run)?.tables.length > 0 && html`<a class="button" href=${to(["new", run.command], { from: run.id })}>Fork with changes</a>`}
    ${kindOf(run)?.tables.length > 0 && html`<a class="button" href=${to(["compare"], { run: run.id })}>Compare</a>`}
    ${run.agent && html`<a class="button" href=${to(["play"], { agent: run.agent })}>Play its champion</a>`}
    ${idle && html`<${ActTwice} question="The run and all its tables go." act=${() => remove(path(["runs", run.id])).then(() => go("#/"))}>Delete<//>`}
  </div>
  ${opened && idle && html`<${GoOn} run=${run} done=${() => setOpened(false)} />`}`;
}

function GoOn({ run, done }) {
  const [texts, setTexts] = useState({});
  const fields = run.changes.map((change) => ({ ...change, group: "What changes", default: textOf(run.settings[change.name] ?? run.settings.settings?.[change.name]) }));
  return html`<div class="new"><${SettingsForm} info=${{ fields, presets: {} }} texts=${texts} onChange=${setTexts} />
    <${Act} kind="main" act=${() => post(path(["runs", run.id, "resume"]), { settings: settingsOf(fields, texts) }).then(done)}>Go on<//></div>`;
}

function Settings({ run, job }) {
  const list = (values) => html`<dl class="settings">${Object.entries(values).map(([name, value]) => html`
    <div class=${run.changed.includes(name) ? "changed" : undefined}><dt>${label(name)}</dt><dd>${cell(value)}</dd></div>`)}</dl>`;
  const figures = useGet(`figures?run=${run.id}`).data?.items[0] || {};
  return html`
    ${job && html`<h2>The equal command line</h2><${CommandLine} line=${job.line} />`}
    <h2>Settings</h2><p class="quiet">Bold: other than usual.</p>${list(run.settings)}
    ${Object.keys(figures).length > 0 && html`<h2>Figures</h2>${list(figures)}`}
    <h2>Versions</h2>${list(run.versions)}`;
}
