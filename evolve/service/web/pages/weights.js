// The weights of each generation's best as boards, with a slider over the generations.

import { path } from "../api.js";
import { AgentView } from "../agent-view.js";
import { useGet, useRested } from "../data.js";
import { html, useEffect, useState } from "../html.js";
import { setQuery, to } from "../router.js";
import { Wait } from "../ui.js";

const STEP = 500;

export default function Weights({ run, query }) {
  const last = Math.max(0, (run.done ?? 1) - 1);
  const [at, setAt] = useState(query.has("g") ? Number(query.get("g")) : last);
  const [moving, setMoving] = useState(false);
  const rested = useRested(at, 80);
  const agent = useGet(path(["runs", run.id, "generations", rested, "champion"]), { keep: true });
  useEffect(() => setQuery({ g: rested }), [rested]);
  useEffect(() => {
    if (!moving) return undefined;
    const timer = setInterval(() => setAt((old) => {
      if (old < last) return old + Math.max(1, Math.round(last / 40));
      setMoving(false);
      return last;
    }), STEP);
    return () => clearInterval(timer);
  }, [moving, last]);
  const shown = Math.min(at, last);
  return html`<div class="slider"><label for="weights-of">Generation <strong>${shown}</strong> of ${last}</label>
      <input id="weights-of" type="range" min="0" max=${last} value=${shown} onInput=${(event) => { setMoving(false); setAt(Number(event.target.value)); }} />
      <button type="button" onClick=${() => { if (!moving && at >= last) setAt(0); setMoving(!moving); }}>${moving ? "Pause" : "Run through"}</button></div>
    <${Wait} of=${agent}>${agent.data && html`<h2>${agent.data.name}</h2>
      <p class="buttons"><a class="button" href=${to(["play"], { agent: agent.data.id })}>Play it</a>
      <a class="button" href=${to(["run", run.id, "generations", shown])}>Its generation</a></p><${AgentView} agent=${agent.data} />`}<//>`;
}
