// What jobs and runs may be asked to do: stop, kill, go on, delete; and a job as it changes.

import { path, post, remove } from "./api.js";
import { useGet } from "./data.js";
import { useEvents } from "./events.js";
import { html, useEffect, useState } from "./html.js";
import { go, to } from "./router.js";
import { Act, ActTwice } from "./ui.js";

const ACTIVE = ["queued", "running", "stopping"];
const CAN_GO_ON = ["stopped", "interrupted", "failed", "cancelled"];

export const isActive = (job) => Boolean(job) && ACTIVE.includes(job.state);

/** A job and its live progress: {data, error, live, result, reload}. */
export function useJob(id) {
  const job = useGet(id ? path(["jobs", id]) : null);
  const [live, setLive] = useState({});
  useEffect(() => setLive({}), [id]);
  useEvents(({ name, data }) => {
    if (name === "job" && data.id === id) job.change(() => data);
    if (name === "progress" && data.job === id) setLive((old) => ({ ...old, progress: data }));
    if (name === "match" && data.job === id) setLive((old) => ({ ...old, result: data.result }));
  });
  const active = isActive(job.data);
  return { ...job, live: active ? live.progress : null, result: (active && live.result) || job.data?.result };
}

/** Buttons for a job; `gone` is called once it was deleted. */
export function JobButtons({ job, gone }) {
  const act = (what) => () => post(path(["jobs", job.id, what]));
  return html`<span class="buttons">
    ${(job.state === "running" || job.state === "queued") && html`<${Act} act=${act("stop")}>${job.state === "queued" ? "Cancel" : "Stop"}<//>`}
    ${["running", "stopping"].includes(job.state) && html`<${ActTwice} question="Kill it? What is in hand is lost." act=${act("kill")}>kill<//>`}
    ${CAN_GO_ON.includes(job.state) && html`<${Act} act=${act("resume")}>Go on<//>`}
    ${gone && !isActive(job) && html`<${ActTwice} question="Delete this job and what it kept?" act=${() => remove(path(["jobs", job.id])).then(gone)}>delete<//>`}
  </span>`;
}

/** Buttons for a run: those of its job, go on and extend, fork, compare, delete. */
export function RunButtons({ run, job }) {
  const [opened, setOpened] = useState(false);
  const active = isActive(job) || run.state === "running";
  return html`<div class="buttons">
    ${isActive(job) && html`<${JobButtons} job=${job} />`}
    ${!active && run.state !== "damaged" && html`<button type="button" aria-expanded=${opened} onClick=${() => setOpened(!opened)}>${run.state === "done" ? "Extend" : "Go on"} …</button>`}
    ${run.command && html`<a class="button" href=${to(["new", run.command], { from: run.id })}>Fork with changes</a>`}
    <a class="button" href=${to(["compare"], { run: run.id })}>Compare</a>
    ${run.agent && html`<a class="button" href=${to(["play"], { agent: run.agent })}>Play its champion</a>`}
    ${!active && html`<${ActTwice} question="Delete the run and all its tables?" act=${() => remove(path(["runs", run.id])).then(() => go("#/"))}>delete<//>`}
  </div>
  ${opened && !active && html`<${GoOn} run=${run} />`}`;
}

/** The settings that may change when a run goes on. */
function GoOn({ run }) {
  const [texts, setTexts] = useState({});
  const settings = () => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "").map(([name, text]) => {
    const { type } = run.changes.find((change) => change.name === name);
    return [name, type === "bool" ? text === "true" : type === "str" || Number.isNaN(Number(text)) ? text : Number(text)];
  }));
  return html`<form class="panel goon" onSubmit=${(event) => event.preventDefault()}>
    ${run.changes.map((change) => html`<div class="field">
      <label for=${`change-${change.name}`}>${change.name.replaceAll("_", " ")}</label>
      ${change.type === "bool"
        ? html`<select id=${`change-${change.name}`} aria-describedby=${`doc-${change.name}`} onChange=${(event) => setTexts({ ...texts, [change.name]: event.target.value })}>
            <option value="">as it is</option><option value="true">yes</option><option value="false">no</option></select>`
        : html`<input id=${`change-${change.name}`} aria-describedby=${`doc-${change.name}`} value=${texts[change.name] || ""}
            placeholder=${run.settings?.[change.name] ?? ""} onInput=${(event) => setTexts({ ...texts, [change.name]: event.target.value.trim() })} />`}
      <p class="doc" id=${`doc-${change.name}`}>${change.help}</p></div>`)}
    <${Act} kind="main" act=${() => post(path(["runs", run.id, "resume"]), { settings: settings() })}>Go on<//>
  </form>`;
}
