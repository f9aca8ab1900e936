// A job launched within a page and watched there: the form of its command, then the job.

import { newKey, post } from "./api.js";
import { useGet } from "./data.js";
import { errorsByField, SettingsForm, settingsOf } from "./form.js";
import { html, useRef, useState } from "./html.js";
import { isActive, JobButtons, useJob } from "./jobs.js";
import { to } from "./router.js";
import { Chip, Problem, Progress, Wait } from "./ui.js";
import { duration, number } from "./format.js";

/** command: `match` or `rate`; fixed: settings that the page gives; onStart(job). */
export function Launch({ command, fixed, button, onStart, disabled, texts: begin = {} }) {
  const commands = useGet("commands");
  const info = commands.data?.items.find((one) => one.command === command);
  const [texts, setTexts] = useState(begin);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const key = useRef(newKey());
  if (!info) return html`<${Wait} of=${commands} />`;
  const without = Object.keys(fixed);
  const fields = info.fields.filter((field) => !without.includes(field.name));
  const errors = errorsByField(error, fields);
  const start = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      onStart(await post("jobs", { command, settings: { ...settingsOf(fields, texts), ...fixed } }, { headers: { "Idempotency-Key": key.current } }));
      key.current = newKey();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  const change = (next) => {
    setTexts(next);
    key.current = newKey();
  };
  return html`<form class="new" onSubmit=${start} novalidate>
    ${error && html`<${Problem} error=${{ status: error.status, title: error.title, message: error.message, errors: errors.rest }} />`}
    <details class="options"><summary>Settings of the ${command}</summary><${SettingsForm} info=${info} texts=${texts} onChange=${change} errors=${errors.fields} without=${without} /></details>
    <p class="buttons"><button class="main" disabled=${busy || disabled}>${button}</button></p></form>`;
}

/** A job as it goes; `children` draws its result from (job, result). */
export function Watched({ id, children }) {
  const job = useJob(id);
  if (!job.data) return html`<${Wait} of=${job} />`;
  const progress = job.live || job.data.progress;
  const share = job.live?.share ?? (progress.total ? progress.done / progress.total : null);
  return html`<div class="panel watched">
    <p class="head"><a href=${to(["job", id])}>Job ${id}</a> <${Chip} state=${job.data.state} /></p>
    ${isActive(job.data) && html`<${Progress} share=${share} name="progress" text=${[
      progress.total ? `${number(progress.done)} of ${number(progress.total)}` : progress.stage,
      typeof progress.left === "number" && `${duration(progress.left)} left`].filter(Boolean).join(", ")} />`}
    ${job.data.error && html`<p class="problem">${job.data.error}</p>`}
    ${children(job.data, job.result)}
    <${JobButtons} job=${job.data} /></div>`;
}

