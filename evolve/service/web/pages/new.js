// A new run, training, sweep, match or rating: forms made of the settings of the command line.

import { path, post } from "../api.js";
import { useGet, useRested } from "../data.js";
import { errorsByField, SettingsForm, settingsOf, textOf, useStart } from "../form.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { go, to } from "../router.js";
import { CommandLine, Problem, Wait } from "../ui.js";

const MEMORY = "evolve-new:";
const WHERE = [
  { name: "name", type: "text", help: "of the run's folder; the next that is free if not given", group: "Where and how" },
  { name: "threads", type: "int", help: "games at once; all cores if not given", group: "Where and how" },
];

export default function New({ parts, query }) {
  const commands = useGet("commands");
  const [name] = parts;
  const from = query.get("from");
  return html`<h1>${from ? `Fork ${from}` : name ? `New: ${name}` : "New"}</h1>
    <${Wait} of=${commands}>${commands.data && html`<${Chosen} commands=${commands.data.items} name=${name} query=${query} />`}<//>`;
}

function Chosen({ commands, name, query }) {
  const info = commands.find((one) => one.command === name);
  const missing = html`<p class="problem">What this needs is not installed on the server.</p>`;
  if (info) {
    return html`<p>${info.about} <a href="#/new">Other commands</a></p>${!info.available && missing}
      <${Filled} key=${`${name} ${query}`} info=${info} query=${query} />`;
  }
  return html`<ul class="cards">${commands.map((one) => html`<li class="panel">
    <h2><a href=${to(["new", one.command])}>${one.command}</a></h2><p>${one.about}</p>${!one.available && missing}</li>`)}</ul>`;
}

/** Once it is known what to begin with: the settings of another run, those of the address, or what was typed before. */
function Filled({ info, query }) {
  const from = query.get("from");
  const run = useGet(from ? path(["runs", from]) : null);
  if (from && !run.data) return html`<${Wait} of=${run} />`;
  const given = {};
  for (const { name } of info.fields) {
    if (query.has(name)) given[name] = query.getAll(name).join(" ");
    else if (run.data?.changed.includes(name)) given[name] = textOf(run.data.settings[name]);
  }
  return html`<${Form} info=${info} begin=${Object.keys(given).length || from ? given : remembered(info.command)} />`;
}

function remembered(command) {
  try {
    return JSON.parse(sessionStorage.getItem(MEMORY + command)) || {};
  } catch {
    return {};
  }
}

function Form({ info, begin }) {
  const [command, kind] = info.command.split(" ");
  const [texts, setTexts] = useState(begin);
  const [where, setWhere] = useState({});
  const [checked, setChecked] = useState({});
  const form = useRef(null);
  const { start, error, busy, forget } = useStart((job) => go(to(["job", job.id])));
  const settings = settingsOf(info.fields, texts);
  const rested = useRested(JSON.stringify(settings));
  useEffect(() => {
    const abort = new AbortController();
    post(path(["commands", info.command, "check"]), { settings: JSON.parse(rested) }, { signal: abort.signal })
      .then(({ line }) => setChecked({ line }), (wrong) => abort.signal.aborted || setChecked({ wrong }));
    return () => abort.abort();
  }, [rested]);
  useEffect(() => {
    if (error) form.current.querySelector("[aria-invalid], .problem").focus();
  }, [error]);
  const change = (next) => {
    setTexts(next);
    forget();
    try {
      sessionStorage.setItem(MEMORY + info.command, JSON.stringify(next));
    } catch {
      // Storage is forbidden here: what is typed lasts as long as the page.
    }
  };
  const extra = WHERE.filter(({ name }) => name === "threads" || !["match", "rate"].includes(command));
  const errors = errorsByField(error || checked.wrong, [...info.fields, ...extra]);
  return html`<form class="new" ref=${form} novalidate onSubmit=${(event) => {
      event.preventDefault();
      start({ command, settings: kind ? { kind, ...settings } : settings, ...settingsOf(extra, where) });
    }}>
    <${Problem} error=${error} rest=${errors.rest} />
    <${SettingsForm} info=${info} texts=${texts} onChange=${change} errors=${errors.fields} />
    <${SettingsForm} info=${{ fields: extra, presets: {} }} texts=${where} onChange=${(next) => { setWhere(next); forget(); }} errors=${errors.fields} closed />
    <div class="panel">
      <h2>The equal command line</h2>
      ${checked.line ? html`<${CommandLine} line=${checked.line} />` : html`<p class=${checked.wrong ? "bad" : "quiet"} role="status">${told(checked.wrong)}</p>`}
      <p class="buttons"><button class="main" disabled=${busy}>Start</button>
        <button type="button" onClick=${() => change({})}>Clear the form</button></p>
    </div>
  </form>`;
}

function told(wrong) {
  if (!wrong) return "…";
  return wrong.errors.length ? `Not yet: ${wrong.errors.map(({ detail }) => detail).join("; ")}` : wrong.message;
}
