// Small parts that all pages are made of: messages, tables, buttons, chips, progress, choosers.

import { path } from "./api.js";
import { useGet, useRested } from "./data.js";
import { capital, cell, interval, label, margin, number, percent, stateText, troubleOf } from "./format.js";
import { html, useEffect, useId, useRef, useState } from "./html.js";

const ICONS = {
  play: "M5 3l10 6-10 6z", pause: "M6 3v12M12 3v12", stop: "M4.5 4.5h9v9h-9z", more: "M4 9h.01M9 9h.01M14 9h.01", search: "M8 3a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12 12l4 4",
  download: "M9 3v8M5.5 8L9 11.5 12.5 8M3.5 15h11", first: "M4 3v12M14 3L7 9l7 6", back: "M12 3L5 9l7 6", on: "M6 3l7 6-7 6", last: "M14 3v12M4 3l7 6-7 6",
};

export function Icon({ name }) {
  return html`<svg class="ico" aria-hidden="true" width="18" height="18" viewBox="0 0 18 18"><path d=${ICONS[name]} stroke-width=${name === "more" ? 3 : undefined} /></svg>`;
}

export function Problem({ error, again }) {
  if (!error) return null;
  const words = troubleOf(error.message);
  return html`<div class="problem" role="alert" tabindex="-1">${capital(words)}
    ${again && html` <button type="button" onClick=${again}>Try again</button>`}</div>`;
}

export function Wait({ of, children }) {
  if (of.error?.status === 404 && !of.data && !of.items) return html`<p role="alert">${capital(of.error.message)}. <a href="#/">See all runs</a></p>`;
  if (of.error && !of.data && !of.items) return html`<${Problem} error=${of.error} again=${of.reload} />`;
  if (!of.data && !of.items) return html`<p class="quiet" aria-busy="true">Loading …</p>`;
  return html`${of.error && html`<${Problem} error=${of.error} again=${of.reload} />`}${children}`;
}

/** A state in a word; `text` says more of it. */
export function Chip({ state, text }) {
  return html`<span class=${`state ${state}`}>${text || state}</span>`;
}

export function Progress({ share, text, name }) {
  return html`<span class="progress">
    <progress max="1" value=${share ?? undefined} aria-label=${name}></progress>
    <span>${text}</span>
  </span>`;
}

export function Act({ children, act, kind = "", disabled, waits }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const run = async () => {
    setBusy(true);
    setError(null);
    try {
      await act();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return html`<button type="button" class=${kind} disabled=${busy || disabled} onClick=${run}>${children}</button>
    ${busy && waits && html`<span class="quiet" role="status">${waits}</span>`}
    ${error && html`<span class="bad" role="alert">${troubleOf(error.message)}</span>`}`;
}

/** A button that asks again before it acts, in its own place. */
export function ActTwice({ children, question, act, disabled }) {
  const [asked, setAsked] = useState(false);
  const no = useRef(null);
  useEffect(() => {
    no.current?.focus();
  }, [asked]);
  if (!asked || disabled) return html`<button type="button" disabled=${disabled} onClick=${() => setAsked(true)}>${children} …</button>`;
  return html`<span class="asked buttons" role="group" aria-label=${question}>${question} <${Act} kind="danger" act=${async () => { await act(); setAsked(false); }}>${children}<//>
    <button type="button" ref=${no} onClick=${() => setAsked(false)}>No</button></span>`;
}

export function Copy({ text, children = "Copy" }) {
  const [done, setDone] = useState(false);
  if (!navigator.clipboard) return null; // Browsers have none on a plain http address of another machine.
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return html`<button type="button" onClick=${copy}>${done ? "Copied" : children}</button>`;
}

export function CommandLine({ line }) {
  return html`<div class="command"><code tabindex="0" aria-label="command">${line}</code><${Copy} text=${line} /></div>`;
}

/** What is asked for less often, behind a button; Escape and a click outside close it. */
export function Menu({ name, ghost, children }) {
  const menu = useRef(null);
  useEffect(() => {
    const shut = ({ type, key, target }) => {
      const inside = menu.current.contains(target);
      if (!menu.current.open || (type === "keydown" ? key !== "Escape" : inside && !target.closest("a, [data-shuts]"))) return;
      menu.current.open = false;
      if (type === "keydown" && inside) menu.current.firstChild.focus();
    };
    for (const type of ["click", "keydown"]) document.addEventListener(type, shut);
    return () => ["click", "keydown"].forEach((type) => document.removeEventListener(type, shut));
  }, []);
  return html`<details class="menu" ref=${menu}><summary class=${`button icon${ghost ? " ghost" : ""}`} aria-label=${name} title=${name}><${Icon} name="more" /></summary><div>${children}</div></details>`;
}

/** A choice of few, all to be seen: [[key, words, count]]. */
export function Seg({ name, value, choices, onChange }) {
  return html`<div class="seg" role="group" aria-label=${name}>${choices.map(([key, text, count]) => html`
    <button type="button" aria-pressed=${key === value ? "true" : "false"} onClick=${() => onChange(key)}>${text}${count !== undefined && html` <span class="count">${count}</span>`}</button>`)}</div>`;
}

/** One row at the top of a page: a picture, the name with its state, what it is, the one number, and what is done with it most. */
export function HeadRow({ picture, title, chip, note, figure, children }) {
  return html`<header class="headrow">${picture}<div class="stack tight"><div class="row"><h1>${title}</h1>${chip}</div><p class="note">${note}</p></div>
    <div class="figure">${figure}</div><div class="row acts">${children}</div></header>`;
}

export function Download({ name, href, about }) {
  return html`<a class="button" href=${`api/v1/${href}`} download=${name} title=${about}>↓ ${name}</a>`;
}

export function Box({ name, children }) {
  return html`<div class="box" role="region" tabindex="0" aria-label=${name}>${children}</div>`;
}

/** A table. columns: [{name, title, show(row), number, wrap: its texts may take several lines}]; id: the field that tells rows apart. */
export function Table({ name, columns, rows, id }) {
  const kind = ({ number: right, wrap }) => (right ? "number" : wrap ? "wrap" : undefined);
  return html`<${Box} name=${name}><table>
    <thead><tr>${columns.map((column) => html`<th scope="col" class=${kind(column)}>${column.title ?? label(column.name)}</th>`)}</tr></thead>
    <tbody>${rows.map((row, index) => html`<tr key=${id ? row[id] : index}>
      ${columns.map((column) => html`<td class=${kind(column)}>${column.show ? column.show(row) : cell(row[column.name])}</td>`)}</tr>`)}</tbody>
  </table><//>`;
}

/** Columns of Elo, which are told whole. */
export const WHOLE = /(^|_)(elo|rating|rise)(_low|_high)?$/;

/** A table of the API that grows by pages, without the columns that nothing is in; those with one value alone and the bounds of intervals stand elsewhere. shows: {column: how it is drawn}; pick: which columns. */
export function PagedTable({ pages, name, shows = {}, pick = () => true }) {
  const { items = [], columns = [], id } = pages;
  const used = columns.filter((column) => pick(column) && items.some((row) => (row[column.name] ?? "") !== ""));
  const ranged = (column) => used.some((other) => other.name === `${column}_high`);
  const all = used.filter((column) => !used.some((other) => [`${other.name}_low`, `${other.name}_high`].includes(column.name))).map(({ name: column, title, type, format }) => {
    const plain = shows[column] || (format === "percent" ? (value) => percent(value) : column === "state" ? stateText : WHOLE.test(column) ? (value) => number(value, 0) : cell);
    const whole = (value, low, high) => `${plain(value)} ${margin(low, high)}`;
    const show = ranged(column) ? (row) => (WHOLE.test(column) ? whole : interval)(row[column], row[`${column}_low`], row[`${column}_high`], plain) : (row) => plain(row[column]);
    return { name: column, title, number: type === "number", show };
  });
  const same = all.filter(({ name: column, show }) => items.length > 2 && column !== id && !shows[column] && items.every((row) => show(row) === show(items[0])));
  return html`<${Wait} of=${pages}><${Table} name=${name} columns=${all.filter((column) => !same.includes(column))} rows=${items} id=${id} />
    ${same.length > 0 && html`<p class="note">In every row: ${same.map(({ title, show }) => `${title} ${show(items[0])}`).join(" · ")}.</p>`}<${More} pages=${pages} /><//>`;
}

export function More({ pages, what = "rows" }) {
  const { items = [], total, more } = pages;
  if (!more && items.length < 20) return null;
  return html`<p class="more"><span class="quiet">${items.length} of ${total} ${what}</span>
    ${more && html` <${Act} act=${more}>Show more<//>`}</p>`;
}

export function Tabs({ tabs, name }) {
  return html`<nav class="tabs" aria-label=${name}>${tabs.map(({ title, href, here }) => html`
    <a href=${href} aria-current=${here ? "page" : undefined}>${title}</a>`)}</nav>`;
}

export function Select({ name, value, choices, onChange, hidden }) {
  const id = useId();
  return html`<span class="control"><label for=${id} class=${hidden ? "hidden" : undefined}>${name}</label>
    <select id=${id} value=${value} onChange=${(event) => onChange(event.target.value)}>
      ${choices.map(([key, text]) => html`<option value=${key} selected=${key === value}>${text}</option>`)}
    </select></span>`;
}

export function Check({ name, value, onChange }) {
  return html`<label class="check"><input type="checkbox" checked=${value} onChange=${(event) => onChange(event.target.checked)} /> ${name}</label>`;
}

export function Search({ name, value, onChange, hidden }) {
  const id = useId();
  const [text, setText] = useState(value);
  const rested = useRested(text);
  useEffect(() => {
    if (rested !== value) onChange(rested.trim());
  }, [rested]);
  return html`<span class="control"><label for=${id} class=${hidden ? "hidden" : undefined}>${name}</label>
    <input id=${id} type="search" placeholder=${hidden && name} value=${text} onInput=${(event) => setText(event.target.value)} /></span>`;
}

export const LEVEL = /^level-(\d+)$/;

/** What is chosen most, one click each: the levels and the champions of the last runs; of runs the last ones. */
function Picks({ of, chosen, onPick }) {
  const agents = of === "agents";
  const levels = useGet(agents ? path([of], { limit: 50, q: "level-" }) : null).data?.items.filter(({ id }) => LEVEL.test(id)) || [];
  const recent = useGet(path([of], { limit: 6, q: agents ? "run:" : "" })).data?.items || [];
  const pick = (id, text) => html`<button type="button" aria-pressed=${chosen.includes(id)} aria-label=${text === id ? undefined : id} onClick=${() => onPick(id)}>${text}</button>`;
  return html`${levels.length > 0 && html`<span class="picks" role="group" aria-label="Levels"><small>Level</small>${levels.map(({ id }) => pick(id, id.slice(6)))}</span>`}
    ${recent.length > 0 && html`<span class="picks" role="group" aria-label="Recent"><small>Recent</small>${recent.map(({ id }) => pick(id, id.replace("run:", "")))}</span>`}`;
}

/** The id of an agent or a run (`of`), with those of the server to choose from while one types; `picks`: with what is chosen most. */
export function IdInput({ of = "agents", id, name, value = "", onChange, about, wrong, picks }) {
  const own = useId();
  const input = id || own;
  const found = useGet(path([of], { limit: 30, q: useRested(value.split("?")[0]) }), { keep: true });
  return html`<span class="control agent">${name && html`<label for=${input}>${name}</label>`}
    <input id=${input} list=${`${input}-list`} value=${value} onInput=${(event) => onChange(event.target.value.trim())} autocomplete="off" spellcheck=${false}
      placeholder="type to search" aria-describedby=${about} aria-invalid=${wrong} />
    <datalist id=${`${input}-list`}>${found.data?.items.map((item) => html`<option value=${item.id}>${item.about || item.command}</option>`)}</datalist>
    ${picks && html`<${Picks} of=${of} chosen=${[value]} onPick=${onChange} />`}</span>`;
}

/** Several of them: each chosen one with a button that takes it out, and one to add. */
export function IdList({ chosen, onChange, href, picks, ...rest }) {
  const [next, setNext] = useState("");
  const add = () => {
    if (next) onChange([...chosen, next]);
    setNext("");
  };
  const enter = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  };
  const turn = (id) => onChange(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]);
  return html`<div class="filters" role="group" aria-label=${rest.of || "agents"} onKeyDown=${enter} onChange=${add}>
    ${chosen.map((id, index) => html`<span class=${`key c${index % 6 + 1}`}>${href ? html`<a href=${href(id)}>${id}</a>` : id} <button type="button" aria-label=${`leave out ${id}`}
      onClick=${() => onChange(chosen.filter((_, at) => at !== index))}>×</button></span>`)}
    <${IdInput} ...${rest} value=${next} onChange=${setNext} /><button type="button" disabled=${!next} onClick=${add}>Add</button></div>
    ${picks && html`<${Picks} of=${rest.of || "agents"} chosen=${chosen} onPick=${turn} />`}`;
}

export const useAgent = (id) => useGet(id ? path(["agents", id]) : null);

export function Facts({ facts }) {
  return html`<dl class="facts">${facts.filter(([, value]) => value !== null && value !== undefined && value !== false)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
