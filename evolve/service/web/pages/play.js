// Play against an agent, go over a game or a position, and set a position up.

import { get, path, post } from "../api.js";
import { Board } from "../board.js";
import { rested } from "../coach.js";
import { useGet } from "../data.js";
import { useEvents } from "../events.js";
import { capital, eloText, label, number } from "../format.js";
import { html, useMemo, useRef, useState } from "../html.js";
import { meta } from "../meta.js";
import { after, fromObf, isOver, legalMoves, mustPass, obf, other, positions, squareName, START } from "../reversi.js";
import { go, setQuery, to } from "../router.js";
import { useRules } from "../rules.js";
import { GameView, played, reviewOf, statusAt, useKept, useSteps } from "../gameview.js";
import { Act, ActTwice, Download, IdInput, LEVEL, Problem, Seg, useAgent, Wait } from "../ui.js";

export function Play({ parts: [id], query }) {
  const Content = { "": Begin, review: Review, setup: Setup }[id || ""] || Going;
  return html`<h1 class="sr">Play</h1><${Content} key=${id} id=${id} query=${query} />`;
}

const listOf = (text) => (text || "").split(/\s+/).filter(Boolean);
const gameOf = (query) => ({ moves: listOf(query.get("moves")), start: query.get("board") || undefined, rules: query.get("rules") || meta().default_rules, black: query.get("black"), white: query.get("white") });
const usePositions = ({ moves, start }) => useMemo(() => positions(moves, start), [moves.join(" "), start]);

const eloOf = ({ elo, error }, before = "") => (elo === undefined ? "" : `${before}${error ? "" : "about "}${number(elo, 0)} Elo`);
const titleOf = (name) => name.replace(LEVEL, "Level $1");
const RULES = { standard: "Most discs win", reversed: "Fewest discs win" };
const SIDES = [["black", "Black"], ["white", "White"]];
const FIRST = 3;

/** An agent with what is known of it under these rules: {id, elo, error, about, plays}. */
const rated = ({ id, ratings = [] }, rules) => ({ id, ...ratings.find((rating) => rating.rules === rules) });

/** Games that this page has begun: they need not be fetched. */
const opened = new Map();

async function begin({ agent, side, rules, moves = [], start }) {
  await rested();
  const play = await post("plays", { agent, side, moves: moves.join(" "), ...(start && { board: start }), ...(rules && { rules }) });
  opened.set(play.id, play);
  go(to(["play", play.id]));
}

/** The next game: opponent, side and rules, as it is chosen. */
function useNext({ agent, side = "black", rules = "" }) {
  const [level, setLevel] = useKept("level", FIRST);
  const [next, change] = useState({ agent, side, rules });
  const usual = useRules()[0] || meta().default_rules;
  const found = useGet(path(["agents"], { limit: 50, q: "level-" })).data?.items.filter(({ id }) => LEVEL.test(id)) || [];
  const levels = found.map((agent) => rated(agent, next.rules || usual));
  const named = next.agent ?? `level-${level}`;
  const isLevel = LEVEL.test(named);
  const info = useAgent(isLevel ? null : named.split("?")[0]);
  const chosen = { ...next, agent: named, rules: next.rules || (isLevel ? usual : info.data && (info.data.rules || usual)) };
  const set = (changes) => {
    change((old) => ({ ...old, ...changes }));
    const [, number] = changes.agent?.match(LEVEL) || [];
    if (number) setLevel(Number(number));
  };
  const [late, setLate] = useState(false);
  const beginSoon = async (changes) => {
    const timer = setTimeout(() => setLate(true), 400);
    try {
      await begin({ ...chosen, ...changes });
    } finally {
      clearTimeout(timer);
      setLate(false);
    }
  };
  const strength = (id, played) => eloOf(rated(found.find((agent) => agent.id === id) || {}, played));
  return { ...chosen, isLevel, info, levels, set, strength, late, begin: ({ start, moves } = {}) => beginSoon({ start, moves }) };
}

function Levels({ levels, value, onChange }) {
  return html`<fieldset class="levels"><legend class="sr">Level</legend>${levels.map(({ id, ...rating }) => html`
    <label><input class="sr" type="radio" name="level" checked=${id === value} aria-label=${`${titleOf(id)}${eloOf(rating, ", ")}`} onChange=${() => onChange(id)} />${id.slice(6)}<small>${rating.error ? "" : "≈"}${number(rating.elo, 0)}</small></label>`)}</fieldset>`;
}

function NewGame({ next, title, button, game, children }) {
  const { agent, side, rules, isLevel, info, levels, set } = next;
  const level = levels.find(({ id }) => id === agent);
  const [name, settings = ""] = agent.split("?");
  const how = Object.fromEntries(new URLSearchParams(settings));
  const tune = (key, value) => {
    const all = new URLSearchParams(Object.entries({ ...how, [key]: value }).filter(([, value]) => value)).toString();
    set({ agent: name + (all && `?${all}`) });
  };
  const may = info.data?.settings || [];
  return html`<section class="card stack"><h2 class="title">${title}</h2>
    ${levels.length > 0 && html`<${Levels} levels=${levels} value=${agent} onChange=${(id) => set({ agent: id })} />`}
    ${level && html`<p>${titleOf(level.id)}${level.about && `: ${level.about}`} <span class="option">${level.plays}</span><br /><small>${level.error ? eloText(level.elo, level.elo - level.error, level.elo + level.error) : eloOf(level)}</small></p>`}
    <details class="fold stack" open=${!isLevel}><summary>Another agent</summary>
      <${IdInput} name="Agent" value=${isLevel ? "" : name} onChange=${(id) => set({ agent: id })} />
      ${info.data && html`<p class="quiet">${info.data.name}${info.data.about && `: ${info.data.about}`}</p>`}
      ${info.error && agent && html`<p class="bad" role="status">${info.error.message}</p>`}
      ${may.length > 0 && html`<details open=${settings !== ""}><summary>How it plays</summary><div class="filters">${may.map((key) => html`
        <span class="control"><label for=${`how-${key}`}>${label(key)}</label><input id=${`how-${key}`} type="number" min="0" step="any" value=${how[key] || ""}
          placeholder="its own" onInput=${(event) => tune(key, event.target.value.trim())} /></span>`)}</div></details>`}</details>
    <div class="row"><${Seg} name="You play" value=${side} choices=${SIDES} onChange=${(value) => set({ side: value })} />
      <${Seg} name="Rules" value=${rules} choices=${meta().rules.map((rule) => [rule.name, RULES[rule.name] || rule.goal])} onChange=${(value) => set({ rules: value })} />
      <span class="push row"><${Act} kind="main" act=${() => next.begin(game)} disabled=${!agent || info.error} waits="The engine gets ready …">${button}<//></span></div>
    ${children}</section>`;
}

/** The person's own rating, as `evolve play` tells it. */
function OwnRating({ rules }) {
  const { data, error } = useGet(path(["rating"], { rules }), { keep: true });
  return html`<p class=${error ? "bad" : "note"} role="status">${error?.message ?? data?.text ?? "…"}</p>`;
}

/** Moves, a record or a position that somebody pastes. */
function Paste({ rules, children }) {
  const [text, setText] = useState("");
  const [found, setFound] = useState(null);
  const open = ({ start, ...game }) => reviewOf({ ...game, start: start?.replace(";", "") }, 0);
  const read = async () => {
    setFound(null);
    const answer = await post("records", { text, rules });
    if (answer.total > 1 || answer.left_out.length) setFound(answer);
    else go(open(answer.games[0]));
  };
  return html`<section class="card"><details class="fold paste"><summary class="title">Review a game of your own</summary><div class="stack">
    <label for="paste" class="note">Paste moves (f5d6c3…), a record (GGF, SGF, PGN) or a position of 64 signs.</label>
    <textarea id="paste" rows="2" spellcheck=${false} value=${text} placeholder="f5 d6 c3 d3 c4 …" onInput=${(event) => setText(event.target.value)}></textarea>
    <div class="row"><${Act} act=${read} disabled=${!text.trim()}>Review it<//><a class="button" href=${to(["play", "setup"], { rules })}>Set up a position</a>${children}</div>
    ${found && html`<p>${found.total} games${found.total > found.games.length && `, the first ${found.games.length} here`}:</p>
      <ul>${found.games.map((game, index) => html`<li><a href=${open(game)}>Game ${index + 1}</a> ${[game.black, game.white].filter(Boolean).join(" – ")} <span class="note">${game.moves.length} moves</span></li>`)}</ul>
      ${found.left_out.map((why) => html`<p class="bad">${why}</p>`)}`}</div></details></section>`;
}

const YOU = { name: "You", you: true };
const both = (side, name, note) => ({ [side]: YOU, [other(side)]: { name, note } });

/** The position to begin from, where a move begins the game at once. */
function Begin({ query }) {
  const game = gameOf(query);
  const all = usePositions(game);
  const [at, show] = useSteps(query, all.length - 1);
  const next = useNext({ agent: query.get("agent") || undefined, side: query.get("side") || undefined, rules: query.get("rules") || undefined });
  const [pending, setPending] = useState(null);
  const [error, setError] = useState(null);
  const { side, agent } = next;
  const opponent = titleOf(agent.split("?")[0]);
  const position = all[at];
  const mine = position.side === side && !pending;
  const legal = mine ? legalMoves(position) : [];
  const onPlay = async (square) => {
    if (!legal.includes(square)) return;
    const move = squareName(square);
    setPending(after(position, move));
    setError(null);
    try {
      await next.begin({ ...game, moves: [...game.moves.slice(0, at), move] });
    } catch (problem) {
      setPending(null);
      setError(problem);
    }
  };
  const count = game.moves.length;
  const ready = `${opponent} gets ready${next.late ? "; on a new machine the engine is compiled first, once, for some ten seconds" : ""} …`;
  const status = pending ? `You played ${pending.move}. ${ready}` : next.late ? ready : mine ? "Your move: click a square, and the game begins." : `${opponent} moves first: press Play.`;
  return html`<${GameView} all=${all} at=${at} show=${show} game=${{ ...game, rules: next.rules || game.rules }} name="new game" status=${status} sides=${both(side, opponent, next.late ? "gets ready" : next.strength(agent, next.rules || game.rules))} turn=${pending || next.late ? null : position.side}
    legal=${legal} onPlay=${onPlay} pending=${pending} notes=${html`<${Problem} error=${error} />`} below=${html`<${Paste} rules=${next.rules || game.rules} />`}>
    <${NewGame} next=${next} title="New game" button="Play" game=${game}><${OwnRating} rules=${next.rules || game.rules} />${(count > 0 || game.start) && html`<p>The game begins ${game.start ? "from a position" : ""}${count > 0 ? ` after ${count} moves: ${game.moves.join(" ")}` : ""}.</p>`}<//><//>`;
}

const RESULTS = { won: "You won", lost: "You lost", draw: "A draw" };

function Going({ id, query }) {
  const [made, put] = useState(opened.get(id));
  const found = useGet(made ? null : path(["plays", id]));
  const play = made || found.data;
  return play ? html`<${Game} play=${play} put=${put} query=${query} />` : html`<${Wait} of=${found} />${found.error && html`<p><a href="#/play">Another game</a></p>`}`;
}

function Game({ play, put, query }) {
  const { id, side } = play;
  const [error, setError] = useState(null);
  const [pending, setPending] = useState(null);
  const [waits, setWaits] = useState(false);
  const [hint, setHint] = useState(null);
  const busy = useRef(false);
  const opponent = titleOf(play.name);
  const game = { moves: play.moves, start: play.start?.replace(";", ""), rules: play.rules, [side]: "You", [other(side)]: opponent };
  const all = usePositions(game);
  const last = all.length - 1;
  const [at, show] = useSteps(query, last);
  const next = useNext({ agent: play.agent, side, rules: play.rules });
  const moves = path(["plays", id, "moves"]);

  const load = () => get(path(["plays", id])).then(put, () => {});
  const send = async (move) => {
    if (busy.current) return;
    busy.current = true;
    setError(null);
    let waiting = false;
    try {
      put(await post(moves, { move, ply: play.moves.length }));
    } catch (problem) {
      waiting = problem.status === 0;
      if (!waiting) setError({ problem, move });
      if (problem.status === 409) load();
    }
    setWaits(waiting);
    if (!waiting) setPending(null);
    busy.current = false;
  };
  useEvents(({ name }) => name === "again" && !busy.current && (pending ? send(pending.move) : load()));
  const back = at < last;
  const position = all[at];
  const mine = !pending && position.side === side && (back || play.to_move === side);
  const legal = mine ? legalMoves(position) : [];
  const from = (...more) => begin({ start: game.start, rules: play.rules, agent: play.agent, side, moves: [...play.moves.slice(0, at), ...more] });
  const onPlay = async (square) => {
    if (!legal.includes(square)) return;
    const move = squareName(square);
    setPending(after(position, move));
    if (!back) return send(move);
    return from(move).catch((problem) => {
      setPending(null);
      setError({ problem });
    });
  };
  const undo = () => {
    show(Infinity);
    return send("undo");
  };
  const status = waits ? `You played ${pending.move}. The server does not answer: the move is sent as soon as it is back.`
    : pending ? `You played ${pending.move}. ${opponent} thinks …`
      : back ? `${statusAt(at, all)} ${mine ? "Play here, and the game continues from this position." : "You are looking back."}`
        : statusOf(play, all, hint === last);
  const sides = both(side, opponent, next.strength(play.agent, play.rules));
  const notes = html`${error && html`<${Problem} error=${error.problem} again=${error.move && (() => send(error.move))} />`}
    ${play.result && html`<${OwnRating} rules=${play.rules} />`}
    ${play.problem && html`<p class="problem" role="alert">${opponent} did not move: ${play.problem} <${Act} act=${() => from()}>Try again<//></p>`}`;
  const acts = html`<${Act} act=${undo} disabled=${!(play.moves.length || play.resigned) || Boolean(pending)}>Take back<//>
    <button type="button" disabled=${!mine || back} onClick=${() => setHint(last)}>Hint</button>
    ${back ? html`<${Act} act=${() => from()} disabled=${isOver(position)}>Continue from here<//>` : html`<${ActTwice} question="Give this game up?" act=${() => send("resign")} disabled=${Boolean(play.result || pending)}>Resign<//>`}`;
  return html`<${GameView} all=${all} at=${at} show=${show} game=${game} name=${`game against ${opponent}`} status=${status} sides=${sides}
    turn=${pending ? other(side) : back ? position.side : play.to_move} legal=${legal} onPlay=${onPlay} focus=${opened.has(id)} pending=${pending} hint=${hint === at && mine} notes=${notes} acts=${acts}
    below=${html`<${Paste} rules=${play.rules}><${Download} name="game.ggf" href=${path(["plays", id, "game.ggf"])} about="the game as a GGF record" /><${Download} name="game.html" href=${path(["plays", id, "game.html"])} about="the game with the coach's words, as a page to send" /><//>`}>
    <${NewGame} next=${next} title="Next game" button="New game"><p class="row"><a href=${to(["play"], { agent: play.agent, rules: play.rules, side, board: game.start, moves: play.moves.slice(0, at).join(" ") })}>Begin from this position</a>
      <a href=${reviewOf(game, at)}>Try other moves</a></p><//><//>`;
}

function statusOf(play, all, hint) {
  const last = all.length - 1;
  const moves = capital([last - 1, last].filter((at) => at > 0).map((at) => played(at, all)).join(", "));
  const now = play.result ? `The game is over. ${RESULTS[play.result]}${play.resigned ? " by resigning" : ""}, black ${play.discs_black}, white ${play.discs_white}.` : play.to_move === play.side ? "Your move." : "";
  return `${moves && `${moves}. `}${hint ? "The ring is the coach's move. " : ""}${now}`;
}

/** A game to look at, where other moves can be tried; all of it is in the address. */
function Review({ query }) {
  const game = gameOf(query);
  const all = usePositions(game);
  const last = all.length - 1;
  const [at, show] = useSteps(query, last);
  const position = all[at];
  const turn = mustPass(position) && !isOver(position) ? after(position, "pass") : position;
  const legal = legalMoves(turn);
  const next = useNext({ side: turn.side, rules: game.rules });
  const until = { ...game, moves: game.moves.slice(0, at) };
  const onPlay = (square) => {
    if (!legal.includes(square)) return;
    const moves = [...until.moves, ...(turn === position ? [] : ["pass"]), squareName(square)];
    const known = game.moves.slice(0, moves.length).join(" ") === moves.join(" ");
    if (known) show(moves.length);
    else go(reviewOf({ ...game, moves }));
  };
  const sides = Object.fromEntries(SIDES.map(([side, name]) => [side, { name: game[side] || name, bare: !game[side] }]));
  const wrong = game.moves[last];
  return html`<${GameView} all=${all} at=${at} show=${show} game=${game} name="game under review" status=${statusAt(at, all, isOver(position) ? " The game is over." : "")} sides=${sides} turn=${isOver(position) ? null : turn.side}
    legal=${legal} onPlay=${onPlay} coming=${game.moves[at]} notes=${wrong && html`<p class="bad">Move ${last + 1} of this game, ${wrong}, is not legal.</p>`}
    acts=${html`<a class="button" href=${to(["play", "setup"], { board: obf(position).replace(";", ""), rules: game.rules })}>Set up</a>`} below=${html`<${Paste} rules=${game.rules} />`}>
    <${NewGame} next=${next} title="Play on from this position" button="Play" game=${until} /><//>`;
}

const ROUND = { "-": "X", X: "O", O: "-" };

/** A position set up by hand: clicks change squares. */
function Setup({ query }) {
  const rules = query.get("rules") || meta().default_rules;
  const text = query.get("board") || START.replace(";", "");
  const position = fromObf(text);
  const put = (cells, side) => setQuery({ board: obf({ cells, side }).replace(";", "") });
  const turn = (square) => put(position.cells.map((cell, index) => (index === square ? ROUND[cell] : cell)), position.side);
  const over = isOver(position);
  const given = { board: text, rules };
  return html`<div class="game plain"><section class="stack at-board" aria-label="Board"><${Board} position=${position} onPlay=${turn} name="position" />
      <p class="live" role="status">Click a square: empty, black, white.${over ? " Nobody can move in this position." : ""}</p></section>
    <section class="card stack at-side"><h2 class="title">Set up a position</h2>
      <div class="row"><${Seg} name="To move" value=${position.side} choices=${SIDES.map(([side, name]) => [side, `${name} to move`])} onChange=${(side) => put(position.cells, side)} />
        <button type="button" onClick=${() => put(Array(64).fill("-"), position.side)}>Clear</button><button type="button" onClick=${() => setQuery({ board: "" })}>The start</button></div>
      <div class="row"><a class="button main" href=${to(["play"], { ...given, side: position.side })}>Play it</a><a class="button" href=${to(["play", "review"], given)}>Review it</a></div>
      <p class="option">${text}</p></section></div>`;
}
