// Where an individual comes from: its ancestors as a tree, each of which opens; and an individual alone.

import { path } from "../api.js";
import { useGet } from "../data.js";
import { percent } from "../format.js";
import { html } from "../html.js";
import { setQuery, to } from "../router.js";
import { Box, Select, Table, Wait } from "../ui.js";
import { AgentView } from "./agents.js";

const WIDTH = 200;
const HEIGHT = 52;

export function Lineage({ run, query }) {
  const last = Math.max(0, (run.done ?? 1) - 1);
  const champion = useGet(run.agent ? path(["agents", run.agent]) : null);
  const best = useGet(path(["runs", run.id, "generations", last, "champion"]));
  if (run.agent && !champion.data && !champion.error) return html`<${Wait} of=${champion} />`;
  const individual = champion.data?.provenance.individual ?? best.data?.provenance.individual ?? best.data?.name;
  if (!individual) return html`<${Wait} of=${best} />`;
  return html`<h2>Ancestors of ${individual}</h2><${Tree} run=${run} individual=${individual} query=${query} />`;
}

export function Individual({ run, rest, query }) {
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

/** Steps back of each individual from the first, by its longest way: lines then go one way alone. */
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
        <text class="word" x=${x + 8} y=${y + 16}>${node.individual}</text>
        <text x=${x + 8} y=${y + 32}>${node.origin} · ${percent(node.score, 0)}</text></a>`;
    })}
  </svg><//>`;
}
