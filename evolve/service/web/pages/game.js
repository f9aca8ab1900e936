// A game of a run, to be replayed.

import { path } from "../api.js";
import { useGet } from "../data.js";
import { html } from "../html.js";
import { Replay } from "../replay.js";
import { to } from "../router.js";
import { Wait } from "../ui.js";

export default function GamePage({ parts, query }) {
  const [id, number] = parts;
  const run = useGet(path(["runs", id]));
  const game = useGet(path(["runs", id, "games", number]));
  const [g] = (number || "").split(":");
  const link = (name) => (/^\d+-\d+$/.test(name) ? html`<a href=${to(["run", id, "individual", name])}>${name}</a>` : name);
  return html`<div class="head"><h1>Game ${number}</h1><span class="buttons">
      <a class="button" href=${to(["run", id])}>${id}</a><a class="button" href=${to(["run", id, "games"], { g })}>Other games</a></span></div>
    <${Wait} of=${game}><${Wait} of=${run}>${run.data && game.data && html`<${Replay} game=${game.data} rules=${run.data.rules || "standard"}
      agent=${run.data.agent} query=${query} names=${{ black: link(game.data.black), white: link(game.data.white) }} />`}<//><//>`;
}
