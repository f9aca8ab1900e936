// Games: lists with filters, and one move by move.

import { path } from "../api.js";
import { useCoach } from "../coach.js";
import { useGet, usePages, useRested } from "../data.js";
import { lastOf, number, percent } from "../format.js";
import { html, useMemo, useState } from "../html.js";
import { meta } from "../meta.js";
import { positions } from "../reversi.js";
import { setQuery, to } from "../router.js";
import { reviewOf, statusAt, GameView, useSteps } from "../gameview.js";
import { Facts, IdInput, More, Search, Select, Table, Wait } from "../ui.js";

export function Game({ parts, query }) {
  const [id, number] = parts;
  const run = useGet(path(["runs", id]));
  const game = useGet(path(["runs", id, "games", number]));
  const [g] = (number || "").split(":");
  const born = /^\d+-\d+$/;
  const link = (name) => (born.test(name) ? html`<a href=${to(["run", id, "individual", name])}>${name}</a>` : name);
  return html`<div class="head"><h1>Game ${number}</h1><span class="buttons">
      <a class="button" href=${to(["run", id])}>${id}</a><a class="button" href=${to(["run", id, "games"], { g })}>Other games</a></span></div>
    <${Wait} of=${game}><${Wait} of=${run}>${run.data && game.data && html`<${Replay} game=${game.data} rules=${run.data.rules || meta().default_rules}
      agent=${run.data.agent} query=${query} link=${link} idOf=${(name) => (born.test(name) ? `run:${id}:${name}` : run.data.agent)} />`}<//><//>`;
}

const listOf = (text) => (text || "").split(" ").filter(Boolean);

/** A game with the values of the player to move, or of another agent; idOf: returns a player's id by name. */
export function Replay({ game, rules, agent, query, link = (name) => name, idOf = (name) => !name.startsWith("program:") && name }) {
  const moves = useMemo(() => listOf(game.moves), [game.moves]);
  const all = useMemo(() => positions(moves, game.start), [moves]);
  const opening = listOf(game.opening).length;
  const last = all.length - 1;
  const [at, show] = useSteps(query, last, opening);
  const [other, setOther] = useState("");
  const [open, setOpen] = useState(true);
  const next = moves[at];
  const asked = useRested(other, 400) || idOf(game[all[at].side]);
  const asks = Boolean(open && asked && next && next !== "pass");
  const known = { moves, rules, start: game.start?.replace(";", "") };
  const opinion = useCoach(asks, { ...known, moves: moves.slice(0, at) }, asked || "none");
  const values = asks ? opinion.evaluations.at(-1) : null;
  const sides = Object.fromEntries(["black", "white"].map((side) => [side, { name: link(game[side]), note: game.winner === side && "won" }]));
  return html`<${GameView} all=${all} at=${at} show=${show} game=${{ ...known, black: game.black, white: game.white }} name=${`ply ${at}`} status=${statusAt(at, all, next === undefined ? " The game is over." : "")} sides=${sides}
      turn=${at < last ? all[at].side : null} coming=${next} opinion=${values?.unit ? values : null} opening=${opening}
      notes=${last < moves.length && html`<p class="bad">Move ${last + 1} of this game, ${moves[last]}, is not legal.</p>`}
      acts=${html`<a class="button" href=${to(["play"], { agent: other || agent, rules, board: known.start, moves: moves.slice(0, at).join(" "), side: all[at].side })}>Play on from here</a>
        <a class="button" href=${reviewOf({ ...known, black: game.black, white: game.white }, at)}>Try other moves</a>`}>
    <section class="card"><${Facts} facts=${[["winner", game.winner ?? "nobody"], ["discs", `${game.discs_black}:${game.discs_white}`],
      ["reason", game.reason === "end" ? null : game.reason], ["rules", rules], ["upset", game.upset > 0 ? percent(game.upset) : null]]} /></section>
    <details class="card fold" open=${open} onToggle=${(event) => setOpen(event.target.open)}><summary class="title">What ${asked ? asked.replace(/^run:(.*:)?/, "") : "an agent"} thinks</summary><div class="stack">
      ${next === "pass" && html`<p>${all[at].side} must pass.</p>`}
      ${asks && html`<${ValuesList} data=${values} error=${opinion.error} played=${next} />`}
      <${IdInput} name="Ask another agent" value=${other} onChange=${setOther} /></div></details><//>`;
}

function ValuesList({ data, error, played }) {
  if (error) return html`<p class="bad" role="status">${error.message}</p>`;
  if (!data) return html`<p class="quiet" aria-busy="true">…</p>`;
  if (!data.unit) return html`<p class="quiet">This agent has no opinion on moves.</p>`;
  return html`<p class="quiet">${data.discs_error === null ? data.unit : data.discs_error ? `Discs, ± ${Math.round(data.discs_error)}` : "Exact discs"}${data.depth !== null && data.depth !== undefined && `, ${data.depth} ${data.depth === 1 ? "ply" : "plies"} deep`}, for ${data.side}</p>
    <ol class="values">${data.moves.map(({ move, text }) => html`<li class=${move === played ? "played" : undefined}><strong>${move}</strong> ${text}${move === played && html` <span class="quiet">played</span>`}</li>`)}</ol>
    ${data.line.length > 0 && html`<p>Best line: ${data.line.join(" ")}</p>`}`;
}

const WINNERS = [["", "any"], ["black", "black"], ["white", "white"], ["draw", "draw"]];
const REASONS = [["", "any"], ["end", "to the end"], ["over budget: black", "over budget: black"], ["over budget: white", "over budget: white"], ["resigned: black", "resigned: black"], ["resigned: white", "resigned: white"]];
const KINDS = [["", "all"], ["fitness", "round robin"], ["panel", "panel"], ["match", "past champions"]];
export const SORTS = [["game", "number"], ["-upset", "upsets first"], ["-plies", "longest first"]];

export function Games({ run, query }) {
  const last = lastOf(run);
  const g = query.get("g") || String(last);
  const numbers = Array.from({ length: Math.min(last + 1, 400) }, (_, step) => String(Math.round(last - (step * last) / Math.max(1, Math.min(last, 399)))));
  const choices = [...new Set([g, ...numbers])].filter((name) => name !== "playoff").sort((a, b) => b - a).map((name) => [name, name]);
  return html`<div class="filters"><${Select} name="Generation" value=${g} choices=${[...(run.playoff ? [["playoff", "play-off"]] : []), ...choices]}
      onChange=${(value) => setQuery({ g: value })} /></div>
    <${GamesList} key=${g} run=${run} g=${g} query=${query} />`;
}

export function GamesList({ run, g, query }) {
  const given = (name) => query.get(name) || "";
  const [individual, winner, reason, kind, sort] = [given("individual"), given("winner"), given("reason"), given("kind"), given("sort") || "game"];
  const pages = usePages(path(["runs", run.id, "generations", g, "games"], { limit: 50, individual, winner, reason, kind, sort }));
  const filter = (name) => (value) => setQuery({ [name]: value });
  return html`<div class="filters" role="search">
      <${Search} name="Individual" value=${individual} onChange=${filter("individual")} />
      <${Select} name="Winner" value=${winner} choices=${WINNERS} onChange=${filter("winner")} />
      <${Select} name="Reason" value=${reason} choices=${REASONS} onChange=${filter("reason")} />
      ${g !== "playoff" && html`<${Select} name="Kind" value=${kind} choices=${KINDS} onChange=${filter("kind")} />`}
      <${Select} name="Order" value=${sort} choices=${SORTS} onChange=${filter("sort")} />
    </div>
    <${Wait} of=${pages}>
      ${pages.items?.length === 0 && html`<p class="quiet">No game is like that.</p>`}
      ${pages.items?.length > 0 && html`<${GamesTable} games=${pages.items} href=${(game) => to(["game", run.id, game.id])} />`}
      <${More} pages=${pages} what="games" />
    <//>`;
}

export function GamesTable({ games, href }) {
  const several = new Set(games.map(({ kind }) => kind)).size > 1;
  return html`<${Table} name="games" rows=${games} id="id" columns=${[
    { name: "game", show: (game) => html`<a href=${href(game)}>${game.id}</a>` },
    several && { name: "kind", show: ({ id, kind }) => (id.includes(":") && KINDS.find(([key]) => key === kind)?.[1]) || kind }, { name: "black" }, { name: "white" },
    { name: "winner", show: (game) => html`<span>${game.winner && game.winner !== "draw" && html`<span class=${`dot ${game.winner}`}></span> `}${game.winner ?? "–"}</span>` },
    { name: "discs", number: true, show: (game) => `${game.discs_black}:${game.discs_white}` },
    { name: "plies", number: true },
    { name: "reason" },
    games.some(({ upset }) => upset > 0) && { name: "upset", number: true, show: (game) => (game.upset > 0 ? percent(game.upset) : "–") },
    { name: "nodes_black", title: "nodes of black", number: true, show: (game) => number(game.nodes_black) },
    { name: "nodes_white", title: "nodes of white", number: true, show: (game) => number(game.nodes_white) },
  ].filter(Boolean)} />`;
}
