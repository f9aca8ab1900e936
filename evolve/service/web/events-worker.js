// Reads the server's events (SSE) and comes back by itself. By fetch, not by EventSource, which can
// send no token and gives up for good where the server answers with an error once. As a SharedWorker
// it is the one stream for all tabs, because a browser allows six connections.

const WAITS = [500, 1000, 2000, 4000];
const SILENCE = 40_000; // The server says something every 15 seconds.

/**
 * Follow the events of `address`. `tell` gets {name: "live" | "gone"} for the connection, and
 * {name, data} for every event. `headers` may change between two calls of `open`.
 */
export class EventStream {
  constructor(address, tell) {
    this.address = address;
    this.tell = tell;
    this.headers = {};
    this.last = null;
    this.boot = null;
    this.failures = 0;
    this.abort = null;
  }

  open() {
    if (this.abort) return;
    this.abort = new AbortController();
    this.follow(this.abort);
  }

  close() {
    this.abort?.abort();
    this.abort = null;
  }

  async follow(abort) {
    while (!abort.signal.aborted) {
      await this.read(abort);
      if (abort.signal.aborted) return;
      this.tell({ name: "gone" });
      const wait = WAITS[Math.min(this.failures++, WAITS.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** One connection, to its end. */
  async read(outer) {
    const inner = new AbortController();
    const stop = () => inner.abort();
    outer.signal.addEventListener("abort", stop);
    let timer = setTimeout(stop, SILENCE);
    try {
      const response = await fetch(this.address, {
        signal: inner.signal,
        cache: "no-store",
        headers: {
          Accept: "text/event-stream",
          ...(this.last ? { "Last-Event-ID": this.last } : {}),
          ...this.headers,
        },
      });
      if (!response.ok) {
        await response.body?.cancel();
        return;
      }
      this.failures = 0;
      this.tell({ name: "live" });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(stop, SILENCE);
        const blocks = (rest + value.replaceAll("\r\n", "\n")).split("\n\n");
        rest = blocks.pop();
        blocks.forEach((block) => this.event(block));
      }
    } catch {
      // The connection broke, or was closed: follow() knows which.
    } finally {
      clearTimeout(timer);
      outer.signal.removeEventListener("abort", stop);
      inner.abort();
    }
  }

  event(block) {
    let name = "message";
    let data = "";
    for (const line of block.split("\n")) {
      const [field, text] = split(line);
      if (field === "event") name = text;
      else if (field === "data") data += text;
      else if (field === "id") this.last = text;
    }
    if (!data) return;
    const content = JSON.parse(data);
    if (name === "hello") {
      const other = this.boot !== null && this.boot !== content.boot;
      this.boot = content.boot;
      if (other) this.tell({ name: "again" });
    }
    this.tell(name === "reset" ? { name: "again" } : { name, data: content });
  }
}

function split(line) {
  const colon = line.indexOf(":");
  return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}

/** As a worker: every tab has a port, says hello when it is there and bye when it goes. */
function share() {
  const ports = new Set();
  let connection = null;
  const stream = new EventStream(new URL("api/v1/events", self.location), (event) => {
    if (event.name === "live" || event.name === "gone") connection = event;
    for (const port of ports) port.postMessage(event);
  });
  self.addEventListener("connect", ({ ports: [port] }) => {
    port.onmessage = ({ data }) => {
      if (data.name === "bye") {
        ports.delete(port);
        if (ports.size === 0) stream.close();
        return;
      }
      ports.add(port);
      stream.headers = data.headers;
      stream.open();
      if (connection) port.postMessage(connection);
    };
  });
}

if ("SharedWorkerGlobalScope" in self) share();
