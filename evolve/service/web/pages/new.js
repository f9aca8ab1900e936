// A new run, training, sweep, match or rating: forms made of the settings of the command line.

import { newKey, path, post } from "../api.js";
import { useGet, useRested } from "../data.js";
import { errorsByField, SettingsForm, settingsOf, textOf } from "../form.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { go, to } from "../router.js";
import { CommandLine, Problem, Wait } from "../ui.js";

const MEMORY = "evolve-new:";

export default function New({ parts, query }) {
  const commands = useGet("commands");
  const [name] = parts;
  return html`<h1>${query.get("from") ? `Fork ${query.get("from")}` : name ? `New: ${name}` : "New"}</h1>
    <${Wait} of=${commands}>${commands.data && html`<${Chosen} commands=${commands.data.items} name=${name} query=${query} />`}<//>`;
}

function Chosen({ commands, name, query }) {
  const info = commands.find((one) => one.command === name);
  if (name && !info) return html`<p>There is no command ${name}. <a href="#/new">All commands</a></p>`;
  if (!info) {
    return html`<ul class="cards">${commands.map((one) => html`<li class="panel">
      <h2><a href=${to(["new", one.command])}>${one.command}</a></h2><p>${one.about}</p>
      ${!one.available && html`<p class="quiet">Needs what is not installed here.</p>`}</li>`)}</ul>`;
  }
  return html`<p>${info.about} <a href="#/new">Other commands</a></p>
    ${!info.available && html`<p class="problem">What this needs is not installed on the server.</p>`}
    <${Filled} key=${info.command + (query.get("from") || "")} info=${info} query=${query} />`;
}

/** Once it is known what to begin with: the settings of another run, those of the address, or what was typed before. */
function Filled({ info, query }) {
  const from = query.get("from");
  const run = useGet(from ? path(["runs", from]) : null);
  if (from && !run.data) return html`<${Wait} of=${run} />`;
  const given = {};
  for (const field of info.fields) {
    if (query.has(field.name)) given[field.name] = query.getAll(field.name).join(" ");
    else if (run.data?.changed.includes(field.name)) given[field.name] = textOf(run.data.settings[field.name]);
  }
  const kept = from || Object.keys(given).length ? {} : remembered(info.command);
  return html`<${Form} info=${info} begin=${{ ...kept, ...given }} />`;
}

function remembered(command) {
  try {
    return JSON.parse(sessionStorage.getItem(MEMORY + command)) || {};
  } catch {
    return {};
  }
}

function remember(command, texts) {
  try {
    sessionStorage.setItem(MEMORY + command, JSON.stringify(texts));
  } catch {
    // Storage is forbidden here: what is typed lasts as long as the page.
  }
}

function Form({ info, begin }) {
  const [texts, setTexts] = useState(begin);
  const [name, setName] = useState("");
  const [threads, setThreads] = useState("");
  const [checked, setChecked] = useState({});
  const [failed, setFailed] = useState(null);
  const [busy, setBusy] = useState(false);
  const key = useRef(newKey());
  const top = useRef(null);
  const change = (next) => {
    setTexts(next);
    remember(info.command, next);
    setFailed(null);
    key.current = newKey();
  };
  const settings = settingsOf(info.fields, texts);
  const rested = useRested(JSON.stringify(settings), 350);
  useEffect(() => {
    const abort = new AbortController();
    post(path(["commands", info.command, "check"]), { settings: JSON.parse(rested) }, { signal: abort.signal }).then(
      (answer) => setChecked({ line: answer.line }),
      (error) => abort.signal.aborted || setChecked({ error, line: null }),
    );
    return () => abort.abort();
  }, [rested]);
  const [command, kind] = info.command.split(" ");
  const error = failed || checked.error;
  const errors = errorsByField(error, info.fields);
  const makesRun = command !== "match" && command !== "rate";
  const start = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const job = await post("jobs", {
        command,
        settings: kind ? { kind, ...settings } : settings,
        ...(name ? { name } : {}),
        ...(threads ? { threads: Number(threads) } : {}),
      }, { headers: { "Idempotency-Key": key.current } });
      go(to(["job", job.id]));
    } catch (problem) {
      setFailed(problem);
      setBusy(false);
      requestAnimationFrame(() => (document.querySelector("[aria-invalid=true]") || top.current).focus());
    }
  };
  return html`<form class="new" onSubmit=${start} novalidate>
    <div tabindex="-1" ref=${top}>${failed && html`<${Problem} error=${{ ...failed, message: failed.message, errors: errors.rest }} />`}</div>
    <${SettingsForm} info=${info} texts=${texts} onChange=${change} errors=${errors.fields} />
    <details class="group panel"><summary><h2>Where and how</h2></summary><div class="fields">
      ${makesRun && html`<div class="field"><label for="run-name">name</label>
        <input id="run-name" value=${name} onInput=${(event) => setName(event.target.value.trim())} aria-describedby="run-name-doc" placeholder="the next that is free" />
        <p class="doc" id="run-name-doc">of the run's folder</p></div>`}
      <div class="field"><label for="threads">threads</label>
        <input id="threads" inputmode="numeric" value=${threads} onInput=${(event) => setThreads(event.target.value.trim())} aria-describedby="threads-doc" placeholder="all cores" />
        <p class="doc" id="threads-doc">games at once</p></div>
    </div></details>
    <div class="panel start">
      <h2>The equal command line</h2>
      ${checked.line && html`<${CommandLine} line=${checked.line} />`}
      ${!checked.line && !checked.error && html`<p class="quiet">…</p>`}
      ${checked.error && !failed && html`<p class="bad" role="status">${checked.error.errors?.length
        ? `Not yet: ${checked.error.errors.map((one) => `${one.pointer.split("/").at(-1)}: ${one.detail}`).join("; ")}` : checked.error.message}</p>`}
      <p class="buttons"><button class="main" disabled=${busy}>Start</button>
        <button type="button" onClick=${() => change({})}>Clear the form</button></p>
    </div>
  </form>`;
}
