// An evolution: its curves, generations, weights, ancestors, play-off and games.

import { path } from "../api.js";
import { Board } from "../board.js";
import { Curves, extent, Figure, HeatMap, Plot, Svg, ticks } from "../charts.js";
import { hasValues, useCurve, useGet, usePages, useRested, useTable } from "../data.js";
import { scale } from "../figures.js";
import { interval, lastOf, margin, number, percent } from "../format.js";
import { Steps } from "../gameview.js";
import { html, useEffect, useMemo, useState } from "../html.js";
import { firstTable, rungsOf } from "../meta.js";
import { AgentView } from "../pages/agents.js";
import { Games, GamesList } from "../pages/game.js";
import { PlayButton, usePlaying } from "../playing.js";
import { positions } from "../reversi.js";
import { go, setQuery, to } from "../router.js";
import { chartsOf } from "../tables.js";
import { PagedTable, Seg, Wait } from "../ui.js";

/** Over what the rating is drawn: [key, words, what of a row adds up to it]. */
const OVER = [["generation", "Generations"], ["games", "Games", "games"], ["minutes", "Time", "seconds"]];

function Evolution({ run }) {
  const curve = useCurve(run);
  return html`<${Wait} of=${curve}>${curve.data && html`
    ${curve.data.length === 0 && html`<p class="quiet">The first generation is on its way.</p>`}
    ${curve.data.length > 0 && html`<${Strength} run=${run} rows=${curve.data} />
      <div class="two left"><section class="card stack"><h2 class="title">What the ${run.state === "running" ? "best" : "champion"} values</h2><${Values} run=${run} at=${null} /></section><${BestGame} run=${run} rows=${curve.data} /></div>
      <section class="stack"><h2>How it went</h2><${Curves} small rows=${curve.data} x=${["generation", "generation"]}
        charts=${chartsOf(firstTable(run)).filter(({ first }) => !first)}><${Depths} rows=${curve.data} /><//></section>`}`}<//>`;
}

/** Rows with what they add up to, also where only some of them are there. */
function summed(rows, column) {
  let [sum, before] = [0, -1];
  return rows.map((row) => {
    sum += (row[column] ?? 0) * (row.generation - before);
    before = row.generation;
    return sum;
  });
}

/** Each generation's best, the strength smoothed over them, the champion, and the rungs of the ladder. */
function Strength({ run, rows }) {
  const [over, setOver] = useState("generation");
  const column = OVER.find(([key]) => key === over)[2];
  const sums = column && summed(rows, column);
  const x = rows.map((row, at) => (sums ? sums[at] / (over === "minutes" ? 60 : 1) : row.generation));
  const points = (name) => rows.map((row, at) => ({ x: x[at], y: row[name], low: row[`${name}_low`], high: row[`${name}_high`] }));
  const rated = hasValues(rows, "rating");
  const rungs = rated ? rungsOf(run) : [];
  const series = [
    { name: "best of a generation", dots: true, whiskers: true, colour: 0, points: points("panel_elo") },
    ...(rated ? [{ name: "strength", bold: true, colour: 0, points: points("rating"), label: `strength ${number(rows.at(-1).rating, 0)} ${margin(rows.at(-1).rating_low, rows.at(-1).rating_high)}` }] : []),
    ...(typeof run.elo === "number" ? [{ name: "champion", dots: true, whiskers: true, open: true, colour: 0, label: `champion ${number(run.elo, 0)} ${margin(run.elo_low, run.elo_high)}`,
      points: [{ x: x.at(-1), y: run.elo, low: run.elo_low, high: run.elo_high }] }] : []),
  ];
  return html`<${Plot} key=${over} tall title="How strong each generation's best is" about=${`Elo over ${over === "generation" ? "generations" : over}${rated ? " · line: strength, smoothed over all bests by their errors, so later ones change it; band: its 95 %" : ""}`} series=${series} rungs=${rungs} xName=${over === "minutes" ? "minute" : over}
    text=${(value) => number(value, 0)} acts=${html`<${Seg} name="Over" value=${over} choices=${OVER.map(([key, words]) => [key, words])} onChange=${setOver} />`} />`;
}

/** A game that the champion won in the play-off; before that, one of the last generation's best, which plays itself while it runs. */
function BestGame({ run, rows }) {
  const last = rows.at(-1);
  const [which, individual] = run.playoff ? ["playoff", run.champion] : [last.generation, last.best];
  const found = useGet(path(["runs", run.id, "generations", String(which), "games"], { individual, sort: "-plies", limit: 50 }), { keep: true });
  const games = found.data?.items || [];
  const game = games.find((row) => row.moves && row[row.winner] === individual) ?? games.find((row) => row.moves);
  return html`<section class="card stack"><div class="row spread"><h2 class="title">${run.state === "running" ? `The best of generation ${which}` : "Its best game"}</h2><a href=${to(["run", run.id, "games"])}>All games</a></div>
    <${Wait} of=${found}>${game ? html`<${GameShown} key=${game.id} game=${game} run=${run} />` : found.data && html`<p class="note">No game of it is kept.</p>`}<//></section>`;
}

function GameShown({ game, run }) {
  const moves = useMemo(() => game.moves.split(" "), [game.id]);
  const all = useMemo(() => positions(moves), [moves]);
  const last = all.length - 1;
  const running = run.state === "running";
  const [at, setAt] = useState(Math.min(30, last));
  const [playing, setPlaying] = usePlaying(at, setAt, last, running, { pause: 700 });
  const show = (move) => {
    setPlaying(false);
    setAt(Math.max(0, Math.min(last, move)));
  };
  const side = (name) => html`<span><span class=${`dot ${name}`}></span> ${game[name]}${game.winner === name && html` <strong>won</strong>, ${game[`discs_${name}`]} discs to ${game[`discs_${name === "black" ? "white" : "black"}`]}`}</span>`;
  return html`<p class="versus">${side("black")}${side("white")}<span class="note">move ${at} of ${last}</span></p>
    <${Board} position=${all[at]} name=${`game ${game.id} after ${at} moves`} />
    <input type="range" aria-label="Move" min="0" max=${last} value=${at} onInput=${(event) => show(Number(event.target.value))} />
    <div class="row"><${Steps} at=${at} last=${last} show=${show}><${PlayButton} playing=${playing} onChange=${setPlaying} /><//>
      <a class="button push" href=${to(["game", run.id, game.id], { ply: at })}>Look closer</a></div>`;
}

const PHASES = ["opening", "middle", "end"];

function Depths({ rows }) {
  const phases = Math.max(0, ...rows.map((row) => row.depths?.length || 0));
  if (!phases) return null;
  const series = Array.from({ length: phases }, (_, phase) => ({
    name: phases === 3 ? PHASES[phase] : `phase ${phase + 1}`,
    points: rows.map((row) => ({ x: row.generation, y: row.depths?.[phase] })),
  }));
  return html`<${Plot} small title="Search depth, plies" option="depths" xName="generation" series=${series} range=${[0]} />`;
}

function Generations({ run, rest }) {
  return rest.length ? html`<${Generation} run=${run} g=${rest[0]} />` : html`<${All} run=${run} />`;
}

function All({ run }) {
  const pages = useTable(run);
  return html`<${PagedTable} pages=${pages} name="generations" pick=${({ name }) => name !== "rise_since"} shows=${{
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
      shows=${{ individual: open, parents: (value) => (value || []).map((parent, index) => html`${index > 0 && ", "}${open(parent)}`) }} />
    <h3>Cross table of the round robin</h3>
    <${Cross} run=${run} g=${g} />
    <h3>The best of it</h3>
    <${Wait} of=${champion}>${champion.data && html`<p>${champion.data.name} <a class="button" href=${to(["play"], { agent: champion.data.id })}>Play it</a></p>
      <${AgentView} agent=${champion.data} />`}<//>`;
}

function PlayOff({ run, query }) {
  return html`<h2>Play-off</h2><p>The champions of the run meet once more on fresh openings; the best of them is the run's champion.${typeof run.playoff_share === "number" && ` It won ${interval(run.playoff_share, run.playoff_share_low, run.playoff_share_high, percent)} of its points there.`}</p>
    <${Cross} run=${run} g="playoff" /><h3>Its games</h3><${GamesList} run=${run} g="playoff" query=${query} />`;
}

function Cross({ run, g }) {
  const table = useGet(path(["runs", run.id, "generations", g, "crosstable"]));
  const { individuals = [], scores = [], totals = [] } = table.data || {};
  const order = individuals.map((_, index) => index).sort((a, b) => totals[b] - totals[a]).slice(0, SHOWN);
  return html`<${Wait} of=${table}>
    ${individuals.length > SHOWN && html`<p class="quiet">The best ${SHOWN} of ${number(individuals.length)}.</p>`}
    ${individuals.length === 0 && table.data && html`<p class="quiet">No games are kept of it.</p>`}
    ${order.length > 0 && html`<${HeatMap} title="Score of the row against the column" names=${order.map((at) => individuals[at])}
      values=${order.map((row) => order.map((column) => scores[row][column]))} href=${(name) => to(["run", run.id, "individual", name])} />`}
  <//>`;
}

const PAUSE = 500;

/** What the best of a generation values, with a slider over the generations; `at`: which first, null: the last. */
function Values({ run, at: first, onChange }) {
  const last = lastOf(run);
  const [chosen, setAt] = useState(first);
  const at = Math.min(chosen ?? last, last);
  const [playing, setPlaying] = usePlaying(at, setAt, last, false, { step: Math.max(1, Math.round(last / 40)), pause: PAUSE });
  const rested = useRested(at, 80);
  const agent = useGet(path(["runs", run.id, "generations", String(rested), "champion"]), { keep: true });
  useEffect(() => onChange?.(rested), [rested]);
  return html`<div class="row"><${PlayButton} playing=${playing} onChange=${setPlaying} words="Run through the generations" />
      <label for="weights-of" class="nowrap">Generation <strong>${at}</strong> of ${last}</label>
      ${agent.data && html`<span class="push row"><a href=${to(["run", run.id, "individual", agent.data.name])}>${agent.data.name}</a> <a href=${to(["play"], { agent: agent.data.id })}>Play it</a> <a href=${to(["run", run.id, "generations", at])}>Its generation</a></span>`}
      <input id="weights-of" type="range" min="0" max=${last} value=${at} onInput=${(event) => { setPlaying(false); setAt(Number(event.target.value)); }} /></div>
    <${Wait} of=${agent}>${agent.data && html`<${AgentView} agent=${agent.data} />`}<//>`;
}

const Weights = ({ run, query }) => html`<section class="card stack"><${Values} run=${run} at=${query.has("g") ? Number(query.get("g")) : null} onChange=${(g) => setQuery({ g })} /></section>`;

/** Ancestors of the champion; of the last generation's best where that is no individual, but a mean of some. */
function Lineage({ run }) {
  const born = /^\d+-\d+$/.test(run.champion);
  const best = useGet(born ? null : path(["runs", run.id, "generations", lastOf(run), "champion"]));
  const individual = born ? run.champion : best.data?.name;
  return individual ? html`<h2>Ancestors of ${individual}</h2><${Tree} key=${individual} run=${run} individual=${individual} />` : html`<${Wait} of=${best} />`;
}

function Individual({ run, rest }) {
  const [individual] = rest;
  const agent = useGet(path(["runs", run.id, "individuals", individual]));
  return html`<h2>${individual}</h2>
    <${Wait} of=${agent}>${agent.data && html`<p class="buttons">
      <a class="button main" href=${to(["play"], { agent: agent.data.id })}>Play it</a>
      <a class="button" href=${to(["run", run.id, "games"], { individual })}>Its games</a></p>
      <${AgentView} agent=${agent.data} />`}<//>
    <h2>Ancestors</h2><${Tree} key=${individual} run=${run} individual=${individual} />`;
}

/** Each ancestor at its generation and Elo, the main line thick, with those of its names that have room; the same as a table. */
function Tree({ run, individual }) {
  const lineage = useGet(path(["runs", run.id, "lineage", individual], { depth: 1e6 }));
  const rated = lineage.data?.items.some(({ elo }) => elo !== null);
  const lanes = {};
  const lane = ({ born, main }) => (main ? 0 : Math.ceil((lanes[born] = (lanes[born] ?? 0) + 1) / 2) * (lanes[born] % 2 ? 1 : -1));
  const nodes = (lineage.data?.items || []).map((node) => ({ ...node, at: rated ? node.elo : lane(node) })).filter(({ at }) => at !== null);
  const of = new Map(nodes.map((node) => [node.individual, node]));
  const origins = [...new Set(nodes.map(({ origin }) => origin))].sort();
  const line = nodes.filter(({ main }) => main).sort((one, other) => other.born - one.born);
  const draw = (width) => {
    const height = Math.max(280, Math.min(460, 0.4 * width));
    const [xs, ys] = ["born", "at"].map((key) => extent(nodes.map((node) => node[key])));
    const [x, y] = [scale(xs, [rated ? 58 : 16, width - 64]), scale(ys, [height - 32, 24])];
    const taken = [];
    const named = line.filter(({ individual: name, born, at }) => {
      const [left, top, wide] = [x(born), y(at), 7.2 * name.length + 8];
      return left + wide < width && taken.every(([l, t, w]) => left > l + w || l > left + wide || Math.abs(top - t) > 15) && taken.push([left, top, wide]);
    });
    return html`<${Svg} class="lineage" label=${`${nodes.length} ancestors by generation${rated ? " and Elo" : ""}; the table names them`} width=${width} height=${height}>
      ${rated && ticks(ys, height / 60).map((tick) => html`<line class="grid" x1="52" x2=${width - 8} y1=${y(tick)} y2=${y(tick)} /><text x="46" y=${y(tick)} dy="0.35em" text-anchor="end">${number(tick, 0)}</text>`)}
      ${ticks(xs, width / 90, true).map((tick) => html`<text x=${x(tick)} y=${height - 8} text-anchor="middle">${tick}</text>`)}
      <path class="axis" d=${nodes.flatMap((node) => node.parents.map((parent) => of.get(parent)).filter(Boolean).map((parent) => `M${x(node.born)} ${y(node.at)}L${x(parent.born)} ${y(parent.at)}`)).join("")} />
      <g class="c1"><polyline class="line bold" points=${line.map(({ born, at }) => `${x(born)},${y(at)}`).join(" ")} /></g>
      ${nodes.map((node) => html`<g class=${`c${origins.indexOf(node.origin) % 6 + 1}`} onClick=${() => go(to(["run", run.id, "individual", node.individual]))}><circle class=${node.individual === individual ? "dot open" : "dot"} cx=${x(node.born)} cy=${y(node.at)} r=${node.individual === individual ? 7 : node.main ? 4 : 2.5}><title>${`${node.individual}, ${node.origin}${rated ? `, ${number(node.elo, 0)} Elo` : ""}`}</title></circle></g>`)}
      ${named.map(({ individual: name, born, at }) => html`<text class="series c1" x=${x(born) + 6} y=${y(at) - 7}>${name}</text>`)}<//>`;
  };
  const columns = [
    { name: "individual", show: (node) => html`<a href=${to(["run", run.id, "individual", node.individual])}>${node.individual}</a>` }, { name: "born", title: "born in", number: true },
    { name: "origin", title: "made by" }, { name: "score", number: true, show: (node) => percent(node.score) }, { name: "elo", title: "Elo at birth", number: true, show: (node) => number(node.elo, 0) }, { name: "parents" },
  ];
  return html`<${Wait} of=${lineage}>${nodes.length === 1 && html`<p class="quiet">It has none: it was ${origins[0]}.</p>`}${nodes.length > 1 && html`<${Figure} title=${`${individual} and its ${nodes.length - 1} ancestors`} draw=${draw} rows=${nodes} columns=${columns} csv=${() => [columns.map(({ name }) => name), ...nodes.map((node) => columns.map(({ name }) => String(node[name] ?? "")))]}
      about=${`by generation${rated ? " and Elo at birth" : ""}`}>
      <div class="legend">${origins.map((origin, index) => html`<span class=${`c${index % 6 + 1}`}><svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true"><circle class="dot" cx="6" cy="6" r="4" /></svg>${origin}</span>`)}</div>
      <p class="note">The thick line goes from each to the parent that gave it most of its numbers.${rated && " Elo at birth: that of its generation's best, less by what its score is lower."} <code>evolve lineage</code> also draws how many of each operator's offspring survived.</p><//>`}<//>`;
}

/** By their names in the address: [title of the tab, or none; component; whether a run has it]. */
export const parts = {
  "": ["Overview", Evolution], generations: ["Generations", Generations], weights: ["Weights", Weights], lineage: ["Lineage", Lineage],
  individual: [null, Individual], playoff: ["Play-off", PlayOff, (run) => run.playoff], games: ["Games", Games],
};
