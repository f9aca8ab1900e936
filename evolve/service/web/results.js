// What a match or a rating came to, so far or in the end.

import { BarChart, HeatMap } from "./charts.js";
import { interval, number, percent, signed } from "./format.js";
import { html } from "./html.js";
import { Facts, Table } from "./ui.js";

const elo = (value) => signed(value, 0);
const at = (share) => `${100 * share}%`;

/** A match: the score of the first agent, and the test where there is one. */
export function MatchResult({ result }) {
  if (!result) return html`<p class="quiet">No pair of games has ended yet.</p>`;
  const { games, wins, draws, losses, score, score_low: low, score_high: high, sprt } = result;
  return html`
    ${typeof score === "number" && html`<svg class="scorebar" role="img" aria-label=${`score ${interval(score, low, high, percent)}`} width="100%" height="30">
      <rect class="minus" width="100%" height="18" y="6" /><rect class="plus" width=${at(score)} height="18" y="6" />
      ${typeof low === "number" && html`<line x1=${at(low)} x2=${at(high)} y1="15" y2="15" class="whisker" />`}
      <line x1="50%" x2="50%" y1="0" y2="30" class="middle" /></svg>`}
    <${Facts} facts=${[["games", number(games)], ["won, drawn, lost", [wins, draws, losses].map((value) => number(value)).join(", ")],
      ["score of the first", interval(score, low, high, percent)],
      ["Elo", typeof result.elo === "number" && interval(result.elo, result.elo_low, result.elo_high, elo)]]} />
    ${sprt && html`<${Test} sprt=${sprt} />`}`;
}

/** The likelihood ratio between its two bounds. */
function Test({ sprt: { elo0, elo1, llr, lower, upper, verdict } }) {
  const share = (value) => Math.max(0, Math.min(1, (value - lower) / (upper - lower)));
  return html`<p>Stronger by ${number(elo1)} Elo rather than by ${number(elo0)}? The log likelihood ratio is <strong>${signed(llr, 2)}</strong>;
      ${signed(lower, 2)} or ${signed(upper, 2)} decides.${verdict && html` <strong>${verdict}</strong>`}</p>
    <svg class="scorebar" role="img" aria-label=${`likelihood ratio ${number(llr, 2)} between ${number(lower, 2)} and ${number(upper, 2)}`} width="100%" height="26">
      <rect class="track" width="100%" height="10" y="8" rx="5" /><circle cx=${at(share(llr))} cy="13" r="8" />
      <line x1=${at(share(0))} x2=${at(share(0))} y1="2" y2="24" class="middle" /></svg>`;
}

/** A rating: Elo bars, table, and who scored what against whom. */
export function RatingResult({ result }) {
  const agents = [...(result?.agents || [])].sort((a, b) => (b.elo ?? -Infinity) - (a.elo ?? -Infinity));
  if (!agents.length) return html`<p class="quiet">No games have ended yet.</p>`;
  const names = agents.map(({ agent }) => agent);
  const bars = agents.map((one) => ({ name: one.agent, value: one.elo, low: one.low ?? one.elo_low, high: one.high ?? one.elo_high, one }));
  return html`<div class="charts wide">
      <${BarChart} title="Elo" text=${elo} bars=${bars} />
      ${result.cross && html`<${HeatMap} title="Score of the row against the column" names=${names}
        values=${names.map((row) => names.map((column) => result.cross[row]?.[column] ?? null))} />`}
    </div>
    <${Table} name="rating" rows=${bars} columns=${[{ title: "agent", show: ({ name }) => name }, { title: "Elo", number: true, show: ({ value, low, high }) => interval(value, low, high, elo) },
      { title: "score", number: true, show: ({ one }) => percent(one.score) }, { title: "games", number: true, show: ({ one }) => number(one.games) }]} />`;
}
