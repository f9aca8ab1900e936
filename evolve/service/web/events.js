// The events of the server for this tab, from the worker that all tabs share. Without such a worker
// the tab has a stream of its own, which is closed while the tab is hidden.

import { follow } from "./events-worker.js";
import { useEffect, useRef, useState } from "./html.js";

const listeners = new Set();
let connection = "connecting";

function hear(event) {
  if (!event.data && event.name !== "again") connection = event.name;
  for (const listener of [...listeners]) listener(event);
}

function followAlone() {
  let close = follow(hear);
  document.addEventListener("visibilitychange", () => {
    close();
    if (document.hidden) return;
    close = follow(hear);
    hear({ name: "again" });
  });
}

export function connect() {
  let worker;
  try {
    worker = new SharedWorker(new URL("./events-worker.js", import.meta.url), { type: "module", name: "evolve" });
  } catch {
    followAlone();
    return;
  }
  worker.onerror = followAlone;
  worker.port.onmessage = ({ data }) => hear(data);
  const say = (word) => worker.port.postMessage(word);
  window.addEventListener("pagehide", () => say("bye"));
  window.addEventListener("pageshow", ({ persisted }) => persisted && say("hello"));
  say("hello");
}

function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Call `listener` with every event while the component is there. `again`: fetch anew. */
export function useEvents(listener) {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => subscribe((event) => latest.current(event)), []);
}

export function useConnection() {
  const [state, setState] = useState(connection);
  useEffect(() => {
    setState(connection);
    return subscribe(() => setState(connection));
  }, []);
  return state;
}
