// The form of a command: its fields in groups, defaults as placeholders, errors beside the fields.
// What is typed is kept as text by name; `settingsOf` makes the settings of it.

import { newKey, post } from "./api.js";
import { useGet } from "./data.js";
import { label } from "./format.js";
import { html, useRef, useState } from "./html.js";
import { AgentInput, Problem, Wait } from "./ui.js";

/** A value as text in a field. */
export function textOf(value) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "object") {
    return Object.entries(value).map(([key, part]) => `${key}=${Array.isArray(part) ? part.join(":") : part}`).join("\n");
  }
  return String(value);
}

/** What was typed as the value of a field; what is not of its type stays text, for the server to say so. */
function valueOf(field, text) {
  if (field.type === "bool") return text === "true";
  if (field.type === "int" || field.type === "float") return scalar(text.trim());
  if (field.type === "list") return text.split(/[,\s]+/).filter(Boolean).map(scalar);
  if (field.type === "agents") return text.split(/\s+/).filter(Boolean);
  if (field.type === "mapping") {
    return Object.fromEntries(text.split(/\n+/).filter((line) => line.trim()).map((line) => {
      const [key, ...rest] = line.split("=");
      return [key.trim(), rest.join("=").trim()];
    }));
  }
  return text.trim();
}

function scalar(text) {
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The settings that were changed. */
export function settingsOf(fields, texts) {
  const given = fields.filter((field) => texts[field.name] !== undefined && texts[field.name] !== "");
  return Object.fromEntries(given.map((field) => [field.name, valueOf(field, texts[field.name])]));
}

/** The errors of a problem document by field, and those that belong to none of them. */
export function errorsByField(error, fields) {
  const found = { fields: {}, rest: [] };
  for (const one of error?.errors || []) {
    const name = one.pointer.replace(/^\/settings\//, "/").split("/")[1];
    if (fields.some((field) => field.name === name)) found.fields[name] = one.detail;
    else found.rest.push(one);
  }
  return found;
}

/**
 * Start a job: {start(job), error, busy, forget}. A key goes with it, so that a second attempt starts
 * no second job; `forget` is to be called when something changes.
 */
export function useStart(onStart) {
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

/** A form within a page. command: `match` or `rate`; fixed: the settings that the page gives. */
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
    <${Problem} error=${error} rest=${errors.rest} />
    <details><summary>Settings</summary><${SettingsForm} info=${{ ...info, fields }} texts=${texts} onChange=${change} errors=${errors.fields} /></details>
    <p><button class="main" disabled=${busy || disabled}>${button}</button></p></form>`;
}

/** The fields in their groups; the first group is open, the others where something in them is set or wrong. */
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
  const common = { id, "aria-describedby": about, "aria-invalid": error ? "true" : undefined };
  return html`<div class=${`field${field.type === "agents" || field.type === "mapping" ? " wide" : ""}${error ? " wrong" : ""}`}>
    <label for=${id}>${label(field.name)}</label>
    ${control(field, text, usual, presets, common, onChange)}
    ${error && html`<p class="error" id=${`${id}-error`}>${error}</p>`}
    <p class="doc" id=${`${id}-doc`}>${field.help}${limits(field)}</p>
    ${field.type === "choice" && html`<${Meaning} field=${field} value=${text || usual} />`}
  </div>`;
}

function Meaning({ field, value }) {
  const words = field.choices?.[value];
  return words && words !== value ? html`<p class="doc">${value}: ${words}</p>` : null;
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
    const words = { true: "yes", false: "no" };
    return html`<select ...${common} value=${text} onChange=${input}>
      <option value="" selected=${text === ""}>${usual ? `${words[usual] || usual} (as usual)` : "as usual"}</option>
      ${all.map((one) => html`<option value=${one} selected=${one === text}>${words[one] || one}</option>`)}</select>`;
  }
  if (field.type === "agent") {
    return html`<${AgentInput} id=${common.id} value=${text} onChange=${onChange} describedBy=${common["aria-describedby"]} invalid=${common["aria-invalid"]} />`;
  }
  if (field.type === "agents") return html`<${AgentList} common=${common} text=${text} onChange=${onChange} />`;
  if (field.type === "mapping") return html`<textarea ...${common} rows="3" spellcheck=${false} value=${text} placeholder=${usual || "one NAME=VALUE a line"} onInput=${input}></textarea>`;
  const numeric = field.type === "int" ? "numeric" : field.type === "float" ? "decimal" : undefined;
  return html`<input ...${common} value=${text} placeholder=${usual} inputmode=${numeric} autocomplete="off" spellcheck=${false} onInput=${input} />`;
}

/** Several agents: those chosen, each with a button that takes it out, and one to add. */
export function AgentList({ common, text, onChange }) {
  const chosen = text.split(/\s+/).filter(Boolean);
  const [next, setNext] = useState("");
  const add = (id) => {
    if (id) onChange([...chosen, id].join(" "));
    setNext("");
  };
  return html`<div class="agents" role="group" aria-label="agents">
    ${chosen.length > 0 && html`<ul>${chosen.map((id, place) => html`<li>${id} <button type="button" aria-label=${`leave out ${id}`}
      onClick=${() => onChange(chosen.filter((_, at) => at !== place).join(" "))}>×</button></li>`)}</ul>`}
    <span class="buttons"><${AgentInput} id=${common.id} value=${next} onChange=${setNext} describedBy=${common["aria-describedby"]} invalid=${common["aria-invalid"]} />
    <button type="button" disabled=${!next} onClick=${() => add(next)}>Add</button></span></div>`;
}
