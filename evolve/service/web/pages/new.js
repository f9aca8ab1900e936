// Forms of the commands: fields in groups, defaults as placeholders, errors beside the fields. What is typed
// is kept as text by name; `settingsOf` makes the settings of it.

import { newKey, path, post } from "../api.js";
import { useGet, useRested } from "../data.js";
import { label } from "../format.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { isContest } from "../meta.js";
import { go, to } from "../router.js";
import { CommandLine, IdInput, IdList, Problem, Wait } from "../ui.js";

const MEMORY = "evolve-new:";
const WHERE = [
  { name: "name", type: "text", help: "of the run's folder; the next that is free if not given", group: "Where and how" },
  { name: "threads", type: "int", help: "games at once; all cores if not given", group: "Where and how" },
];

export function New({ parts, query }) {
  const commands = useGet("commands");
  const [name] = parts;
  const from = query.get("from");
  return html`<h1>${from ? `Fork ${from}` : name ? `New: ${name}` : "New"}</h1>
    <${Wait} of=${commands}>${commands.data && html`<${Chosen} commands=${commands.data.items} name=${name} query=${query} />`}<//>`;
}

function Chosen({ commands, name, query }) {
  const info = commands.find((one) => one.command === name);
  const missing = html`<p class="problem">This needs PyTorch on the server: <code>pip install '.[learn]'</code></p>`;
  if (info) {
    return html`<p>${info.about} <a href="#/new">Other commands</a></p>${!info.available && missing}
      <${Filled} key=${`${name} ${query}`} info=${info} query=${query} />`;
  }
  return html`<ul class="cards">${commands.map((one) => html`<li class="panel">
    <h2><a href=${to(["new", one.command])}>${one.command}</a></h2><p>${one.about}</p>${!one.available && missing}</li>`)}</ul>`;
}

/** Begins with the settings of another run, those of the address, or what was typed before. */
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
  const { name } = where;
  const rested = useRested(JSON.stringify({ settings, ...(name && { name }) }));
  const contest = isContest(command);
  useEffect(() => {
    if (contest && rested === '{"settings":{}}') return setChecked({});
    const abort = new AbortController();
    post(path(["commands", info.command, "check"]), JSON.parse(rested), { signal: abort.signal })
      .then(({ line }) => setChecked({ line }), (wrong) => abort.signal.aborted || setChecked({ wrong }));
    return () => abort.abort();
  }, [rested]);
  useEffect(() => {
    if (error) (form.current.querySelector("[aria-invalid]") || form.current.querySelector(".problem")).focus();
  }, [error]);
  const change = (next) => {
    setTexts(next);
    forget();
    try {
      sessionStorage.setItem(MEMORY + info.command, JSON.stringify(next));
    } catch {
      // No storage here.
    }
  };
  const extra = WHERE.filter(({ name }) => name === "threads" || !contest);
  const errors = errorsByField(error || checked.wrong, [...info.fields, ...extra]);
  return html`<form class="new" ref=${form} novalidate onSubmit=${(event) => {
      event.preventDefault();
      start({ command, settings: kind ? { kind, ...settings } : settings, ...settingsOf(extra, where) });
    }}>
    <${Problem} error=${error} />
    <${SettingsForm} info=${info} texts=${texts} onChange=${change} errors=${errors} />
    <${SettingsForm} info=${{ fields: extra, presets: {} }} texts=${where} onChange=${(next) => { setWhere(next); forget(); }} errors=${errors} closed />
    <div class="panel">
      <h2>The equal command line</h2>
      ${checked.line ? html`<${CommandLine} line=${checked.line} />` : html`<p class=${checked.wrong ? "bad" : "quiet"} role="status">${hintOf(checked.wrong)}</p>`}
      <p class="buttons"><button class="main" disabled=${busy}>Start</button>
        <button type="button" onClick=${() => change({})}>Clear the form</button></p>
    </div>
  </form>`;
}

function hintOf(wrong) {
  if (!wrong) return "…";
  return `Not yet: ${wrong.message}`;
}

export function textOf(value) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "object") {
    return Object.entries(value).map(([key, part]) => `${key}=${Array.isArray(part) ? part.join(":") : part}`).join("\n");
  }
  return String(value);
}

/** What is not of its type stays text, for the server to say so. */
function valueOf(field, text) {
  if (field.type === "bool") return text === "true";
  if (field.type === "int" || field.type === "float") return scalar(text.trim());
  if (field.type === "list") return text.split(/[,\s]+/).filter(Boolean).map(scalar);
  if (field.type === "agents") return words(text);
  if (field.type === "mapping") {
    return Object.fromEntries(text.split(/\n+/).filter((line) => line.trim()).map((line) => {
      const [key, ...rest] = line.split("=");
      return [key.trim(), rest.join("=").trim()];
    }));
  }
  return text.trim();
}

const words = (text) => text.split(/\s+/).filter(Boolean);

function scalar(text) {
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

export function settingsOf(fields, texts) {
  const given = fields.filter((field) => texts[field.name] !== undefined && texts[field.name] !== "");
  return Object.fromEntries(given.map((field) => [field.name, valueOf(field, texts[field.name])]));
}

function errorsByField(error, fields) {
  const found = {};
  for (const { pointer, detail } of error?.errors || []) {
    const name = pointer.replace(/^\/settings\//, "/").split("/")[1];
    if (fields.some((field) => field.name === name)) found[name] ||= detail;
  }
  return found;
}

/** Start a job, with a key, so that a second attempt starts no second one; `forget` when something changes. */
function useStart(onStart) {
  const [state, setState] = useState({});
  const key = useRef(newKey());
  const forget = () => {
    key.current = newKey();
    setState({});
  };
  const start = async (job) => {
    setState({ busy: true });
    try {
      onStart(await post("jobs", job, { headers: { "Idempotency-Key": key.current } }));
      forget();
    } catch (error) {
      setState({ error });
    }
  };
  return { ...state, start, forget };
}

/** A form within a page; fixed: the settings that the page gives. */
export function Launch({ command, fixed, button, onStart, disabled }) {
  const commands = useGet("commands");
  const [texts, setTexts] = useState({});
  const { start, error, busy, forget } = useStart(onStart);
  const info = commands.data?.items.find((one) => one.command === command);
  if (!info) return html`<${Wait} of=${commands} />`;
  const fields = info.fields.filter((field) => !(field.name in fixed));
  const errors = errorsByField(error, fields);
  const change = (next) => {
    setTexts(next);
    forget();
  };
  return html`<form class="new" novalidate onSubmit=${(event) => {
      event.preventDefault();
      start({ command, settings: { ...settingsOf(fields, texts), ...fixed } });
    }}>
    <${Problem} error=${error} />
    <details><summary>Settings</summary><${SettingsForm} info=${{ ...info, fields }} texts=${texts} onChange=${change} errors=${errors} /></details>
    <p><button class="main" disabled=${busy || disabled}>${button}</button></p></form>`;
}

/** The first group is open, the others where something in them is set or wrong. */
export function SettingsForm({ info, texts, onChange, errors = {}, closed }) {
  const preset = info.presets[texts.preset ?? info.fields.find((field) => field.name === "preset")?.default] || {};
  const groups = [...new Set(info.fields.map((field) => field.group))]
    .map((name) => ({ name, fields: info.fields.filter((field) => field.group === name) }));
  const change = (name) => (text) => onChange({ ...texts, [name]: text });
  return groups.map((group, place) => html`<${Group} key=${group.name} name=${group.name} first=${place === 0 && !closed}
      busy=${group.fields.some((field) => texts[field.name] || errors[field.name])}>
    ${group.fields.map((field) => html`<${Field} key=${field.name} field=${field} text=${texts[field.name] ?? ""}
      standard=${field.name in preset ? preset[field.name] : field.default} error=${errors[field.name]}
      presets=${field.name === "preset" ? Object.keys(info.presets) : null} onChange=${change(field.name)} />`)}
  <//>`);
}

function Group({ name, first, busy, children }) {
  const [opened, setOpened] = useState(null);
  const open = opened ?? (first || busy);
  return html`<details class="group panel" open=${open} onToggle=${(event) => event.target.open !== open && setOpened(event.target.open)}>
    <summary><h2>${name || "Settings"}</h2></summary><div class="fields">${children}</div></details>`;
}

function Field({ field, text, standard, error, presets, onChange }) {
  const id = `field-${field.name}`;
  const about = error ? `${id}-doc ${id}-error` : `${id}-doc`;
  const usual = textOf(standard);
  const wrong = error && "true";
  const common = { id, about, wrong, "aria-describedby": about, "aria-invalid": wrong };
  return html`<div class=${`field${field.type === "agents" || field.type === "mapping" ? " wide" : ""}${error ? " wrong" : ""}`}>
    <label for=${id}>${label(field.name)}</label>
    ${control(field, text, usual, presets, common, onChange)}
    ${error && html`<p class="error" id=${`${id}-error`}>${error}</p>`}
    <p class="doc" id=${`${id}-doc`}>${field.help}${limits(field)}</p>
    ${field.choices?.[text || usual] && html`<p class="doc">${text || usual}: ${field.choices[text || usual]}</p>`}
  </div>`;
}

function limits({ least, most }) {
  if (typeof least === "number" && typeof most === "number") return ` (${least} to ${most})`;
  if (typeof least === "number") return ` (from ${least})`;
  return typeof most === "number" ? ` (to ${most})` : "";
}

function control(field, text, usual, presets, common, onChange) {
  const input = (event) => onChange(event.target.value);
  const choices = presets?.length ? presets : field.choices && Object.keys(field.choices);
  if (field.type === "bool" || choices) {
    const all = choices || ["true", "false"];
    const named = { true: "yes", false: "no" };
    return html`<select ...${common} value=${text} onChange=${input}>
      <option value="" selected=${text === ""}>${usual ? `${named[usual] || usual} (as usual)` : "as usual"}</option>
      ${all.map((one) => html`<option value=${one} selected=${one === text}>${named[one] || one}</option>`)}</select>`;
  }
  if (field.type === "agent") return html`<${IdInput} ...${common} value=${text} onChange=${onChange} />`;
  if (field.type === "agents") return html`<${IdList} ...${common} chosen=${words(text)} onChange=${(ids) => onChange(ids.join(" "))} />`;
  if (field.type === "mapping") return html`<textarea ...${common} rows="3" spellcheck=${false} value=${text} placeholder=${usual || "one NAME=VALUE a line"} onInput=${input}></textarea>`;
  const numeric = field.type === "int" ? "numeric" : field.type === "float" ? "decimal" : undefined;
  return html`<input ...${common} value=${text} placeholder=${usual} inputmode=${numeric} autocomplete="off" spellcheck=${false} onInput=${input} />`;
}
