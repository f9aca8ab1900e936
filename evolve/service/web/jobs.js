// Jobs as they change, how far they are, and what they may be asked to do.

import { path, post, remove } from "./api.js";
import { useGet } from "./data.js";
import { useEvents } from "./events.js";
import { amount, capital, duration, number, percent, troubleOf } from "./format.js";
import { html } from "./html.js";
import { Act, ActTwice, Chip, Progress, Wait } from "./ui.js";

const CAN_GO_ON = ["stopped", "interrupted", "failed", "cancelled"];

export const isActive = (job) => Boolean(job) && ["queued", "running", "stopping"].includes(job.state);

export function changed(job, { name, data }) {
  if (name === "job" && data.id === job.id) return data;
  if (data?.job !== job.id) return job;
  if (name === "progress") return { ...job, progress: data };
  return name === "match" ? { ...job, result: data.result } : job;
}

export function useJob(id) {
  const job = useGet(id ? path(["jobs", id]) : null);
  useEvents((event) => job.change((old) => changed(old, event)));
  return job;
}

export function jobTitle({ id, command, settings, run }) {
  if (command === "match") return [settings.a, settings.b].map((id) => String(id).replace(/^run:/, "")).join(" – ");
  if (command === "rate") return [settings.agents || []].flat().join(", ");
  return run || [command, settings.kind].filter(Boolean).join(" ") || `job ${id}`;
}

/** Whether it may end before its last step. */
const early = (settings) => ["patience", "until_rest"].some((name) => settings[name]);

/** A command and its settings as a job: the second word of the command is a setting. */
export function jobOf({ command: words, settings, ...rest }) {
  const [command, kind] = words.split(" ");
  return { ...rest, command, settings: { ...(kind && { kind }), ...settings } };
}

/** How far a run or its job is: in words, the time that is left, and the share. */
export function aheadOf(job, run) {
  const { done, total, stage, stage_done: part, stage_total: of, left } = job?.progress || {};
  if (job?.state === "queued") return { text: job.place ? `place ${job.place} in the queue` : "queued", share: 0 };
  const inStage = stage && isActive(job) && (of === 1 ? `${stage} ${percent(part, 0)}` : of && of !== total ? `${stage} ${number(part)} of ${number(of)}` : total ? "" : stage);
  const many = run ? amount(run, job) : total > 1 && !inStage && `${number(done)} of ${number(total)}`;
  return {
    text: [job?.state === "stopping" && "stopping", many || inStage].filter(Boolean).join(" · "),
    left: isActive(job) && typeof left === "number" ? `${early(job.settings) ? "at most" : "about"} ${duration(left)} left` : "",
    share: job?.state === "done" ? 1 : total ? done / total : run?.share,
  };
}

function Ahead({ job }) {
  const { text, left, share } = aheadOf(job);
  if (!isActive(job)) return null;
  return html`<${Progress} share=${share} name=${`progress of ${jobTitle(job)}`} text=${[text, left].filter(Boolean).join(", ")} />`;
}

export function JobButtons({ job }) {
  const ask = (what) => () => post(path(["jobs", job.id, what]));
  return html`<span class="buttons">
    ${["running", "queued"].includes(job.state) && html`<${Act} act=${ask("stop")}>${job.state === "queued" ? "Cancel" : "Stop"}<//>`}
    ${["running", "stopping"].includes(job.state) && html`<${ActTwice} question="The current work is lost." act=${ask("kill")}>Stop at once<//>`}
    ${CAN_GO_ON.includes(job.state) && html`<${Act} act=${ask("resume")}>Resume<//>`}
  </span>`;
}

export function DeleteJob({ job, gone }) {
  return !isActive(job) && html`<${ActTwice} question="The job and what it kept go." act=${() => remove(path(["jobs", job.id])).then(gone)}>Delete<//>`;
}

/** What a job is, in words: a match of so many games. */
export function contestOf({ command, settings, result }) {
  const games = result?.games ?? result?.agents?.reduce((sum, agent) => sum + agent.games, 0) / 2;
  return [capital({ rate: "rating" }[command] || command), settings.rules && `${settings.rules} rules`, games > 0 && `${number(games)} games`].filter(Boolean).join(" · ");
}

export function JobHead({ job, bare }) {
  return html`${(!bare || isActive(job)) && html`<p class="head">${!bare && html`<${Chip} state=${job.state} />`}<${Ahead} job=${job} /></p>`}
    ${job.error && html`<p class="problem">${troubleOf(job.error)}</p>`}
    ${job.ending && job.ending !== "played" && html`<p>${job.ending}</p>`}
    ${job.notes.length > 0 && html`<ul>${job.notes.slice(-20).map((note) => html`<li>${note}</li>`)}</ul>`}`;
}

/** A job that was launched here, as it goes; `children` draws its result. */
export function Watched({ id, children }) {
  const job = useJob(id);
  return html`<div class="panel"><${Wait} of=${job}>${job.data && html`
    <h2><a href=${`#/job/${id}`}>${jobTitle(job.data)}</a></h2>
    <${JobHead} job=${job.data} />${children(job.data)}<${JobButtons} job=${job.data} />`}<//></div>`;
}
