// What an agent thinks of a position: asked of the server, remembered for positions seen before.

import { post } from "./api.js";
import { html, useEffect, useState } from "./html.js";

const KEPT = 300;
const memory = new Map();

/** The evaluation of the position after `moves`; nothing where `agent` is empty. */
export function useValues(agent, moves, rules) {
  const text = moves.join(" ");
  const key = agent ? `${agent} ${rules} ${text}` : null;
  const [state, setState] = useState({});
  useEffect(() => {
    if (!key || memory.has(key)) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      post("evaluations", { agent, position: { moves: text, rules } }, { signal: abort.signal }).then(
        (data) => {
          if (memory.size >= KEPT) memory.delete(memory.keys().next().value);
          memory.set(key, data);
          setState({ key });
        },
        (error) => abort.signal.aborted || setState({ key, error }),
      );
    }, 120);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  return { data: key ? memory.get(key) : undefined, error: state.key === key ? state.error : undefined };
}

/** The values by square, for the board. */
export function onSquares(evaluation) {
  return Object.fromEntries((evaluation?.moves || []).map(({ move, text }) => [move, text]));
}

/** All moves with their values, the best first, and the line that is expected. */
export function ValuesList({ values, played }) {
  if (values.error) return html`<p class="bad" role="status">${values.error.message}</p>`;
  const { data } = values;
  if (!data) return html`<p class="quiet" aria-busy="true">…</p>`;
  if (!data.unit) return html`<p class="quiet">This agent has no opinion on moves.</p>`;
  return html`<div class="values">
    <p class="quiet">${data.unit}${data.depth !== null && data.depth !== undefined && `, ${data.depth} plies deep`}, for ${data.side}</p>
    <ol>${data.moves.map(({ move, text }) => html`<li class=${move === played ? "played" : undefined}><strong>${move}</strong> ${text}${move === played && html` <span class="quiet">played</span>`}</li>`)}</ol>
    ${data.line.length > 0 && html`<p>Best line: ${data.line.join(" ")}</p>`}
  </div>`;
}
