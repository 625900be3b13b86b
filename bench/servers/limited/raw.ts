/** `node:http` with a `Map` of windows, in each of four workers. */
import { createServer } from "node:http";
import { sendJson } from "../raw-json.ts";
import { listenPort } from "../serving.ts";
import { greeting } from "../workload.ts";
import { CLIENT_FIELD, MAX_REQUESTS, WINDOW_SECS } from "./client.ts";
import { runWorkers } from "./workers.ts";

const field = CLIENT_FIELD.toLowerCase();
const windows = new Map<string, { used: number; until: number }>();

const windowOf = (client: string): { used: number; until: number } => {
  const now = Date.now();
  const found = windows.get(client);
  if (found !== undefined && now < found.until) return found;
  const created = { used: 0, until: now + WINDOW_SECS * 1000 };
  windows.set(client, created);
  return created;
};

const server = createServer(({ headers, url }, response) => {
  const window = windowOf(String(headers[field]));
  const remaining = MAX_REQUESTS - ++window.used;
  response.setHeader(
    "RateLimit",
    `limit=${MAX_REQUESTS}, remaining=${Math.max(0, remaining)}, reset=${Math.ceil((window.until - Date.now()) / 1000)}`,
  );
  if (remaining < 0) sendJson(response, 429, { error: "Too Many Requests" });
  else if (url === "/json") sendJson(response, 200, greeting());
  else sendJson(response, 404, { error: "Not Found" });
});
await runWorkers(() => server.listen(listenPort, "127.0.0.1"));
