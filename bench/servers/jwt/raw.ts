/** `node:http` with `jose`. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { sendJson } from "../raw-json.ts";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";
import { subjectOf } from "./verify-with-jose.ts";

const handle = async ({ url, headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
  const sub = await subjectOf(headers.authorization);
  if (sub === null) sendJson(response, 401, { error: "Unauthorized" });
  else if (url === "/me") sendJson(response, 200, { sub });
  else sendJson(response, 404, { error: "Not Found" });
};

await serveProcessMetrics();
const server = createServer((request, response) => void handle(request, response));
server.listen(listenPort, "127.0.0.1", () => announceServer(server));
