// The events of the server for this tab, from the worker that all tabs share. Without such a worker
// the tab has a stream of its own, which is closed while the tab is hidden.

import { authorization } from "./api.js";
import { EventStream } from "./events-worker.js";
import { useEffect, useRef, useState } from "./html.js";

const listeners = new Set();
let connection = "connecting";

function hear(event) {
  if (event.name === "live" || event.name === "gone") connection = event.name;
  for (const listener of [...listeners]) listener(event);
}

function ownStream() {
  const stream = new EventStream(new URL("api/v1/events", document.baseURI), hear);
  const follow = () => {
    stream.headers = authorization();
    if (document.hidden) stream.close();
    else stream.open();
  };
  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    stream.close();
    follow();
  };
}

function sharedStream() {
  const address = new URL("./events-worker.js", import.meta.url);
  const worker = new SharedWorker(address, { type: "module", name: "evolve" });
  const hello = () => worker.port.postMessage({ name: "hello", headers: authorization() });
  worker.port.onmessage = ({ data }) => hear(data);
  window.addEventListener("pagehide", () => worker.port.postMessage({ name: "bye" }));
  window.addEventListener("pageshow", ({ persisted }) => persisted && hello());
  hello();
  return { worker, hello };
}

let renew = () => {};

/** Begin to listen; again after a token was given. */
export function connect() {
  if (renew.started) return renew();
  try {
    const { worker, hello } = sharedStream();
    renew = hello;
    worker.onerror = () => {
      renew = ownStream();
      renew.started = true;
    };
  } catch {
    renew = ownStream();
  }
  renew.started = true;
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

/** `connecting`, `live` or `gone`. */
export function useConnection() {
  const [state, setState] = useState(connection);
  useEffect(() => {
    setState(connection);
    return subscribe(() => setState(connection));
  }, []);
  return state;
}
