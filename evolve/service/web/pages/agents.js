// Agents: those that came with evolve, those of runs, those that were uploaded; each described.

import { path, post, remove } from "../api.js";
import { BoardHeat } from "../charts.js";
import { usePages } from "../data.js";
import { mostOf, Picture, scale, shade, Thumb } from "../figures.js";
import { capital, cell, label, margin, number, signed } from "../format.js";
import { html, useState } from "../html.js";
import { meta } from "../meta.js";
import { go, setQuery, to } from "../router.js";
import { ActTwice, Box, HeadRow, Icon, More, Problem, Search, Seg, Table, useAgent, Wait } from "../ui.js";

export function Agents({ parts, query }) {
  return parts.length ? html`<${One} id=${parts[0]} />` : html`<${All} query=${query} />`;
}

const ORIGINS = [["", "All"], ["reference", "Come with evolve"], ["run", "Of your runs"], ["upload", "Your files"], ["program", "Programs"]];

/** All agents on one axis of Elo, the strongest first; then those without. */
function All({ query }) {
  const [q, origin] = [query.get("q") || "", query.get("origin") || ""];
  const rules = query.get("rules") || meta().rules[0].name;
  const pages = usePages(path(["agents"], { limit: 500, q }));
  const ratingOf = ({ ratings = [] }) => ratings.find((rating) => rating.rules === rules);
  const able = (pages.items || []).filter((agent) => !agent.rules || agent.rules === rules);
  const listed = able.filter((agent) => !origin || agent.origin === origin).sort((one, other) => (ratingOf(other)?.elo ?? -Infinity) - (ratingOf(one)?.elo ?? -Infinity));
  const elos = [0, ...able.map((agent) => ratingOf(agent)?.elo ?? 0)];
  const x = scale([Math.min(...elos), Math.max(1, ...elos)], [0, 100]);
  return html`<h1>Agents</h1>
    <div class="row" role="search"><span class="find"><${Icon} name="search" /><${Search} hidden name="Search agents" value=${q} onChange=${(value) => setQuery({ q: value })} /></span>
      <${Seg} name="Rules" value=${rules} choices=${meta().rules.map(({ name }) => [name, capital(name)])} onChange=${(value) => setQuery({ rules: value })} /></div>
    <${Seg} name="Kinds" value=${origin} choices=${ORIGINS.map(([key, text]) => [key, text, able.filter((agent) => !key || agent.origin === key).length])} onChange=${(value) => setQuery({ origin: value })} />
    <${Wait} of=${pages}>
      <ol class="ladder card">${listed.map((agent) => html`<${Rung} key=${agent.id} agent=${agent} rating=${ratingOf(agent)} x=${x} />`)}</ol>
      ${listed.length === 0 && html`<p class="quiet">None.</p>`}
      <${More} pages=${pages} what="agents" />
    <//>
    <${Upload} done=${pages.reload} />`;
}

function Rung({ agent: { id, name, about, origin }, rating, x }) {
  return html`<li class=${`of-${origin}`}><span><a href=${to(["agents", id])}>${id}</a>${name !== id && html` <small>${name}</small>`}</span>
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${rating && html`<rect class="bar" x=${Math.min(x(0), x(rating.elo))} width=${Math.abs(x(rating.elo) - x(0))} height="8" />`}</svg>
    <span class="num">${rating ? html`${number(rating.elo, 0)} ${rating.error > 0 && margin(rating.elo - rating.error, rating.elo + rating.error)}` : "no Elo"}</span>
    <span class="note">${rating?.about || about}</span>
    ${origin !== "program" && html`<a class="button" href=${to(["play"], { agent: id })} aria-label=${`play ${name}`}>Play</a>`}</li>`;
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
