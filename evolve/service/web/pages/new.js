// New: goals with what each brings and costs, and behind them the forms of all commands. What is typed is
// kept as text by name; `settingsOf` makes the settings of it.

import { path, post } from "../api.js";
import { useGet, useRested } from "../data.js";
import { GoalPicture } from "../figures.js";
import { capital, label, number, partOf } from "../format.js";
import { useKept } from "../gameview.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { jobOf } from "../jobs.js";
import { isContest } from "../meta.js";
import { go, setQuery, to } from "../router.js";
import { AskRules, ruleChoices, useRules } from "../rules.js";
import { CommandLine, IdInput, IdList, Problem, Seg, Wait } from "../ui.js";

const STUDY = [
  { name: "seeds", type: "text", help: "a run for each of these seeds: 0-9 or 1,4,7-9", group: "A study: several runs" },
  { name: "grid", type: "mapping", help: "a run for each value of a setting, in all combinations: crossover=blend,uniform", group: "A study: several runs" },
];
const WHERE = [
  { name: "name", type: "text", help: "of the run's folder; the next that is free if not given", group: "Where and how" },
  { name: "threads", type: "int", help: "games at once; all cores if not given", group: "Where and how" },
];

export function New({ parts, query }) {
  const commands = useGet("commands");
  const [name] = parts;
  return html`<${Wait} of=${commands}>${commands.data && html`<${name ? Settings : Goals} commands=${commands.data.items} name=${name} query=${query} />`}<//>`;
}

const rulesOf = (info) => info?.fields.find(({ name }) => name === "rules")?.default;

function Goals({ commands, query }) {
  const goals = useGet("goals");
  const [kept, keep] = useRules();
  const rules = query.get("rules") || kept;
  const offers = (goals.data?.items || []).flatMap((goal) => goal.offers.map((offer) => ({ ...offer, goal: goal.name })));
  const chosen = offers.find((offer) => offer.name === query.get("goal") && !offer.needs && !offer.page) || offers[0];
  const choose = (name) => {
    keep(name);
    setQuery({ rules: name });
  };
  if (!rules) return html`<h1>New</h1><${AskRules} onChange=${choose} />`;
  return html`<div class="row spread"><h1>New</h1><${Seg} name="Rules" value=${rules} onChange=${choose} choices=${ruleChoices()} /></div>
    <${Wait} of=${goals}>
      ${goals.data?.items.map((goal) => html`<fieldset class="card goal" key=${goal.name}><legend class="hidden">${goal.title}</legend>
        <div class="intro"><${GoalPicture} goal=${goal.name} /><h2>${goal.title}</h2><p class="note">${goal.about}</p></div>
        <div class="presets">${offers.filter((offer) => offer.goal === goal.name).map((offer) => html`<${Offer} key=${offer.name} offer=${offer} rules=${rules} chosen=${offer === chosen} />`)}</div></fieldset>`)}
      ${chosen && html`<${Begin} key=${`${chosen.name} ${rules}`} offer=${chosen} rules=${rules} info=${commands.find(({ command }) => command === chosen.command)} />`}
      ${goals.data?.notes.map((text) => html`<p class="note">${text}</p>`)}
    <//>`;
}

/** The chosen offer, ready to start. */
function Begin({ offer: { title, command, settings, seeds, grid, time }, rules, info }) {
  const own = rulesOf(info);
  const given = own && own !== rules ? { ...settings, rules } : settings; // only where they are not the default
  const job = { settings: given, ...(seeds && { seeds, grid }) };
  const { start, error, busy } = useStart();
  const checked = useChecked(info, job);
  const query = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, textOf(value, info.fields.find((field) => field.name === name))]));
  const lines = Object.entries(grid).map(([name, values]) => `${name}=${values}`).join("\n");
  return html`<form aria-label="Start" class="bar" onSubmit=${(event) => { event.preventDefault(); start(command, job); }}><${Problem} error=${error} />
    <${StartBar} title=${title} time=${time} checked=${checked} busy=${busy}>
      <a class="button" href=${to(["new", command], { ...query, seeds, grid: lines })}>All ${info.fields.length} settings</a><//></form>`;
}

function Offer({ offer, rules, chosen }) {
  const { title, about, needs, page, time, elo, option } = offer;
  const content = html`<span class="title">${title}</span><small>${about}</small>
    <span><span class="facts">${needs ? html`<span class="needs">needs ${needs}</span>` : html`<span>${time}</span>${elo[rules] && html`<span>about ${elo[rules]} Elo</span>`}`}</span><span class="option">${option}</span></span>`;
  if (needs) return html`<div class="preset off">${content}</div>`;
  if (page) return html`<a class="preset" href=${`#/${page}`}>${content}</a>`;
  return html`<label class="preset"><input type="radio" name="offer" checked=${chosen} onChange=${() => setQuery({ goal: offer.name })} />${content}</label>`;
}

/** What the server says of a job before it starts: its command line, or what is wrong. */
function useChecked({ command, fields }, job) {
  const rested = useRested(JSON.stringify(job));
  const [found, setFound] = useState({});
  const named = fields[0].type.startsWith("agent");
  useEffect(() => {
    if (rested === "null" || (named && rested === '{"settings":{}}')) return setFound({}); // an agent must be given first
    const abort = new AbortController();
    post(path(["commands", command, "check"]), JSON.parse(rested), { signal: abort.signal })
      .then(setFound, (wrong) => abort.signal.aborted || setFound({ wrong }));
    return () => abort.abort();
  }, [command, rested]);
  return found;
}

/** What would start, how long it takes where that was measured, its command, and the button. */
function StartBar({ title, time, checked: { line, wrong, runs }, busy, children }) {
  return html`<div class="card startbar"><div><span class="title">${title}</span><br /><small>${[runs > 1 && `${runs} runs`, time].filter(Boolean).join(" · ")}</small></div>
    <div class="wide">${line ? html`<${CommandLine} line=${line} />` : html`<p class=${wrong ? "bad" : "quiet"} role="status">${wrong ? `Not yet: ${wrong.message}` : "…"}</p>`}</div>
    <div class="row">${children}<button class="main" disabled=${busy}>Start</button></div></div>`;
}

function Settings({ commands, name, query }) {
  const info = commands.find((command) => command.command === name);
  const from = query.get("from");
  if (!info) return html`<h1>There is no such command</h1><p><a href="#/new">All goals</a></p>`;
  return html`<div class="row spread"><h1>${from ? `Run ${from} again with changes` : `New: ${name}`}</h1><a class="button" href="#/new">All goals</a></div>
    <p>${info.about}${info.needs && html` <span class="needs">needs ${info.needs}</span>`}</p>
    <${Filled} key=${`${name} ${query}`} info=${info} query=${query} />`;
}

/** Begins with the settings of another run, those of the address, or what was typed before. */
function Filled({ info, query }) {
  const from = query.get("from");
  const run = useGet(from ? path(["runs", from]) : null);
  const [rules] = useRules();
  const [kept, keep] = useKept(`new:${info.command}`, {}, () => sessionStorage);
  if (from && !run.data) return html`<${Wait} of=${run} />`;
  const given = {};
  for (const field of [...info.fields, ...STUDY]) {
    const { name } = field;
    if (query.has(name)) given[name] = query.getAll(name).join(isMultiple(field) ? "\n" : " ");
    else if (run.data?.changed.includes(name)) given[name] = textOf(run.data.settings[name], field);
  }
  const begin = Object.keys(given).length || from ? given : kept;
  const chosen = from || isContest(info.command) || [undefined, rules].includes(rulesOf(info)) ? {} : { rules: rules || "" };
  return html`<${isContest(info.command) ? Contest : Form} info=${info} begin=${{ ...chosen, ...begin }} keep=${keep} />`;
}

/** The values of a study's grid, each line NAME=A,B or NAME=A|B. */
function gridOf(text) {
  return Object.fromEntries(Object.entries(valueOf({ type: "mapping" }, text))
    .map(([name, values]) => [name, values.split(values.includes("|") ? "|" : ",").map((part) => scalar(part.trim()))]));
}

function Form({ info, begin, keep }) {
  const { command } = info;
  const [texts, setTexts] = useState(begin);
  const [where, setWhere] = useState({});
  const form = useRef(null);
  const { start, error, busy, forget } = useStart();
  const { seeds, grid } = texts;
  const job = { settings: settingsOf(info.fields, texts), ...(seeds?.trim() && { seeds: seeds.trim() }), ...(grid && { grid: gridOf(grid) }) };
  const checked = useChecked(info, { ...job, ...(where.name && { name: where.name }) });
  useEffect(() => {
    if (error) (form.current.querySelector("[aria-invalid]") || form.current.querySelector(".problem")).focus();
  }, [error]);
  const change = (next) => [setTexts, keep, forget].forEach((act) => act(next));
  const errors = errorsByField(error || checked.wrong, [...info.fields, ...STUDY, ...WHERE]);
  return html`<form class="new" ref=${form} novalidate onSubmit=${(event) => { event.preventDefault(); start(command, { ...job, ...settingsOf(WHERE, where) }); }}>
    <${Problem} error=${error} />
    <${SettingsForm} info=${info} texts=${texts} onChange=${change} errors=${errors} />
    <${SettingsForm} info=${{ fields: STUDY, presets: {} }} texts=${texts} onChange=${change} errors=${errors} closed />
    <${SettingsForm} info=${{ fields: WHERE, presets: {} }} texts=${where} onChange=${(next) => { setWhere(next); forget(); }} errors=${errors} closed />
    <${StartBar} title=${command} checked=${checked} busy=${busy}><button type="button" onClick=${() => change({})}>Clear the form</button><//>
  </form>`;
}

/** A list of texts that hold commas and blanks. */
const isMultiple = ({ type, lists }) => type === "agents" || (type === "list" && lists === "repeated");

export function textOf(value, field = {}) {
  const { lists = "," } = field;
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join(isMultiple(field) ? "\n" : ", ");
  if (typeof value === "object") {
    return Object.entries(value).map(([key, part]) => `${key}=${partOf(part, lists)}`).join("\n");
  }
  return String(value);
}

/** What is not of its type stays text, for the server to say so. */
function valueOf(field, text) {
  if (isMultiple(field)) return linesOf(text);
  if (field.type === "bool") return text === "true";
  if (field.type === "int" || field.type === "float") return scalar(text.trim());
  if (field.type === "list") return text.split(/[,\s]+/).filter(Boolean).map(scalar);
  if (field.type === "mapping") {
    return Object.fromEntries(linesOf(text).map((line) => {
      const [key, ...rest] = line.split("=");
      return [key.trim(), rest.join("=").trim()];
    }));
  }
  return text.trim();
}

const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

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

/** Start a job; the button is disabled meanwhile. `forget` an error when something changes. */
function useStart(onStart = (job) => go(to(["job", job.id]))) {
  const [state, setState] = useState({});
  const forget = () => setState({});
  const start = async (command, job) => {
    setState({ busy: true });
    try {
      onStart(await post("jobs", jobOf({ ...job, command })));
      forget();
    } catch (error) {
      setState({ error });
    }
  };
  return { ...state, start, forget };
}

const TITLES = { a: "First", b: "Second", against: "Against these alone", elos: "Their Elo", opening_plies: "Moves of an opening", seed: "Seed of chance", sprt: "Stop once it is decided (SPRT)", alpha: "Risk of a false yes", beta: "Risk of a false no", threads: "How many at once" };

/** Questions that the agents here suggest: [words, what they fill in]. */
function useQuestions(command) {
  const [levels = [], champions = []] = ["level-", "run:"].map((q) => useGet(path(["agents"], { limit: 50, q })).data?.items);
  const [last] = champions;
  const eloOf = ({ ratings }) => ratings.find(({ rules }) => rules === last?.rules)?.elo;
  const above = Math.max(1, levels.findIndex((level) => eloOf(level) > (last ? eloOf(last) : 0)) + 1 || 5);
  const alike = champions.filter(({ rules }) => rules === last.rules).map(({ id }) => id).slice(0, 4);
  const [of, other] = alike.map((id) => id.replace("run:", ""));
  const found = command === "match" ? [
    last ? [`Is my champion of ${of} stronger than level ${above}?`, { a: last.id, b: `level-${above}` }] : ["Is level 6 stronger than level 5?", { a: "level-6", b: "level-5" }],
    other && [`Is ${of} stronger than ${other}?`, { a: alike[0], b: alike[1] }], last?.rules && [`Is ${of} stronger than the shipped champion?`, { a: last.id, b: `champion-${last.rules}` }],
  ] : [
    last ? [`How strong is my champion of ${of}?`, { agents: last.id, against: levels.slice(Math.max(0, above - 2), above + 1).map(({ id }) => id).join("\n") }] : ["How far apart are levels 1, 4 and 8?", { agents: "level-1\nlevel-4\nlevel-8", against: "" }],
    other && ["Which of my champions is the best?", { agents: alike.join("\n"), against: "" }],
  ];
  return found.filter(Boolean);
}

/** A contest in a row: who plays, how many games, Start. fixed: the settings that the page gives; begin: the texts of the others. */
function Contest({ info, fixed = {}, begin = {}, button = "Start", onStart }) {
  const [texts, setTexts] = useState(begin);
  const { start, error, busy, forget } = useStart(onStart);
  const questions = useQuestions(info.command);
  const fields = [...info.fields.filter(({ name }) => !(name in fixed)), WHERE[1]].map((field) => ({ ...field, title: TITLES[field.name], group: "More" }));
  const { agent = [], games, rest } = Object.groupBy(fields, ({ name, type }) => (type.startsWith("agent") ? "agent" : name === "games" ? name : "rest"));
  const { threads, ...settings } = { ...settingsOf(fields, texts), ...fixed };
  const players = [...Object.values(fixed).flat(), ...agent.flatMap(({ name }) => linesOf(texts[name] ?? ""))];
  const checked = useChecked(info, players.length > 1 && agent.length ? { settings } : null);
  const errors = errorsByField(error || checked.wrong, fields);
  const change = (next) => [setTexts, forget].forEach((act) => act(next));
  const front = [...agent, ...games].map((field) => ({ ...field, help: "", picks: agent.includes(field), default: field.default ?? (agent.includes(field) ? null : 100) }));
  return html`<form class="new" novalidate onSubmit=${(event) => { event.preventDefault(); start(info.command, { settings, threads }); }}>
    <${Problem} error=${error} />
    ${agent.length > 0 && html`<div class="row" role="group" aria-label="Questions">${questions.map(([words, given]) => html`<button type="button" class="asks" key=${words} onClick=${() => change({ ...texts, ...given })}>${words}</button>`)}</div>`}
    <div class="panel"><${Fields} row fields=${front} texts=${texts} onChange=${change} errors=${errors}><button class="main" disabled=${busy || players.length < 2}>${button}</button><//>
      ${checked.line ? html`<${CommandLine} line=${checked.line} />` : checked.wrong && html`<p class="bad" role="status">Not yet: ${checked.wrong.message}</p>`}</div>
    <${SettingsForm} info=${{ fields: rest, presets: {} }} texts=${texts} onChange=${change} errors=${errors} closed /></form>`;
}

/** The same within another page. */
export function Launch({ command, ...rest }) {
  const commands = useGet("commands");
  const info = commands.data?.items.find((item) => item.command === command);
  return info ? html`<${Contest} info=${info} ...${rest} />` : html`<${Wait} of=${commands} />`;
}

/** The first group is open, the others where something in them is set or wrong. */
export function SettingsForm({ info, texts, onChange, errors = {}, closed }) {
  const preset = info.presets[texts.preset ?? info.fields.find((field) => field.name === "preset")?.default] || {};
  const groups = [...new Set(info.fields.map((field) => field.group))]
    .map((name) => ({ name, fields: info.fields.filter((field) => field.group === name) }));
  return groups.map((group, index) => html`<${Group} key=${group.name} name=${group.name} first=${index === 0 && !closed}
      busy=${group.fields.some((field) => texts[field.name] || errors[field.name])}>
    <${Fields} fields=${group.fields} preset=${preset} presets=${Object.keys(info.presets)} texts=${texts} onChange=${onChange} errors=${errors} /><//>`);
}

function Fields({ row, fields, preset = {}, presets, texts, onChange, errors, children }) {
  return html`<div class=${row ? "in-row" : "fields"}>${fields.map((field) => html`<${Field} key=${field.name} field=${field} text=${texts[field.name] ?? ""}
    standard=${field.name in preset ? preset[field.name] : field.default} error=${errors[field.name]}
    presets=${field.name === "preset" ? presets : null} onChange=${(text) => onChange({ ...texts, [field.name]: text })} />`)}${children}</div>`;
}

function Group({ name, first, busy, children }) {
  const [opened, setOpened] = useState(null);
  const open = opened ?? (first || busy);
  return html`<details class="group panel" open=${open} onToggle=${(event) => event.target.open !== open && setOpened(event.target.open)}>
    <summary><h2>${name || "Settings"}</h2></summary>${children}</details>`;
}

function Field({ field, text, standard, error, presets, onChange }) {
  const id = `field-${field.name}`;
  const about = [field.help && `${id}-doc`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const usual = textOf(standard, field);
  const wrong = error && "true";
  const common = { id, about, wrong, picks: field.picks, "aria-describedby": about, "aria-invalid": wrong };
  return html`<div class=${`field${field.type === "mapping" || isMultiple(field) ? " wide" : ""}${error ? " wrong" : ""}`}>
    <label for=${id}>${field.title || capital(label(field.name))}</label>
    ${control(field, text, usual, presets, common, onChange)}
    ${error && html`<p class="error" id=${`${id}-error`}>${error}</p>`}
    ${field.help && html`<p class="doc" id=${`${id}-doc`}>${field.help}${limits(field)} <span class="option">${field.name}</span></p>`}
    ${field.choices?.[text || usual] && html`<p class="doc">${text || usual}: ${field.choices[text || usual]}</p>`}
  </div>`;
}

const limits = ({ least, most }) => (typeof least === "number" ? ` (${most < 1e9 ? `${least} to ${number(most)}` : `from ${least}`})` : typeof most === "number" ? ` (to ${number(most)})` : "");

function control(field, text, usual, presets, common, onChange) {
  const input = (event) => onChange(event.target.value);
  const choices = presets?.length ? presets : field.choices && Object.keys(field.choices);
  if (field.type === "bool" || choices) {
    const all = choices || ["true", "false"];
    const named = { true: "yes", false: "no" };
    return html`<select ...${common} value=${text} onChange=${input}>
      <option value="" selected=${text === ""}>${usual ? `${named[usual] || usual} (default)` : "default"}</option>
      ${all.map((choice) => html`<option value=${choice} selected=${choice === text}>${named[choice] || choice}</option>`)}</select>`;
  }
  if (field.type === "agent") return html`<${IdInput} ...${common} value=${text} onChange=${onChange} />`;
  if (field.type === "agents") return html`<${IdList} ...${common} chosen=${linesOf(text)} onChange=${(ids) => onChange(ids.join("\n"))} />`;
  if (field.type === "mapping" || isMultiple(field)) return html`<textarea ...${common} rows="3" spellcheck=${false} value=${text} placeholder=${usual || (field.name === "require" ? "one a line, such as low < high" : "one NAME=VALUE a line")} onInput=${input}></textarea>`;
  const numeric = field.type === "int" ? "numeric" : field.type === "float" ? "decimal" : undefined;
  return html`<input ...${common} value=${text} placeholder=${usual} inputmode=${numeric} autocomplete="off" spellcheck=${false} onInput=${input} />`;
}
