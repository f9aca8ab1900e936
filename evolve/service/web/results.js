// What a match or a rating came to, so far or in the end.

import { BarChart, HeatMap } from "./charts.js";
import { interval, number, percent, signed } from "./format.js";
import { html } from "./html.js";
import { Facts, Table } from "./ui.js";

/** A match: the score of the first agent, and the test where there is one. */
export function MatchResult({ a, b, result }) {
  if (!result) return html`<p class="quiet">No pair of games has ended yet.</p>`;
  const { games, wins, draws, losses, score, score_low: low, score_high: high, sprt } = result;
  return html`<div class="result">
    <p><strong>${a}</strong> against <strong>${b}</strong></p>
    <${ScoreBar} score=${score} low=${low} high=${high} />
    <${Facts} facts=${[["games", number(games)], ["won, drawn, lost", `${number(wins)}, ${number(draws)}, ${number(losses)}`],
      ["score", interval(score, low, high, percent)],
      ["Elo", typeof result.elo === "number" ? interval(result.elo, result.elo_low, result.elo_high, (value) => signed(value, 0)) : null]]} />
    ${sprt && html`<${Test} sprt=${sprt} />`}
  </div>`;
}

function ScoreBar({ score, low, high }) {
  if (typeof score !== "number") return null;
  const at = (share) => `${(100 * share).toFixed(2)}%`;
  return html`<svg class="scorebar" role="img" aria-label=${`score ${interval(score, low, high, percent)}`} width="100%" height="34">
    <rect class="minus" width="100%" height="18" y="4" fill-opacity="0.45" /><rect class="plus" width=${at(score)} height="18" y="4" fill-opacity="0.9" />
    ${typeof low === "number" && html`<line x1=${at(low)} x2=${at(high)} y1="13" y2="13" class="whisker" />`}
    <line x1="50%" x2="50%" y1="0" y2="26" class="middle" />
  </svg>`;
}

/** The likelihood ratio between its two bounds. */
function Test({ sprt }) {
  const { elo0, elo1, llr, lower, upper, verdict } = sprt;
  const share = Math.max(0, Math.min(1, (llr - lower) / (upper - lower)));
  const at = (value) => `${(100 * value).toFixed(2)}%`;
  return html`<div class="test"><p>Stronger by ${number(elo1)} Elo rather than by ${number(elo0)}? Log likelihood ratio <strong>${signed(llr, 2)}</strong>,
      decided at ${signed(lower, 2)} or ${signed(upper, 2)}.</p>
    <svg class="scorebar" role="img" aria-label=${`likelihood ratio ${number(llr, 2)} between ${number(lower, 2)} and ${number(upper, 2)}`} width="100%" height="26">
      <rect class="track" width="100%" height="10" y="8" rx="5" /><circle class="plus" cx=${at(share)} cy="13" r="8" />
      <line x1=${at(-lower / (upper - lower))} x2=${at(-lower / (upper - lower))} y1="2" y2="24" class="middle" /></svg>
    ${verdict && html`<p><strong>${verdict}</strong></p>`}</div>`;
}

/** A rating: Elo bars, table, and who scored what against whom. */
export function RatingResult({ result }) {
  const agents = [...(result?.agents || [])].sort((x, y) => (y.elo ?? -Infinity) - (x.elo ?? -Infinity));
  if (!agents.length) return html`<p class="quiet">No games have ended yet.</p>`;
  const low = (agent) => agent.low ?? agent.elo_low;
  const high = (agent) => agent.high ?? agent.elo_high;
  const names = agents.map((agent) => agent.agent);
  const elo = (value) => signed(value, 0);
  return html`<div class="charts wide">
    <${BarChart} title="Elo" text=${elo} valueName="Elo" bars=${agents.map((agent) => ({ name: agent.agent, value: agent.elo, low: low(agent), high: high(agent) }))} />
    ${result.cross && html`<${HeatMap} title="Score of the row against the column" names=${names}
      values=${names.map((row) => names.map((column) => result.cross[row]?.[column] ?? null))} />`}
  </div>
  <${Table} name="rating" rows=${agents} columns=${[{ name: "agent" }, { name: "elo", title: "Elo", number: true, show: (agent) => elo(agent.elo) },
    { name: "interval", show: (agent) => `${elo(low(agent))} to ${elo(high(agent))}` },
    { name: "score", number: true, show: (agent) => percent(agent.score) }, { name: "games", number: true }]} />`;
}
