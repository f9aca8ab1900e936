// The games of a generation or of the play-off: filtered, sorted, each to be replayed.

import { path } from "../api.js";
import { usePages } from "../data.js";
import { number, percent } from "../format.js";
import { html } from "../html.js";
import { setQuery, to } from "../router.js";
import { More, Search, Select, Table, Wait } from "../ui.js";

const WINNERS = [["", "any"], ["black", "black"], ["white", "white"], ["draw", "draw"]];
const REASONS = [["", "any"], ["end", "to the end"], ["over budget: black", "over budget: black"], ["over budget: white", "over budget: white"]];
const KINDS = [["", "all"], ["fitness", "round robin"], ["panel", "panel"], ["match", "past champions"]];
const SORTS = [["game", "number"], ["-upset", "upsets first"], ["-plies", "longest first"]];

export default function Games({ run, query }) {
  const last = Math.max(0, (run.done ?? 1) - 1);
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
      ${pages.items?.length > 0 && html`<${GamesTable} games=${pages.items} href=${(game) => to(["game", run.id, game.id])} sort=${sort} onSort=${filter("sort")} />`}
      <${More} pages=${pages} what="games" />
    <//>`;
}

export function GamesTable({ games, href, sort, onSort }) {
  return html`<${Table} name="games" rows=${games} id="id" sort=${sort} onSort=${onSort} columns=${[
    { name: "game", show: (game) => html`<a href=${href(game)}>${game.id}</a>`, sort: "game" },
    { name: "kind" }, { name: "black" }, { name: "white" },
    { name: "winner", show: (game) => html`<span class="winner">${game.winner && game.winner !== "draw" && html`<span class=${`dot ${game.winner}`}></span> `}${game.winner ?? "–"}</span>` },
    { name: "discs", number: true, show: (game) => `${game.discs_black}:${game.discs_white}` },
    { name: "plies", number: true, sort: "plies" },
    { name: "reason" },
    { name: "upset", number: true, sort: "upset", show: (game) => (game.upset > 0 ? percent(game.upset) : "–") },
    { name: "nodes_black", title: "nodes of black", number: true, show: (game) => number(game.nodes_black) },
    { name: "nodes_white", title: "nodes of white", number: true, show: (game) => number(game.nodes_white) },
  ]} />`;
}
