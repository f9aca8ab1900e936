// The one stream of events for all tabs: a SharedWorker, because a browser allows six connections.

import { EventStream } from "./event-stream.js";

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
