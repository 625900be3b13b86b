/** `node:http` with a `Map` of finished bodies. */
import { createServer } from "node:http";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";
import { FRESH_SECS, report } from "./report.ts";

interface Entry {
  readonly body: Buffer;
  readonly until: number;
}

const entries = new Map<string, Entry>();

const fresh = (url: string): Entry => {
  const found = entries.get(url);
  if (found !== undefined && Date.now() < found.until) return found;
  const entry = { body: Buffer.from(JSON.stringify(report())), until: Date.now() + FRESH_SECS * 1000 };
  entries.set(url, entry);
  return entry;
};

const server = createServer(({ url = "" }, response) => {
  if (url !== "/report") {
    response.writeHead(404).end();
    return;
  }
  const { body } = fresh(url);
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length });
  response.end(body);
});
await serveProcessMetrics();
server.listen(listenPort, "127.0.0.1", () => announceServer(server));
