// The rules of what is begun here: asked once, and remembered by the browser.

import { capital } from "./format.js";
import { useKept } from "./gameview.js";
import { html } from "./html.js";
import { meta } from "./meta.js";

/** The rules that were chosen here; null where nobody has said them. And what chooses them. */
export function useRules() {
  const [kept, keep] = useKept("rules", null);
  return [meta().rules.some(({ name }) => name === kept) ? kept : null, keep];
}

export const ruleChoices = () => meta().rules.map(({ name, goal }) => [name, capital(goal.replace(/ disc.*/, " discs win"))]);

export function AskRules({ onChange }) {
  return html`<section class="card stack" role="group" aria-label="Rules"><h2 class="title">Which game?</h2>
    <p class="note">This is asked once. An agent of the other game loses yours on purpose.</p>
    <div class="row">${ruleChoices().map(([name, goal]) => html`<button type="button" key=${name} onClick=${() => onChange(name)}>${goal} <small>${name}</small></button>`)}</div></section>`;
}
