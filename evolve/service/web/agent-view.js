// An agent described: facts, remarks, its table, its boards of numbers, where it comes from.

import { BoardHeat } from "./charts.js";
import { cell, label } from "./format.js";
import { html } from "./html.js";
import { Table } from "./ui.js";

export function Boards({ boards }) {
  const all = Object.entries(boards);
  const most = Math.max(...all.flatMap(([, values]) => values.map(Math.abs)), 1e-9);
  return html`<div class="heats">${all.map(([title, values]) => html`<${BoardHeat} key=${title} title=${title} values=${values} most=${most} />`)}</div>`;
}

export function AgentView({ agent }) {
  const columns = agent.columns.map((name, place) => ({ name, number: typeof agent.rows[0]?.[place] === "number", show: (row) => cell(row[place]) }));
  const provenance = Object.entries(agent.provenance || {});
  return html`
    <p>${[agent.kind, agent.rules, ...agent.facts].filter(Boolean).join(", ")}</p>
    ${agent.lines.map((line) => html`<p>${line}</p>`)}
    ${agent.rows.length > 0 && html`<${Table} name="phases" columns=${columns} rows=${agent.rows} />`}
    ${Object.keys(agent.boards).length > 0 && html`<${Boards} boards=${agent.boards} />`}
    ${provenance.length > 0 && html`<details><summary>Where it comes from</summary><dl class="settings">
      ${provenance.map(([name, value]) => html`<div><dt>${label(name)}</dt><dd>${cell(value)}</dd></div>`)}</dl></details>`}`;
}
