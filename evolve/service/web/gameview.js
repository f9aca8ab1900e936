// A game on its board: bar, graph, moves and their marks, stepped through by keys, touch and links.

import { Board } from "./board.js";
import { inWords } from "./format.js";
import { EvaluationBar, GameGraph, leadsOf, Lesson, marksOf, onSquares, useCoach } from "./coach.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { count, isOver } from "./reversi.js";
import { address, currentRoute, setQuery, to } from "./router.js";
import { Check, Icon } from "./ui.js";

/** A choice that the browser remembers, where it has a storage. */
export function useKept(name, initial, storage = () => localStorage) {
  const tried = (act) => { try { return act(storage()); } catch { return null; } };
  const [value, setValue] = useState(() => tried((kept) => JSON.parse(kept.getItem(`evolve-${name}`))) ?? initial);
  return [value, (next) => setValue(next) || tried((kept) => kept.setItem(`evolve-${name}`, JSON.stringify(next)))];
}

const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
const ON_SLIDER = { ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10 };

/** How many moves a key goes on; nothing for the others. */
export const stepOf = ({ key, target }) => KEYS[key] ?? (target.role === "slider" && ON_SLIDER[key]);

/** Which position of a game the address names, the last one or `usual` where it names none; keys move it. */
export function useSteps(query, last, usual = last) {
  const at = Math.max(0, Math.min(last, Math.trunc(query.get("ply") ?? usual) || 0));
  const wanted = useRef(at); // Two keys may come before the page has shown the first.
  wanted.current = at;
  const show = (ply) => {
    wanted.current = Math.max(0, Math.min(last, ply));
    setQuery({ ply: wanted.current === usual ? "" : wanted.current });
  };
  useEffect(() => {
    const key = (event) => {
      const { target } = event;
      const by = stepOf(event);
      const field = target.closest?.("input, select, textarea, [role=grid], .box");
      if (!by || field || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      show(wanted.current + by);
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  });
  return [at, show];
}

/** Who played what to come to a position. */
export const played = (at, all) => `${all[at - 1].side} ${all[at].move === "pass" ? "passed" : `played ${all[at].move}`}`;

export function statusAt(at, all, end = "") {
  if (at === 0) return "The start.";
  const turned = all[at].turned.length;
  return `Move ${at}: ${played(at, all)}${turned ? ` and turned ${turned}` : ""}.${end}`;
}

const SHOWN = { hints: true, values: false, coach: true };

/**
 * all: the positions; at, show: see useSteps; game: {moves, start, rules}. sides: {black, white}: {name, note, you}. legal, onPlay: see Board.
 * pending: the position shown in place of the last; hint: ring the best move; opinion: another agent's values of the position.
 */
export function GameView({ all, at, show, game, name, status, sides, turn, legal, onPlay, focus, pending, coming, hint, opinion, opening = 0, notes, acts, children, below }) {
  const [shown, setShown] = useKept("shown", SHOWN);
  const switched = (key, title) => html`<${Check} name=${title} value=${shown[key]} onChange=${(on) => setShown({ ...shown, [key]: on })} />`;
  const coach = useCoach(shown.coach || shown.values || hint, game);
  const leads = leadsOf(all, coach.evaluations, game.rules);
  const marks = shown.coach ? marksOf(all, coach.evaluations) : [];
  const position = pending || all[at];
  const evaluation = pending ? null : coach.evaluations[at];
  const squares = opinion ? onSquares(opinion, true) : shown.values ? onSquares(evaluation) : {};
  const best = (opinion || evaluation)?.moves[0]?.move;
  const lead = leads[at];
  const error = at === 0 && !game.start ? Infinity : coach.evaluations[at]?.discs_error ?? 0; // the usual start is a draw
  const mark = pending ? null : marks[at];
  const mine = Object.keys(sides).find((side) => sides[side].you);
  const faults = marks.slice(0, at + 1).filter((mark) => mark && (!mine || mark.side === mine));
  const looked = mark && (at < all.length - 1 || !mine || mark.side === mine) && mark;
  const lesson = looked || (isOver(all[at]) ? faults.sort((first, second) => second.lost - first.lost)[0] : faults.at(-1));
  const begun = all.length > 1;
  const number = (ply) => 1 + Math.floor((ply - 1 + (all[0].side === "white")) / 2);
  if (hint && best) squares[best] = onSquares(evaluation)[best];
  return html`<div class="game">
    <section class="stack at-board" aria-label="Board">
      <div class=${shown.coach ? "boardrow" : undefined}>${shown.coach && html`<${EvaluationBar} lead=${lead} error=${error} />`}
        <${Board} position=${position} legal=${legal} hints=${shown.hints} values=${squares} best=${hint || shown.values || opinion ? best : undefined} mark=${mark?.sign} coming=${coming} onPlay=${onPlay} focus=${focus} name=${name} /></div>
      <div class="row spread said"><p class="live" role="status">${status}</p>${shown.coach && lead !== undefined && html`<strong class="nowrap">${inWords(lead, error)}</strong>`}</div>
      ${notes}
      ${coach.error && html`<p class="note" role="status">The coach does not answer: ${coach.error.message} <button type="button" onClick=${coach.again}>Ask again</button></p>`}
      ${begun && html`<${GameGraph} leads=${shown.coach ? leads : all.map(() => undefined)} marks=${marks} at=${at} show=${show} status=${statusAt(at, all)} />
      <div class="row spread"><span class="row"><${Steps} at=${at} last=${all.length - 1} show=${show} /></span>
        <span class="note">Move <strong>${at}</strong> of ${all.length - 1}${shown.coach && ` · how far Black is ahead, in discs at the end`}</span></div>`}
    </section>
    <div class="players at-players">${["black", "white"].map((side) => html`<div class=${`card player${turn === side ? " turn" : ""}`}><span class=${`dot ${side}`}></span>
      <div><strong>${sides[side].name}</strong><br /><small>${[!sides[side].bare && side, turn === side && "to move", sides[side].note].filter(Boolean).join(" · ")}</small></div><span class="n">${count(position.cells, side)}</span></div>`)}</div>
    <div class="row at-acts">${acts}<span class="row push">${legal && switched("hints", "Legal moves")}${switched("values", "Values")}${switched("coach", "Coach")}</span></div>
    <div class="stack at-side">${begun && html`<section class="card stack"><div class="row spread"><h2 class="title">Moves</h2>
        ${shown.coach && html`<span class="note"><span class="mark slip">?</span> lost 4 discs or more, <span class="mark blunder">??</span> 8 or more</span>`}</div>
      <${Moves} all=${all} at=${at} show=${show} marks=${marks} opening=${opening} />
      ${lesson && html`<${Lesson} mark=${lesson} mine=${mine} number=${number(lesson.ply)} href=${lineOf(game, lesson)} />`}</section>`}${children}</div>
    <div class="stack at-review">${below}</div>
  </div>`;
}

const STEPS = [["first", "to the start", -Infinity], ["back", "a move back", -1], ["on", "a move on", 1], ["last", "to the end", Infinity]];

/** Buttons to go through a game; children: between back and on. */
export function Steps({ at, last, show, children }) {
  const [first, back, ...onward] = STEPS.map(([icon, title, where]) => html`<button type="button" class="icon" aria-label=${title} disabled=${where < 0 ? at === 0 : at === last} onClick=${() => show(at + where)}><${Icon} name=${icon} /></button>`);
  return html`${first}${back}${children}${onward}`;
}

/** The address of a game under review. */
export const reviewOf = ({ moves, start, rules, black, white }, ply) => to(["play", "review"], { moves: moves.join(" "), board: start, rules, black, white, ply });

const lineOf = (game, { ply, line }) => reviewOf({ ...game, moves: [...game.moves.slice(0, ply - 1), ...line] }, ply);

/** The moves in two columns, each a link to its position. */
function Moves({ all, at, show, marks, opening }) {
  const { parts, query } = currentRoute();
  const href = (ply) => `#/${address(parts, { ...Object.fromEntries(query), ply })}`;
  const shift = all[0].side === "white" ? 1 : 0;
  const rows = Array.from({ length: Math.ceil((all.length - 1 + shift) / 2) }, (_, row) => [2 * row + 1 - shift, 2 * row + 2 - shift]);
  const cell = (ply) => {
    if (ply < 1 || ply >= all.length) return html`<span></span>`;
    const mark = marks[ply];
    const go = (event) => {
      event.preventDefault();
      show(ply);
    };
    return html`<a href=${href(ply)} aria-current=${ply === at ? "true" : undefined} class=${ply <= opening ? "opening" : undefined} onClick=${go}>${all[ply].move}
      ${mark && html`<span class=${`mark ${mark.sign === "?" ? "slip" : "blunder"}`}>${mark.sign} −${mark.lost}</span>`}</a>`;
  };
  return html`<ol class=${rows.length > 8 ? "movelist long" : "movelist"} aria-label="Moves">${rows.map(([first, second], row) => html`<li key=${row}><span class="no">${row + 1}</span>${cell(first)}${cell(second)}</li>`)}</ol>`;
}
