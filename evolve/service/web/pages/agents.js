// Agents: those that came with evolve, those of runs, those that were uploaded; each described.

import { path, post, remove } from "../api.js";
import { BoardHeat } from "../charts.js";
import { usePages } from "../data.js";
import { mostOf, Picture, shade, Thumb } from "../figures.js";
import { capital, cell, label, margin, number, signed } from "../format.js";
import { html, useState } from "../html.js";
import { go, setQuery, to } from "../router.js";
import { ActTwice, Box, HeadRow, Icon, More, Problem, Search, Table, useAgent, Wait } from "../ui.js";

export function Agents({ parts, query }) {
  return parts.length ? html`<${One} id=${parts[0]} />` : html`<${All} query=${query} />`;
}

function All({ query }) {
  const q = query.get("q") || "";
  const pages = usePages(path(["agents"], { limit: 50, q }));
  return html`<h1>Agents</h1>
    <div class="row" role="search"><span class="find"><${Icon} name="search" /><${Search} hidden name="Search agents" value=${q} onChange=${(value) => setQuery({ q: value })} /></span></div>
    <${Wait} of=${pages}>
      <${Table} name="agents" id="id" rows=${pages.items || []} columns=${[
        { name: "agent", show: (agent) => html`<a href=${to(["agents", agent.id])}>${agent.id}</a>${agent.name !== agent.id && html` <small>${agent.name}</small>`}` },
        { name: "Elo", number: true, show: ({ ratings = [] }) => ratings.map(({ rules, elo, error }) => html`<div title=${rules}>${number(elo, 0)} ${error > 0 && margin(elo - error, elo + error)}${ratings.length > 1 && html` <small>${rules}</small>`}</div>`) },
        { name: "rules", show: (agent) => agent.rules || "any" }, { name: "about" },
        { title: "play", show: (agent) => html`<a class="button" href=${to(["play"], { agent: agent.id })} aria-label=${`play ${agent.name}`}>Play</a>` },
      ]} />
      <${More} pages=${pages} what="agents" />
    <//>
    <${Upload} done=${pages.reload} />`;
}

function Upload({ done }) {
  const [error, setError] = useState(null);
  const [agent, setAgent] = useState(null);
  const upload = async (event) => {
    event.preventDefault();
    const [file] = event.target.elements.file.files;
    if (!file) return;
    setError(null);
    setAgent(null);
    try {
      setAgent(await post("agents", { name: file.name, data: await base64(file) }));
      done();
    } catch (problem) {
      setError(problem);
    }
  };
  return html`<form class="panel" onSubmit=${upload}><h2>Upload an agent</h2>
    <p id="upload-doc">An agent file of evolve, such as <code>best.json</code> or <code>net.npz</code>. It is checked before it is kept.</p>
    <p class="buttons"><label for="file" class="hidden">Agent file</label><input id="file" name="file" type="file" accept=".json,.npz" aria-describedby="upload-doc" /><button>Upload</button></p>
    <${Problem} error=${error} />
    ${agent && html`<p role="status">It is here as <a href=${to(["agents", agent.id])}>${agent.name}</a>.</p>`}</form>`;
}

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

function One({ id }) {
  const agent = useAgent(id);
  if (!agent.data) return html`<h1>${id}</h1><${Wait} of=${agent} />`;
  const { name, about, origin, ratings = [] } = agent.data;
  return html`<${HeadRow} picture=${html`<${Picture} />`} title=${name} note=${html`${capital(about || "")} <span class="option">${id}</span>`}
      figure=${ratings.map(({ rules, elo, error }) => html`<div class="elo" title=${rules}>${number(elo, 0)} <i>${error > 0 && margin(elo - error, elo + error)} Elo${ratings.length > 1 && `, ${rules}`}</i></div>`)}>
      <a class="button main" href=${to(["play"], { agent: id })}><${Icon} name="play" /> Play it</a><a class="button" href=${to(["ratings"], { agent: id })}>Rate it</a>
      ${origin === "upload" && html`<${ActTwice} question="Delete this agent?" act=${() => remove(path(["agents", id])).then(() => go("#/agents"))}>Delete<//>`}<//>
    <div class="card"><${AgentView} agent=${agent.data} /></div>`;
}

const PHASES = ["Opening", "Middle", "End"];

/** The title of one of several boards or columns: a third of a game has a name. */
const phased = (title, index, count) => (count === PHASES.length ? PHASES[index] : capital(title));

function Boards({ boards }) {
  const all = Object.entries(boards);
  const most = mostOf(all.flatMap(([, values]) => values));
  return html`<${Scale} /><div class="boards">${all.map(([title, values], index) => html`<${BoardHeat} key=${title} title=${phased(title, index, all.length)}
    about=${all.length === PHASES.length && title.split(", ")[1]} values=${values} most=${most} />`)}</div>`;
}

const Scale = () => html`<div class="scale"><span>bad for it</span><svg viewBox="0 0 11 1" preserveAspectRatio="none" aria-hidden="true">${Array.from({ length: 11 }, (_, step) => html`
  <rect class=${`v ${shade(step - 5, 5)}`} x=${step} width="1" height="1" />`)}</svg><span>good for it</span></div>`;

const PLAIN = ["phase", "discs", "depth", "depths"];

/** What an agent counts beside the squares, a row a term and a column a phase, in the colours of its values. */
function Genes({ columns, rows }) {
  const terms = columns.map((name, index) => ({ name, values: rows.map((row) => row[index]) })).filter(({ name }) => name !== "phase");
  const coloured = terms.filter(({ name, values }) => !PLAIN.includes(name) && values.every((value) => typeof value === "number"));
  const most = mostOf(coloured.flatMap(({ values }) => values));
  return html`<${Box} name="phases"><table class="genes"><thead><tr><th scope="col">Beside the squares</th>${rows.map((_, index) => html`<th scope="col">${phased(`phase ${index}`, index, rows.length)}</th>`)}</tr></thead>
    <tbody>${terms.map((term) => html`<tr key=${term.name}><th scope="row">${capital(label(term.name))}</th>
      ${term.values.map((value) => html`<td class=${coloured.includes(term) ? `v ${shade(value, most)}` : undefined}>${coloured.includes(term) ? signed(value) : cell(value)}</td>`)}</tr>`)}</tbody></table><//>`;
}

/** A pattern agent's shapes: their squares, and what its tables hold of them. */
function Shapes({ columns, rows, boards }) {
  return html`<${Table} name="shapes" rows=${rows} columns=${columns.map((name, index) => ({ name, number: index > 0,
    show: (row) => (index ? cell(row[index]) : html`<span class="row"><${Thumb} values=${boards[row[0]]} /> ${row[0]}</span>`) }))} />`;
}

/** An agent described: facts, remarks, its table, its boards of numbers, where it comes from. */
export function AgentView({ agent }) {
  const provenance = Object.entries(agent.provenance || {});
  return html`<div class="stack">
    <p class="note">${[agent.kind, agent.rules && `${agent.rules} rules`, ...agent.facts].filter(Boolean).join(" · ")}</p>
    ${agent.lines.map((line) => html`<p>${line}</p>`)}
    ${agent.columns[0] === "shape" ? html`<${Shapes} ...${agent} />`
      : html`${Object.keys(agent.boards).length > 0 && html`<${Boards} boards=${agent.boards} />`}
        ${agent.rows.length > 0 && html`<${Genes} columns=${agent.columns} rows=${agent.rows} />`}`}
    ${provenance.length > 0 && html`<details><summary>Where it comes from</summary><dl class="settings">
      ${provenance.map(([name, value]) => html`<div><dt>${label(name)}</dt><dd>${cell(value)}</dd></div>`)}</dl></details>`}</div>`;
}
