// A run: its head, its parts as tabs, and what its kind shows.

import { path, post, remove } from "../api.js";
import { useGet } from "../data.js";
import { useEvents } from "../events.js";
import { Elo, Picture } from "../figures.js";
import { aboutOf, amount, cell, date, eloOf, gainOf, gapOf, label, number, strengthOf, troubleOf, verdictOf, winnerOf } from "../format.js";
import { html, useEffect, useState } from "../html.js";
import { aheadOf, isActive, JobButtons, useJob } from "../jobs.js";
import { kindOf } from "../meta.js";
import { go, to } from "../router.js";
import { ruleChoices } from "../rules.js";
import { partsOf } from "../tables.js";
import { Act, ActTwice, Chip, CommandLine, Download, Facts, HeadRow, Icon, Menu, Problem, Select, Tabs, Wait } from "../ui.js";
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
  const seeds = useGet(run?.kind === "study" ? path(["seeds"], { run: id, ended: run.done }) : null, { keep: true });
  const own = useParts(run);
  if (gone) return html`<h1>${id}</h1><p class="problem" role="alert">This run is no longer there. <a href="#/">See all runs</a></p>`;
  if (!run) return html`<h1>${id}</h1><${Wait} of=${found} />`;
  const all = { ...own.parts, settings: ["Settings", Settings] };
  const Content = all[part]?.[1];
  const loading = !own.parts && kindOf(run) && part !== "settings";
  const tabs = Object.entries(all).filter(([, [title, , shown = () => true]]) => title && shown(run))
    .map(([name, [title]]) => ({ title, href: to(["run", id, name].filter(Boolean)), here: part === name }));
  return html`<${Head} run=${run} job=${job.data} seeds=${seeds.data?.items} />
    <${Tabs} tabs=${tabs} name="Parts of the run" />
    <${Problem} error=${own.error} />
    ${loading ? html`<p class="quiet" aria-busy="true">Loading …</p>` : Content ? html`<${Content} key=${part + run.state} run=${run} job=${job.data} seeds=${seeds} rest=${rest} query=${query} />` : html`<p class="note">${run.problem ? "Nothing of it can be shown. Mend the file, or delete the run." : "There is no such part of this run."}</p>`}`;
}

/** One row: the champion, the name, the one number, and what is done with it most. */
function Head({ run, job, seeds }) {
  const active = isActive(job);
  const idle = !active && run.state !== "running";
  const [opened, setOpened] = useState("");
  const turn = (what) => () => setOpened(opened === what ? "" : what);
  const { text, left, share } = aheadOf(active ? job : null, run);
  const wrong = run.problem || (!active && (run.state !== "done" || job?.state === "failed") && job?.error);
  const rows = kindOf(run)?.tables.length > 0;
  const again = run.state === "done" ? `Extend by ${run.unit} …` : "Resume with changes …";
  const halted = idle && run.changes.length > 0 && run.state !== "done";
  return html`${run.study && html`<p class="note"><a href=${to(["run", run.study])}>${run.study}</a></p>`}
    <${HeadRow} picture=${html`<${Picture} run=${run} />`} title=${run.id} chip=${html`<${Chip} state=${active ? job.state : run.state} text=${(active || run.state === "running") && text} />`} figure=${html`<${Figure} run=${run} seeds=${seeds} />`}
      note=${aboutOf(run, [amount(run), run.preset && `preset ${run.preset}`, run.seed !== null && `seed ${run.seed}`].filter(Boolean).join(" · "))}>${halted && html`<${Act} kind="main" act=${() => goOn(run, {})}>Resume<//>`}${run.agent && html`<a class=${`button${active || halted ? "" : " main"}`} href=${to(["play"], { agent: run.agent })}><${Icon} name="play" /> Play it</a>`}
        ${active ? html`<${JobButtons} job=${job} />` : !halted && run.agent && html`<button type="button" aria-expanded=${opened === "contest"} onClick=${turn("contest")}><${Icon} name="download" /> Hand in</button>`}
        <${Menu} name="More about this run">
          ${idle && run.changes.length > 0 && html`<button type="button" data-shuts aria-expanded=${opened === "again"} onClick=${turn("again")}>${again}</button>`}
          ${run.changes.length > 0 && rows && html`<a href=${to(["new", run.command], { from: run.id })}>Run again with changes</a>`}
          ${kindOf(run) && html`<a href=${to(["compare"], { run: run.id })}>Compare with …</a>`}
          ${run.agent && html`<a href=${to(["agents", run.agent])}>Its champion as an agent</a>`}
          ${run.files.length > 0 && html`<button type="button" data-shuts aria-expanded=${opened === "files"} onClick=${turn("files")}>Downloads …</button>`}
          ${idle && html`<hr /><${ActTwice} question="The run and all its tables go." act=${() => remove(path(["runs", run.id])).then(() => go("#/"))}>Delete<//>`}<//><//>
    ${(active || run.state === "running") && html`<div class="working"><progress max="1" value=${share ?? undefined} aria-label=${`progress of ${run.id}`}></progress><span class="note">${left}</span></div>`}
    ${wrong && html`<p class="problem">${troubleOf(wrong)}${halted && run.done > 0 && html` <span>What it has is stored: Resume continues from there.</span>`}</p>`}
    ${opened === "again" && idle && html`<${GoOn} run=${run} done=${() => setOpened("")} />`}
    ${opened === "contest" && html`<${HandIn} run=${run} />`}
    ${opened === "files" && html`<section class="card stack" aria-label="Downloads"><p class="row">${run.files.map((file) => html`<${Download} ...${file} />`)}</p></section>`}`;
}

/** The one number, and what it means. */
function Figure({ run, seeds = [] }) {
  const row = verdictOf(seeds);
  if (row) return html`<span class="elo">${winnerOf(row) || "Undecided"}</span><p class="note">${row.winner ? `by ${gapOf(row)}` : `${gapOf(row)} apart`}, ${number(row.seeds)} ${row.seeds === 1 ? "seed" : "seeds"}</p>`;
  const elo = eloOf(run);
  const gain = typeof run.gain === "number";
  if (gain && typeof elo.value !== "number") return html`<${Elo} big difference value=${run.gain} low=${run.gain_low} high=${run.gain_high} /><p class="note">over its default settings</p>`;
  if (typeof elo.value === "number") return html`<${Elo} big ...${elo} /><p class="note">${gain ? gainOf(run) : run.beats ? `beats the ${run.beats}` : !elo.sure ? "strength of its bests" : "beats no rung for certain"}</p>`;
  const strength = strengthOf(run);
  return strength && html`<span class="elo">${strength[1]} <i>${strength[0]}</i></span>`;
}

/** The file for a contest, and what `evolve hand-in` says of it. */
function HandIn({ run }) {
  const [demands, setDemands] = useState({ rules: run.rules, seconds: 5, memory: 100 });
  const [found, setFound] = useState(null);
  const make = async () => {
    setFound(null);
    const { file, ...said } = await post(path(["runs", run.id, "hand-in"]), demands);
    setFound({ ...said, href: URL.createObjectURL(new Blob([file])) });
  };
  const most = (name, title, least) => html`<span class="control"><label for=${`most-${name}`}>${title}</label><input id=${`most-${name}`} type="number" min=${least} step="any" value=${demands[name]} onInput=${(event) => setDemands({ ...demands, [name]: Number(event.target.value) })} /></span>`;
  return html`<section class="card stack" aria-label="For a contest"><h2 class="title">The file for a contest</h2>
    <div class="filters"><${Select} name="Rules" value=${demands.rules} choices=${ruleChoices()} onChange=${(rules) => setDemands({ ...demands, rules })} />${most("seconds", "Seconds a move", 0.05)}${most("memory", "Memory, MB", 20)}</div>
    <p class="row"><${Act} kind="main" act=${make} waits="It is written, checked, and plays four quick games: about a minute …">Make and check it<//></p>
    ${found && html`<div role="status" class="stack"><pre class=${`box ${found.good ? "" : "bad"}`}>${found.lines.join("\n")}</pre>
      <p class="row"><a class=${found.good ? "button main" : "button"} href=${found.href} download="agent.py"><${Icon} name="download" /> agent.py</a></p></div>`}</section>`;
}

const goOn = (run, settings) => post(path(["runs", run.id, "resume"]), { settings });

function GoOn({ run, done }) {
  const [texts, setTexts] = useState({});
  const fields = run.changes.map((change) => ({ ...change, group: "What changes", default: textOf(run.settings[change.name] ?? run.settings.settings?.[change.name], change) }));
  return html`<div class="new stack"><${SettingsForm} info=${{ fields, presets: {} }} texts=${texts} onChange=${setTexts} />
    <${Act} kind="main" act=${() => goOn(run, settingsOf(fields, texts)).then(done)}>${run.state === "done" ? "Extend" : "Resume"}<//></div>`;
}

function Settings({ run, job }) {
  const list = (values) => html`<dl class="settings">${Object.entries(values).map(([name, value]) => html`
    <div class=${run.changed.includes(name) ? "changed" : undefined}><dt>${label(name)}</dt><dd>${cell(value)}</dd></div>`)}</dl>`;
  const metrics = useGet(path(["metrics"], { run: run.id })).data?.items[0] || {};
  return html`
    <${Facts} facts=${[["champion", run.agent ? html`<a href=${to(["agents", run.agent])}>${run.champion}</a>` : run.champion], ["last grew", date(run.date)]]} />
    ${job && html`<h2>Command</h2><${CommandLine} line=${job.line} />`}
    <h2>Settings</h2><p class="quiet">Bold: other than the default.</p>${list(run.settings)}
    ${Object.keys(metrics).length > 0 && html`<h2>Metrics</h2>${list(metrics)}`}
    ${Object.keys(run.versions).length > 0 && html`<h2>Versions</h2>${list(run.versions)}`}`;
}
