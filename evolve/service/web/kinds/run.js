// An evolution: its curves, generations, weights, ancestors, play-off and games.

import { path } from "../api.js";
import { HeatMap, Plot } from "../charts.js";
import { useGet, usePages, useRested, useTable } from "../data.js";
import { lastOf, number, percent } from "../format.js";
import { html, useEffect, useState } from "../html.js";
import { AgentView } from "../pages/agents.js";
import { Games, GamesList } from "../pages/game.js";
import { setQuery, to } from "../router.js";
import { Overview } from "../tables.js";
import { Box, PagedTable, Select, Table, Wait } from "../ui.js";

function Evolution({ run }) {
  return html`<${Overview} run=${run}>${(rows) => html`<${Depths} rows=${rows} />`}<//>`;
}

function Depths({ rows }) {
  const phases = Math.max(0, ...rows.map((row) => row.depths?.length || 0));
  if (!phases) return null;
  const series = Array.from({ length: phases }, (_, phase) => ({
    name: `phase ${phase + 1}`,
    points: rows.map((row) => ({ x: row.generation, y: row.depths?.[phase] })),
  }));
  return html`<${Plot} title="Search depths of the best" xName="generation" series=${series} range=${[0]} />`;
}

function Generations({ run, rest }) {
  return rest.length ? html`<${Generation} run=${run} g=${rest[0]} />` : html`<${All} run=${run} />`;
}

function All({ run }) {
  const pages = useTable(run);
  return html`<${PagedTable} pages=${pages} name="generations" shows=${{
    generation: (value) => html`<a href=${to(["run", run.id, "generations", value])}>${number(value)}</a>`,
    best: (value) => html`<a href=${to(["run", run.id, "individual", value])}>${value}</a>`,
  }} />`;
}

const SHOWN = 48;
const BEFORE_GENES = ["individual", "born", "origin", "parents", "score", "disc_difference", "games", "fitness", "depths", "endgame"];

function Generation({ run, g }) {
  const generation = Number(g);
  const last = lastOf(run);
  const pages = usePages(path(["runs", run.id, "generations", g, "individuals"], { limit: 32 }));
  const champion = useGet(path(["runs", run.id, "generations", g, "champion"]));
  const open = (value) => html`<a href=${to(["run", run.id, "individual", value])}>${value}</a>`;
  const beside = (at, words) => (at >= 0 && at <= last
    ? html`<a class="button" href=${to(["run", run.id, "generations", at])}>${words}</a>` : null);
  return html`<div class="head"><h2>Generation ${g}</h2><span class="buttons">${beside(generation - 1, "← earlier")}${beside(generation + 1, "later →")}
      <a class="button" href=${to(["run", run.id, "games"], { g, sort: "-upset" })}>Its games</a></span></div>
    <h3>Individuals</h3>
    <${PagedTable} pages=${pages} name=${`individuals of generation ${g}`} pick=${({ name }) => BEFORE_GENES.includes(name)}
      shows=${{ individual: open, parents: (value) => (value || []).map((one, place) => html`${place > 0 && ", "}${open(one)}`) }} />
    <h3>Cross table of the round robin</h3>
    <${Cross} run=${run} g=${g} />
    <h3>The best of it</h3>
    <${Wait} of=${champion}>${champion.data && html`<p>${champion.data.name} <a class="button" href=${to(["play"], { agent: champion.data.id })}>Play it</a></p>
      <${AgentView} agent=${champion.data} />`}<//>`;
}

function PlayOff({ run, query }) {
  return html`<h2>Play-off</h2><p>The champions of the run meet once more on fresh openings; the best of them is the run's champion.</p>
    <${Cross} run=${run} g="playoff" /><h3>Its games</h3><${GamesList} run=${run} g="playoff" query=${query} />`;
}

function Cross({ run, g }) {
  const table = useGet(path(["runs", run.id, "generations", g, "crosstable"]));
  const { individuals = [], scores = [], totals = [] } = table.data || {};
  const order = individuals.map((_, place) => place).sort((a, b) => totals[b] - totals[a]).slice(0, SHOWN);
  return html`<${Wait} of=${table}>
    ${individuals.length > SHOWN && html`<p class="quiet">The best ${SHOWN} of ${number(individuals.length)}.</p>`}
    ${individuals.length === 0 && table.data && html`<p class="quiet">No games are kept of it.</p>`}
    ${order.length > 0 && html`<${HeatMap} title="Score of the row against the column" names=${order.map((at) => individuals[at])}
      values=${order.map((row) => order.map((column) => scores[row][column]))} href=${(name) => to(["run", run.id, "individual", name])} />`}
  <//>`;
}

const STEP = 500;

function Weights({ run, query }) {
  const last = lastOf(run);
  const [at, setAt] = useState(query.has("g") ? Number(query.get("g")) : last);
  const [moving, setMoving] = useState(false);
  const rested = useRested(at, 80);
  const agent = useGet(path(["runs", run.id, "generations", rested, "champion"]), { keep: true });
  useEffect(() => setQuery({ g: rested }), [rested]);
  useEffect(() => {
    if (!moving) return undefined;
    const timer = setInterval(() => setAt((old) => {
      if (old < last) return old + Math.max(1, Math.round(last / 40));
      setMoving(false);
      return last;
    }), STEP);
    return () => clearInterval(timer);
  }, [moving, last]);
  const shown = Math.min(at, last);
  return html`<div class="slider"><label for="weights-of">Generation <strong>${shown}</strong> of ${last}</label>
      <input id="weights-of" type="range" min="0" max=${last} value=${shown} onInput=${(event) => { setMoving(false); setAt(Number(event.target.value)); }} />
      <button type="button" onClick=${() => { if (!moving && at >= last) setAt(0); setMoving(!moving); }}>${moving ? "Pause" : "Run through"}</button></div>
    <${Wait} of=${agent}>${agent.data && html`<h2>${agent.data.name}</h2>
      <p class="buttons"><a class="button" href=${to(["play"], { agent: agent.data.id })}>Play it</a>
      <a class="button" href=${to(["run", run.id, "generations", shown])}>Its generation</a></p><${AgentView} agent=${agent.data} />`}<//>`;
}

const WIDTH = 200;
const HEIGHT = 52;

/** Ancestors of the champion; of the last generation's best where that is no individual, but a mean of some. */
function Lineage({ run, query }) {
  const born = /^\d+-\d+$/.test(run.champion);
  const best = useGet(born ? null : path(["runs", run.id, "generations", lastOf(run), "champion"]));
  const individual = born ? run.champion : best.data?.name;
  return individual ? html`<h2>Ancestors of ${individual}</h2><${Tree} run=${run} individual=${individual} query=${query} />` : html`<${Wait} of=${best} />`;
}

function Individual({ run, rest, query }) {
  const [individual] = rest;
  const agent = useGet(path(["runs", run.id, "individuals", individual]));
  return html`<h2>${individual}</h2>
    <${Wait} of=${agent}>${agent.data && html`<p class="buttons">
      <a class="button main" href=${to(["play"], { agent: agent.data.id })}>Play it</a>
      <a class="button" href=${to(["run", run.id, "games"], { individual })}>Its games</a></p>
      <${AgentView} agent=${agent.data} />`}<//>
    <h2>Ancestors</h2><${Tree} run=${run} individual=${individual} query=${query} />`;
}

function Tree({ run, individual, query }) {
  const depth = query.get("depth") || "6";
  const lineage = useGet(path(["runs", run.id, "lineage", individual], { depth }));
  const nodes = lineage.data?.items || [];
  return html`<p class="filters"><${Select} name="Steps back" value=${depth} choices=${["3", "6", "10", "16"].map((text) => [text, text])} onChange=${(value) => setQuery({ depth: value })} /></p>
    <${Wait} of=${lineage}>
      ${nodes.length > 0 && html`<${Drawing} nodes=${nodes} individual=${individual} href=${(id) => to(["run", run.id, "individual", id])} />`}
      ${lineage.data && !lineage.data.complete && html`<p class="quiet">There are more further back.</p>`}
      <details><summary>As a table</summary><${Table} name="ancestors" rows=${nodes} id="individual" columns=${[
        { name: "individual", show: (node) => html`<a href=${to(["run", run.id, "individual", node.individual])}>${node.individual}</a>` },
        { name: "born", number: true }, { name: "generation", title: "last lived in", number: true }, { name: "origin" },
        { name: "score", number: true, show: (node) => percent(node.score) }, { name: "parents" },
      ]} /></details>
    <//>`;
}

/** Steps back from the first by the longest way: lines then go one way alone. */
function levels(nodes, first) {
  const level = new Map([[first, 0]]);
  for (const { individual, parents } of [...nodes].sort((a, b) => b.born - a.born)) {
    for (const parent of parents) level.set(parent, Math.max(level.get(parent) ?? 0, (level.get(individual) ?? 0) + 1));
  }
  return level;
}

function Drawing({ nodes, individual, href }) {
  const level = levels(nodes, individual);
  const columns = [];
  for (const node of nodes) {
    const at = level.get(node.individual) ?? 0;
    (columns[at] ||= []).push(node);
  }
  const tall = Math.max(...columns.map((column) => column.length));
  const place = new Map();
  columns.forEach((column, at) => column.forEach((node, row) => place.set(node.individual, {
    x: at * WIDTH + 4,
    y: (row + (tall - column.length) / 2) * HEIGHT + 4,
  })));
  const width = columns.length * WIDTH;
  return html`<${Box} name="tree of ancestors"><svg class="tree" width=${width} height=${tall * HEIGHT} viewBox=${`0 0 ${width} ${tall * HEIGHT}`}>
    ${nodes.flatMap((node) => node.parents.filter((parent) => place.has(parent)).map((parent) => {
      const [a, b] = [place.get(node.individual), place.get(parent)];
      const [x, y, end] = [a.x + WIDTH - 26, a.y + 20, b.y + 20];
      return html`<path d=${`M${x} ${y}C${x + 14} ${y} ${b.x - 14} ${end} ${b.x} ${end}`} />`;
    }))}
    ${nodes.map((node) => {
      const { x, y } = place.get(node.individual);
      return html`<a href=${href(node.individual)} key=${node.individual}>
        <title>${node.individual}: born in generation ${node.born}, ${node.origin}, last lived in ${node.generation}</title>
        <rect class=${node.individual === individual ? "first" : undefined} x=${x} y=${y} width=${WIDTH - 26} height="40" rx="5" />
        <text class="strong" x=${x + 8} y=${y + 16}>${node.individual}</text>
        <text x=${x + 8} y=${y + 32}>${node.origin} · ${percent(node.score, 0)}</text></a>`;
    })}
  </svg><//>`;
}

/** By their names in the address: [title of the tab, or none; component; whether a run has it]. */
export const parts = {
  "": ["Curves", Evolution], generations: ["Generations", Generations], weights: ["Weights", Weights], lineage: ["Lineage", Lineage],
  individual: [null, Individual], playoff: ["Play-off", PlayOff, (run) => run.playoff], games: ["Games", Games],
};
