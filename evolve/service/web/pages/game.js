// Games: lists with filters, one move by move, and play against an agent.

import { get, path, post } from "../api.js";
import { Board, Discs } from "../board.js";
import { useGet, usePages, useRested } from "../data.js";
import { label, lastOf, number, percent } from "../format.js";
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { goalOf, meta } from "../meta.js";
import { after, other, positions, squareName, squareNumber } from "../reversi.js";
import { go, setQuery, to } from "../router.js";
import { Act, Check, Download, Facts, IdInput, More, Problem, Search, Select, Table, useAgent, Wait } from "../ui.js";

export function Game({ parts, query }) {
  const [id, number] = parts;
  const run = useGet(path(["runs", id]));
  const game = useGet(path(["runs", id, "games", number]));
  const [g] = (number || "").split(":");
  const link = (name) => (/^\d+-\d+$/.test(name) ? html`<a href=${to(["run", id, "individual", name])}>${name}</a>` : name);
  return html`<div class="head"><h1>Game ${number}</h1><span class="buttons">
      <a class="button" href=${to(["run", id])}>${id}</a><a class="button" href=${to(["run", id, "games"], { g })}>Other games</a></span></div>
    <${Wait} of=${game}><${Wait} of=${run}>${run.data && game.data && html`<${Replay} game=${game.data} rules=${run.data.rules || meta().default_rules}
      agent=${run.data.agent} query=${query} link=${link} />`}<//><//>`;
}

const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

export function Replay({ game, rules, agent: first, query, link = (name) => name }) {
  const moves = useMemo(() => (game.moves || "").split(" ").filter(Boolean), [game.moves]);
  const all = useMemo(() => positions(moves), [moves]);
  const last = all.length - 1;
  const at = Math.max(0, Math.min(last, Math.trunc(query.get("ply") ?? game.opening?.split(" ").filter(Boolean).length) || 0));
  const [agent, setAgent] = useState(first || "");
  const asked = useRested(agent, 400);
  const [shown, setShown] = useState(true);
  const wanted = useRef(at); // Two keys may come before the page has shown the first.
  wanted.current = at;
  const show = (ply) => setQuery({ ply: (wanted.current = Math.max(0, Math.min(last, ply))) });
  const position = all[at];
  const values = useValues(shown && at < moves.length && moves[at] !== "pass" ? asked : "", moves.slice(0, at), rules);
  const next = moves[at];
  useEffect(() => {
    const key = (event) => {
      const field = event.target.closest?.("input, select, textarea, [role=grid], .box");
      if (!(event.key in KEYS) || field || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      show(wanted.current + KEYS[event.key]);
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  });
  return html`<div class="game">
    <div class="table">
      <${Board} position=${position} values=${shown ? onSquares(values.data) : {}} best=${values.data?.moves[0]?.move} next=${next} name=${`ply ${at}`} />
      <div class="slider"><label for="ply">Move <strong>${at}</strong> of ${last}</label>
        <input id="ply" type="range" min="0" max=${last} value=${at} onInput=${(event) => show(Number(event.target.value))} /></div>
      <div class="buttons">
        <button type="button" aria-label="to the start" onClick=${() => show(0)}>«</button><button type="button" aria-label="a move back" onClick=${() => show(at - 1)} disabled=${at === 0}>‹</button>
        <button type="button" aria-label="a move on" onClick=${() => show(at + 1)} disabled=${at === last}>›</button><button type="button" aria-label="to the end" onClick=${() => show(last)}>»</button>
        <span class="quiet">← → Home End</span></div>
      <p class="live" role="status">${said(at, all, next)}</p>
    </div>
    <div class="beside">
      <${Discs} cells=${position.cells} toMove=${at < last ? position.side : null} />
      <${Facts} facts=${[["black", link(game.black)], ["white", link(game.white)], ["winner", game.winner ?? "nobody"], ["discs", `${game.discs_black}:${game.discs_white}`],
        ["reason", game.reason === "end" ? null : game.reason], ["rules", rules], ["upset", game.upset > 0 ? percent(game.upset) : null]]} />
      ${all.length - 1 < moves.length && html`<p class="bad">Move ${all.length} of this game, ${moves[all.length - 1]}, is not legal.</p>`}
      <div class="panel"><h2>What an agent thinks</h2>
        <p class="buttons"><${IdInput} name="Agent" value=${agent} onChange=${setAgent} /><${Check} name="values on squares" value=${shown} onChange=${setShown} /></p>
        ${agent && shown && at < moves.length && next !== "pass" && html`<${ValuesList} values=${values} played=${next} />`}
        ${next === "pass" && html`<p>${position.side} must pass.</p>`}
        <p class="buttons">${agent && html`<a class="button" href=${to(["play"], { agent, rules, moves: moves.slice(0, at).join(" "), side: position.side })}>Play on from here</a>`}</p></div>
      <h2>Moves</h2>
      <${Moves} moves=${moves} at=${at} onChoose=${show} opening=${game.opening?.split(" ").filter(Boolean).length ?? 0} />
    </div>
  </div>`;
}

function said(at, all, next) {
  const { move, turned } = all[at];
  if (at === 0) return "The start.";
  const side = all[at - 1].side;
  const what = move === "pass" ? `${side} passed` : `${side} played ${move} and turned ${turned.length}`;
  return `Move ${at}: ${what}.${next === undefined ? " The game is over." : ""}`;
}

function Moves({ moves, at, onChoose, opening = 0 }) {
  if (!moves.length) return html`<p class="quiet">None yet.</p>`;
  return html`<ol class="moves">${moves.map((move, place) => html`<li key=${place}>
    ${onChoose
      ? html`<button type="button" aria-current=${at === place + 1 ? "true" : undefined} class=${place < opening ? "opening" : undefined} onClick=${() => onChoose(place + 1)}>${move}</button>`
      : html`<span>${move}</span>`}</li>`)}</ol>`;
}

const KEPT = 300;
const memory = new Map();
let wanted = null;
let turn = Promise.resolve();

/** Ask one question after another: a question that is broken off costs the server its searches. */
async function ask(key, agent, moves, rules) {
  wanted = key;
  await turn;
  if (wanted !== key || memory.has(key)) return;
  const answer = post("evaluations", { agent, position: { moves, rules } });
  turn = answer.catch(() => {});
  const evaluation = await answer;
  if (memory.size >= KEPT) memory.delete(memory.keys().next().value);
  memory.set(key, evaluation);
}

/** What an agent thinks of the position after `moves`; nothing where there is no agent. */
function useValues(agent, moves, rules) {
  const text = moves.join(" ");
  const key = agent ? `${agent} ${rules} ${text}` : null;
  const [state, setState] = useState({});
  useEffect(() => {
    if (!key || memory.has(key)) return undefined;
    let current = true;
    ask(key, agent, text, rules).then(() => current && setState({ key }), (error) => current && setState({ key, error }));
    return () => {
      current = false;
    };
  }, [key]);
  return { data: memory.get(key), error: state.key === key ? state.error : undefined };
}

function onSquares(evaluation) {
  return Object.fromEntries((evaluation?.moves || []).map(({ move, text }) => [move, text]));
}

function ValuesList({ values, played }) {
  if (values.error) return html`<p class="bad" role="status">${values.error.message}</p>`;
  const { data } = values;
  if (!data) return html`<p class="quiet" aria-busy="true">…</p>`;
  if (!data.unit) return html`<p class="quiet">This agent has no opinion on moves.</p>`;
  return html`<p class="quiet">${data.unit}${data.depth !== null && data.depth !== undefined && `, ${data.depth} ${data.depth === 1 ? "ply" : "plies"} deep`}, for ${data.side}</p>
    <ol class="values">${data.moves.map(({ move, text }) => html`<li class=${move === played ? "played" : undefined}><strong>${move}</strong> ${text}${move === played && html` <span class="quiet">played</span>`}</li>`)}</ol>
    ${data.line.length > 0 && html`<p>Best line: ${data.line.join(" ")}</p>`}`;
}

const WINNERS = [["", "any"], ["black", "black"], ["white", "white"], ["draw", "draw"]];
const REASONS = [["", "any"], ["end", "to the end"], ["over budget: black", "over budget: black"], ["over budget: white", "over budget: white"]];
const KINDS = [["", "all"], ["fitness", "round robin"], ["panel", "panel"], ["match", "past champions"]];
export const SORTS = [["game", "number"], ["-upset", "upsets first"], ["-plies", "longest first"]];

export function Games({ run, query }) {
  const last = lastOf(run);
  const g = query.get("g") || String(last);
  const numbers = Array.from({ length: Math.min(last + 1, 400) }, (_, step) => String(Math.round(last - (step * last) / Math.max(1, Math.min(last, 399)))));
  const choices = [...new Set([g, ...numbers])].filter((one) => one !== "playoff").sort((a, b) => b - a).map((one) => [one, one]);
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
  return html`<${Table} name="games" rows=${games} id="id" columns=${[
    { name: "game", show: (game) => html`<a href=${href(game)}>${game.id}</a>` },
    { name: "kind", show: ({ id, kind }) => (id.includes(":") && KINDS.find(([key]) => key === kind)?.[1]) || kind }, { name: "black" }, { name: "white" },
    { name: "winner", show: (game) => html`<span>${game.winner && game.winner !== "draw" && html`<span class=${`dot ${game.winner}`}></span> `}${game.winner ?? "–"}</span>` },
    { name: "discs", number: true, show: (game) => `${game.discs_black}:${game.discs_white}` },
    { name: "plies", number: true },
    { name: "reason" },
    { name: "upset", number: true, show: (game) => (game.upset > 0 ? percent(game.upset) : "–") },
    { name: "nodes_black", title: "nodes of black", number: true, show: (game) => number(game.nodes_black) },
    { name: "nodes_white", title: "nodes of white", number: true, show: (game) => number(game.nodes_white) },
  ]} />`;
}

const RESULTS = { won: "You won", lost: "You lost", draw: "A draw" };

export function Play({ parts, query }) {
  const [id] = parts;
  return html`<h1>Play</h1>${id ? html`<${Going} key=${id} id=${id} />` : html`<${Begin} query=${query} />`}`;
}

function Begin({ query }) {
  const [given, settings = ""] = (query.get("agent") || "champion-standard").split("?");
  const [agent, setAgent] = useState(given);
  const [how, setHow] = useState(Object.fromEntries(new URLSearchParams(settings)));
  const [side, setSide] = useState(query.get("side") || "black");
  const [rules, setRules] = useState(query.get("rules") || "");
  const moves = query.get("moves") || "";
  const info = useAgent(agent);
  const may = info.data?.settings || [];
  const chosen = new URLSearchParams(Object.entries(how).filter(([name, value]) => value && may.includes(name))).toString();
  const start = async () => {
    const play = await post("plays", { agent: agent + (chosen ? `?${chosen}` : ""), side, moves, ...(rules ? { rules } : {}) });
    go(to(["play", play.id]));
  };
  return html`<div class="panel begin">
    <${IdInput} name="Agent" value=${agent} onChange=${setAgent} />
    ${info.data && html`<p class="quiet">${info.data.name}${info.data.about && `: ${info.data.about}`}</p>`}
    ${info.error && agent && html`<p class="bad" role="status">${info.error.message}</p>`}
    <div class="filters">
      <${Select} name="You play" value=${side} choices=${[["black", "black, the first to move"], ["white", "white"]]} onChange=${setSide} />
      <${Select} name="Rules" value=${rules} choices=${[["", "those of the agent"], ...meta().rules.map(({ name, goal }) => [name, `${name}: ${goal}`])]} onChange=${setRules} />
    </div>
    ${may.length > 0 && html`<details open=${chosen !== ""}><summary>How it plays</summary><div class="filters">${may.map((name) => html`
      <span class="control"><label for=${`how-${name}`}>${label(name)}</label><input id=${`how-${name}`} type="number" min="0" step="any" value=${how[name] || ""}
        placeholder="its own" onInput=${(event) => setHow({ ...how, [name]: event.target.value.trim() })} /></span>`)}</div></details>`}
    ${moves && html`<p>The game begins after ${moves.split(" ").length} moves: ${moves}</p>`}
    <p class="buttons"><${Act} kind="main" act=${start} disabled=${!agent || info.error} waits="The engine gets ready …">Play<//></p>
  </div>`;
}

function Going({ id }) {
  const [play, setPlay] = useState(null);
  const [error, setError] = useState(null);
  const [pending, setPending] = useState(null);
  const [hints, setHints] = useState(true);
  const [wanted, setWanted] = useState(false);
  const busy = useRef(false);
  const load = () => get(path(["plays", id])).then(setPlay, setError);
  useEffect(() => {
    load();
  }, [id]);
  const moves = play?.moves || [];
  const all = useMemo(() => positions(moves), [moves.join(" ")]);
  const mine = play && play.to_move === play.side && !pending;
  const values = useValues(wanted && mine ? play.agent : "", moves, play?.rules);
  if (!play) return html`${error ? html`<${Problem} error=${error} again=${() => { setError(null); load(); }} /><p><a href="#/play">Another game</a></p>` : html`<p class="quiet" aria-busy="true">Loading …</p>`}`;

  const send = async (move) => {
    if (busy.current) return;
    busy.current = true;
    setError(null);
    try {
      setPlay(await post(path(["plays", id, "moves"]), { move, ply: moves.length }));
    } catch (problem) {
      setError(problem);
      if (problem.status === 409) load();
    }
    setPending(null);
    busy.current = false;
  };
  const onPlay = (square) => {
    const move = squareName(square);
    if (!mine || !play.legal.includes(move)) return;
    setPending(after(all.at(-1), move));
    send(move);
  };
  const position = pending || all.at(-1);
  const again = (side) => async () => go(to(["play", (await post("plays", { agent: play.agent, rules: play.rules, side })).id]));
  return html`<p>You are <strong>${play.side}</strong>, ${play.name} is ${other(play.side)}; ${goalOf(play.rules)}.</p>
    <div class="game">
      <div class="table">
        <${Board} position=${position} legal=${mine ? play.legal.map(squareNumber) : []} hints=${hints} values=${wanted && mine ? onSquares(values.data) : {}}
          best=${values.data?.moves[0]?.move} onPlay=${onPlay} name=${`game against ${play.name}`} />
        <p class="live" role="status">${statusOf(play, all, pending)}</p>
        ${error && html`<${Problem} error=${error} />`}
        ${play.problem && html`<p class="problem" role="alert">${play.problem}</p>`}
        <div class="buttons">
          <${Act} act=${() => send("undo")} disabled=${!moves.length || Boolean(pending)}>Take back<//>
          <${Check} name="hints" value=${hints} onChange=${setHints} /><${Check} name="values" value=${wanted} onChange=${setWanted} />
        </div>
      </div>
      <div class="beside">
        <${Discs} cells=${position.cells} toMove=${pending ? other(play.side) : play.to_move} />
        ${play.result && html`<p class="outcome"><strong>${RESULTS[play.result]}</strong>, ${play.discs_black}:${play.discs_white}.</p>`}
        ${wanted && mine && html`<${ValuesList} values=${values} />`}
        <h2>Moves</h2><${Moves} moves=${moves} at=${moves.length} />
        <p class="buttons"><${Download} name="game.ggf" href=${path(["plays", id, "game.ggf"])} about="the game as a GGF record" />
          <${Act} act=${again(other(play.side))}>New game, other colour<//><a class="button" href=${to(["play"], { agent: play.agent, rules: play.rules })}>Another agent</a></p>
      </div>
    </div>`;
}

function statusOf(play, all, pending) {
  if (pending) return `You played ${pending.move}. ${play.name} thinks …`;
  const moves = all.slice(1).map(({ move }, place) => `${all[place].side} ${move === "pass" ? "passed" : `played ${move}`}`).slice(-2).join(", ");
  const now = play.result ? `The game is over. ${RESULTS[play.result]}, black ${play.discs_black}, white ${play.discs_white}.` : play.to_move === play.side ? "Your move." : "";
  return `${moves && `${moves}. `}${now}`;
}
