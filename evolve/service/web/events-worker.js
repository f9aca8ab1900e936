// The server's events (SSE), as one stream for all tabs: a SharedWorker, because a browser allows six
// connections. A tab whose browser has no such workers follows a stream of its own.

const NAMES = ["hello", "reset", "job", "run", "progress", "match"];
const WAIT = 2000;

/** `tell` gets {name, data}: an event, `live`, `gone` or `deaf` (without events), or `again` where events were missed. Gives a way to close. */
export function follow(tell) {
  let source;
  let timer;
  let boot = null;
  const hear = ({ type, data }) => {
    const content = JSON.parse(data);
    if (type === "hello") for (const name of content.rows) source.addEventListener(name, hear); // again is no second time
    if (type === "hello" && boot !== content.boot) {
      if (boot !== null) tell({ name: "again" });
      boot = content.boot;
    }
    tell(type === "reset" ? { name: "again" } : { name: type, data: content });
  };
  const open = () => {
    if (!self.EventSource) {
      tell({ name: "deaf" });
      timer = setInterval(() => tell({ name: "again" }), 5 * WAIT);
      return;
    }
    source = new EventSource(new URL("api/v1/events", import.meta.url));
    source.onopen = () => tell({ name: "live" });
    source.onerror = () => {
      tell({ name: "gone" });
      if (source.readyState !== EventSource.CLOSED) return; // It tries again by itself.
      boot &&= "unknown";
      timer = setTimeout(open, WAIT);
    };
    for (const name of NAMES) source.addEventListener(name, hear);
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

function share() {
  const ports = new Set();
  let close = null;
  let connection = null;
  const tell = (event) => {
    if (!event.data && event.name !== "again") connection = event;
    for (const port of ports) port.postMessage(event);
  };
  self.addEventListener("connect", ({ ports: [port] }) => {
    port.onmessage = ({ data }) => {
      if (data === "bye") ports.delete(port);
      else ports.add(port);
      if (ports.size === 0) {
        close?.();
        close = connection = null;
      } else if (!close) close = follow(tell);
      else if (connection) port.postMessage(connection);
    };
  });
}

if ("SharedWorkerGlobalScope" in self) share();
