// The coach: what the positions of a game are worth in discs, what moves lost, a bar and a graph of it.

import { post } from "./api.js";
import { capital, inWords, signed } from "./format.js";
import { html, useEffect, useMemo, useRef, useState } from "./html.js";
import { signOf } from "./meta.js";
import { count, isOver } from "./reversi.js";

const KEPT = 2000;
const memory = new Map();
const latest = new Map();
let turn = Promise.resolve();

/** Once the last question is answered: by then the engine is there. */
export const rested = () => turn;

/** A forecast may be beyond what a board holds. */
const within = (move) => ({ ...move, discs: Math.max(-64, Math.min(64, move.discs)) });

/** Ask one question after another: a question that is broken off costs the server its searches. */
async function ask(asked, keys, first) {
  const key = keys.at(-1);
  latest.set(asked.agent, key);
  await turn;
  if (latest.get(asked.agent) !== key) return;
  const answer = post("reviews", { ...asked, first });
  turn = answer.catch(() => {});
  (await answer).evaluations.forEach((evaluation, index) => memory.set(keys[first + index], asked.agent ? evaluation : { ...evaluation, moves: evaluation.moves.map(within) }));
  while (memory.size > KEPT) memory.delete(memory.keys().next().value);
}

/**
 * The value of each move of every position of a game, by the coach: all that is not known is asked for at once.
 * Another agent is asked for the last position alone.
 */
export function useCoach(wanted, { moves, start, rules }, agent) {
  const [state, setState] = useState({});
  const [tries, setTries] = useState(0);
  const text = moves.join(" ");
  const keys = useMemo(() => Array.from({ length: moves.length + 1 }, (_, ply) => [agent, rules, start, ...moves.slice(0, ply)].join(" ")), [agent, rules, start, text]);
  const evaluations = keys.map((key) => memory.get(key));
  const first = agent ? keys.length - 1 : evaluations.findIndex((evaluation) => !evaluation);
  const key = wanted && evaluations.includes(undefined, first) ? keys.at(-1) : null;
  useEffect(() => {
    if (!key) return undefined;
    let current = true;
    const position = { moves: text, rules, ...(start ? { board: start } : {}) };
    ask({ position, ...(agent ? { agent } : {}) }, keys, Math.max(0, first)).then(() => current && setState({ key }), (error) => current && setState({ key, error }));
    return () => {
      current = false;
    };
  }, [key, tries]);
  return { evaluations, error: key && state.key === key ? state.error : undefined, again: () => setState({}) || setTries(tries + 1) };
}

/** A number of discs as chips have it. */
export const discs = (value) => signed(value, Number.isInteger(value) || Math.abs(value) >= 9.95 ? 0 : 1);

/** The values of a position for the board: {square: {text, discs}}. */
export function onSquares(evaluation, own) {
  return Object.fromEntries((evaluation?.moves || []).map(({ move, text, discs: value }) => [move, { text: own || value === null ? text : discs(value), discs: value ?? 0 }]));
}

/** How many discs black is ahead in each position; undefined where it is not known. */
export function leadsOf(all, evaluations, rules) {
  const leads = all.map((position, ply) => {
    const [best] = evaluations[ply]?.moves || [];
    if (best) return best.discs * (position.side === "black" ? 1 : -1);
    return isOver(position) ? scoreOf(position, rules) : undefined;
  });
  all.forEach((position, ply) => {
    if (position.move === "pass") leads[ply - 1] = leads[ply];
  });
  return leads;
}

/** Black's score at the end; the empty squares go to the winner where most discs win. */
function scoreOf({ cells }, rules) {
  const [black, white] = [count(cells, "black"), count(cells, "white")];
  return signOf(rules) < 0 ? white - black : black - white + Math.sign(black - white) * (64 - black - white);
}

/** By ply: what the move to it lost, where that is 4 discs or more. */
export function marksOf(all, evaluations) {
  return all.map(({ move }, ply) => {
    const moves = evaluations[ply - 1]?.moves || [];
    const played = moves.find((entry) => entry.move === move);
    const lost = played ? Math.round(moves[0].discs) - Math.round(played.discs) : 0;
    return lost < 4 ? undefined : { ply, move, side: all[ply - 1].side, lost, sign: lost < 8 ? "?" : "??", best: moves[0], played, line: evaluations[ply - 1].line };
  });
}

const share = (lead) => `${50 - 50 * Math.tanh(lead / 11)}%`;

export function EvaluationBar({ lead = 0, error }) {
  return html`<div class="evalwrap"><svg class="evalbar" role="img" aria-label=${inWords(lead, error)}><rect class="w" width="100%" height="100%" />
    <rect class="k" width="100%" height="100%" y=${share(lead)} /><line class="mid" x1="0" x2="100%" y1="50%" y2="50%" /></svg></div>`;
}

const HIGH = 98;

/** The lead after every move, as a slider over the game. */
export function GameGraph({ leads, marks, at, show, status }) {
  const area = useRef(null);
  const last = leads.length - 1;
  const long = Math.max(60, last);
  const most = Math.max(12, ...leads.map((lead) => Math.abs(lead ?? 0) * 1.1));
  const step = most < 25 ? 10 : most < 45 ? 20 : 40;
  const y = (lead) => HIGH / 2 - (HIGH / 2) * (lead / most);
  const x = (ply) => `${(100 * ply) / long}%`;
  const known = leads.map((lead, ply) => [ply, lead]).filter(([, lead]) => lead !== undefined);
  const line = (clip) => known.map(([ply, lead]) => `${ply},${-clip(lead)}`).join(" ");
  const filled = (clip) => known.length > 0 && `${known[0][0]},0 ${line(clip)} ${known.at(-1)[0]},0`;
  const drag = (event) => {
    if (!event.buttons) return;
    const { left, width } = area.current.getBoundingClientRect();
    if (event.type === "pointerdown") event.currentTarget.setPointerCapture(event.pointerId);
    show(Math.round((long * (event.clientX - left)) / width));
  };
  return html`<div class="gamegraph" role="slider" tabindex="0" aria-label="Move" aria-valuemin="0" aria-valuemax=${last} aria-valuenow=${at} aria-valuetext=${status} onPointerDown=${drag} onPointerMove=${drag}>
    <svg height=${HIGH + 20} width="100%" aria-hidden="true">
      <rect class="bg" width="100%" height=${HIGH} rx="4" ref=${area} />
      ${[-step, 0, step].map((value) => html`<line class=${value ? "grid" : "axis"} x1="0" x2="100%" y1=${y(value)} y2=${y(value)} /><text x="-6" y=${y(value)} dy="0.35em" text-anchor="end">${signed(value, 0)}</text>`)}
      <svg viewBox=${`0 ${-most} ${long} ${2 * most}`} preserveAspectRatio="none" width="100%" height=${HIGH}>
        <polygon class="k" points=${filled((lead) => Math.max(0, lead))} /><polygon class="w" points=${filled((lead) => Math.min(0, lead))} /><polyline class="edge" points=${line((lead) => lead)} /></svg>
      ${[10, 20, 30, 40, 50, 60].map((ply) => html`<text x=${x(ply)} y=${HIGH + 15} text-anchor=${ply === long ? "end" : "middle"}>${ply}</text>`)}
      ${marks.filter((mark) => mark && leads[mark.ply] !== undefined).map(({ ply, sign }) => html`<g class="badge"><circle cx=${x(ply)} cy=${y(leads[ply])} r="7" /><text x=${x(ply)} y=${y(leads[ply])} dy="0.36em" text-anchor="middle">${sign}</text></g>`)}
      <line class="cursor" x1=${x(at)} x2=${x(at)} y1="0" y2=${HIGH} /></svg></div>`;
}

const ahead = (value) => (Math.round(value) ? `${Math.abs(Math.round(value))} ${value > 0 ? "ahead" : "behind"}` : "even");

/** What a move lost, and what was better. */
export function Lesson({ mark, mine, number: ply, href }) {
  const who = mark.side === mine ? "you" : capital(mark.side);
  return html`<p class="callout"><strong>${ply} ${mark.move} lost ${mark.lost} discs.</strong> With ${mark.best.move} ${who} would have been ${ahead(mark.best.discs)}; after ${mark.move} ${who} ${who === "you" ? "were" : "was"} ${ahead(mark.played.discs)}. <a href=${href}>Show the line</a></p>`;
}
