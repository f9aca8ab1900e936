// The shell of the page: header, banner, theme, token, and the page that the address names.

import { giveToken } from "./api.js";
import { useGet } from "./data.js";
import { connect, useConnection, useEvents } from "./events.js";
import { html, render, useEffect, useErrorBoundary, useRef, useState } from "./html.js";
import { learn } from "./meta.js";
import { useRoute } from "./router.js";
import { Problem } from "./ui.js";

/** By the first word of an address: the module of the page, and its name there. */
const PAGES = {
  "": ["home", "Home"], new: ["new", "New"], run: ["run", "Run"], job: ["job", "Job"], agents: ["agents", "Agents"],
  game: ["game", "Game"], play: ["play", "Play"], compare: ["contests", "Compare"], ratings: ["contests", "Ratings"],
};
const LINKS = [["", "Runs"], ["play", "Play"], ["compare", "Compare"], ["ratings", "Ratings"], ["agents", "Agents"]];
const THEMES = [["light dark", "as the system has them"], ["light", "light"], ["dark", "dark"]];

/** Light, dark or as the system has them, one after the other. */
function Theme() {
  const { style } = document.documentElement;
  const [theme, setTheme] = useState(style.colorScheme || "light dark");
  const at = Math.max(0, THEMES.findIndex(([name]) => name === theme));
  const turn = () => {
    const [next] = THEMES[(at + 1) % THEMES.length];
    setTheme(next);
    style.colorScheme = next;
    try {
      localStorage.setItem("evolve-theme", next);
    } catch {
      // No storage here.
    }
  };
  const name = `Colours: ${THEMES[at][1]}`;
  return html`<button class="ghost icon" type="button" aria-label=${name} title=${name} onClick=${turn}><svg class="ico" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    <circle cx="10" cy="10" r="6.5" /><path class="solid" d="M10 3.5a6.5 6.5 0 0 1 0 13z" /></svg></button>`;
}

/** What runs, of whatever started it, as a link: to it where it is one. */
function Load() {
  const { data, reload } = useGet("health");
  useEvents(({ name }) => (name === "job" || name === "run") && reload());
  const running = data && data.running + data.elsewhere;
  if (!running && !data?.queued) return null;
  return html`<a class=${`state ${running ? "running" : "queued"}`} href="#/"><span>${running} running${data.queued > 0 && html`<span class="wide-only"> · ${data.queued} waiting</span>`}</span></a>`;
}

function Banner() {
  const connection = useConnection();
  const [back, setBack] = useState(false);
  const before = useRef(connection);
  useEffect(() => {
    const wasGone = before.current === "gone";
    before.current = connection;
    if (connection !== "live" || !wasGone) return undefined;
    setBack(true);
    const timer = setTimeout(() => setBack(false), 3000);
    return () => clearTimeout(timer);
  }, [connection]);
  return html`<div class="banner" role="status">
    ${connection === "gone" && html`<p class="gone">The server is gone; trying again. What is shown is as it was.</p>`}
    ${connection === "deaf" && html`<p class="gone">This browser follows no events: all is fetched every 10 s.</p>`}
    ${connection === "live" && back && html`<p class="back">Live again.</p>`}
  </div>`;
}

function Token() {
  const [wanted, setWanted] = useState(false);
  const [error, setError] = useState(null);
  useEffect(() => {
    const ask = () => setWanted(document.body.className = "locked");
    document.addEventListener("evolve-token", ask);
    return () => document.removeEventListener("evolve-token", ask);
  }, []);
  if (!wanted) return null;
  const give = async (event) => {
    event.preventDefault();
    try {
      await giveToken(event.target.elements.token.value.trim());
      location.reload();
    } catch (problem) {
      setError(problem);
    }
  };
  return html`<form class="token panel" onSubmit=${give}>
    <label for="token">This server wants its token. It was printed when the server started.</label>
    <div class="buttons"><input id="token" name="token" type="password" autocomplete="off" required />
    <button class="main">Sign in</button></div><${Problem} error=${error} />
  </form>`;
}

function Page({ route }) {
  const [name = "", ...parts] = route.parts;
  const [loaded, setLoaded] = useState({});
  const [fault, forget] = useErrorBoundary();
  useEffect(() => {
    let current = true;
    forget();
    const load = async () => {
      if (!PAGES[name] || (["run", "job", "game"].includes(name) && !parts[0])) return Missing;
      const [file, page] = PAGES[name];
      await learn();
      return (await import(`./pages/${file}.js`))[page];
    };
    load().then((Content) => ({ Content }), (error) => ({ error })).then((found) => current && setLoaded({ name, ...found }));
    return () => { current = false; };
  }, [name]);
  const error = fault || loaded.error;
  if (error) return html`<h1>Something is wrong here</h1><${Problem} error=${error} again=${() => location.reload()} />`;
  if (loaded.name !== name) return html`<p class="quiet" aria-busy="true">Loading …</p>`;
  return html`<${loaded.Content} key=${name} parts=${parts} query=${route.query} />`;
}

const Missing = () => html`<h1>There is no such page</h1><p><a href="#/">All runs</a></p>`;

function App() {
  const route = useRoute();
  const main = useRef(null);
  const [first = ""] = route.parts;
  const moved = useRef(false);
  useEffect(() => {
    document.title = [...route.parts, "evolve"].join(" · ");
  }, [route]);
  useEffect(() => {
    if (moved.current) {
      window.scrollTo(0, 0);
      main.current.focus({ preventScroll: true });
    }
    moved.current = true;
  }, [first, route.parts[1]]);
  return html`
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); main.current.focus(); }}>To the content</a>
    <header class="top"><div>
      <a class="brand" href="#/"><img src="./icon.svg" alt="" width="26" height="26" /> evolve</a>
      <nav aria-label="Pages">${LINKS.map(([name, title]) => html`
        <a href=${`#/${name}`} aria-current=${first === name || (name === "" && ["run", "job", "game"].includes(first)) ? "page" : undefined}>${title}</a>`)}</nav>
      <${Load} /><a class="button main" href="#/new" aria-current=${first === "new" ? "page" : undefined}>New</a><${Theme} />
    </div></header>
    <${Banner} />
    <main id="main" tabindex="-1" ref=${main}><${Token} /><${Page} route=${route} /></main>`;
}

/** The printed address has ?token=…: it signs the browser in, and leaves the address bar. */
async function takeToken() {
  const token = new URLSearchParams(location.search).get("token");
  if (token === null) return;
  history.replaceState(null, "", location.pathname + (location.hash || "#/"));
  await giveToken(token).catch(() => {});
}

await takeToken();
connect();
const root = document.getElementById("app");
root.textContent = "";
render(html`<${App} />`, root);
