// A generation: its individuals, the cross table of its round robin, its best; and the play-off.

import { path } from "../api.js";
import { AgentView } from "../agent-view.js";
import { HeatMap } from "../charts.js";
import { useGet, usePages } from "../data.js";
import { number, percent } from "../format.js";
import { html } from "../html.js";
import { to } from "../router.js";
import { PagedTable, Wait } from "../ui.js";
import { GamesList } from "./games.js";

const SHOWN = 48;
const BEFORE_GENES = ["individual", "born", "origin", "parents", "score", "disc_difference", "games", "fitness", "depths", "endgame"];

export function Generation({ run, rest }) {
  const [g] = rest;
  const generation = Number(g);
  const last = Math.max(0, (run.done ?? 1) - 1);
  const pages = usePages(path(["runs", run.id, "generations", g, "individuals"], { limit: 32 }));
  const champion = useGet(path(["runs", run.id, "generations", g, "champion"]));
  const open = (value) => html`<a href=${to(["run", run.id, "individual", value])}>${value}</a>`;
  const beside = (at, words) => (at >= 0 && at <= last
    ? html`<a class="button" href=${to(["run", run.id, "generations", at])}>${words}</a>` : null);
  return html`<div class="head"><h2>Generation ${g}</h2><span class="buttons">${beside(generation - 1, "← earlier")}${beside(generation + 1, "later →")}
      <a class="button" href=${to(["run", run.id, "games"], { g, sort: "-upset" })}>Its games</a></span></div>
    <h3>Individuals</h3>
    <${PagedTable} pages=${pages} name=${`individuals of generation ${g}`} id="individual" pick=${({ name }) => BEFORE_GENES.includes(name)}
      shows=${{ individual: open, score: (value) => percent(value), parents: (value) => (value || []).map((one, place) => html`${place > 0 && ", "}${open(one)}`) }} />
    <h3>Cross table of the round robin</h3>
    <${Cross} run=${run} g=${g} />
    <h3>The best of it</h3>
    <${Wait} of=${champion}>${champion.data && html`<p>${champion.data.name} <a class="button" href=${to(["play"], { agent: champion.data.id })}>Play it</a></p>
      <${AgentView} agent=${champion.data} />`}<//>`;
}

export function PlayOff({ run }) {
  return html`<h2>Play-off</h2><p>The champions of the run meet once more on fresh openings; the best of them is the run's champion.</p>
    <${Cross} run=${run} g="playoff" /><h3>Its games</h3><${GamesList} run=${run} g="playoff" query=${new URLSearchParams()} />`;
}

/** Row against column, the best first. */
function Cross({ run, g }) {
  const table = useGet(path(["runs", run.id, "generations", g, "crosstable"]));
  const { individuals = [], scores = [], totals = [] } = table.data || {};
  const order = individuals.map((_, place) => place).sort((a, b) => totals[b] - totals[a]).slice(0, SHOWN);
  return html`<${Wait} of=${table}>
    ${individuals.length > SHOWN && html`<p class="quiet">The best ${SHOWN} of ${number(individuals.length)}.</p>`}
    ${individuals.length === 0 && table.data && html`<p class="quiet">No games are kept of it.</p>`}
    ${order.length > 0 && html`<${HeatMap} title="Score of the row against the column" names=${order.map((at) => individuals[at])}
      values=${order.map((row) => order.map((column) => scores[row][column]))} rowHref=${(name) => to(["run", run.id, "individual", name])} />`}
  <//>`;
}
