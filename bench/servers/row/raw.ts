/** `node:http` with the bare library. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { sendJson } from "../raw-json.ts";
import { serveProcessMetrics } from "../process-metrics.ts";
import { announceServer, listenPort } from "../serving.ts";
import { wholeNumber } from "../workload.ts";
import { openBooks } from "./books.ts";

const find = await openBooks();

const handle = async ({ url = "" }: IncomingMessage, response: ServerResponse): Promise<void> => {
  const id = url.startsWith("/books/") ? wholeNumber(url.slice(7)) : null;
  const book = id === null ? undefined : await find(id);
  if (book === undefined) sendJson(response, 404, { error: "Not Found" });
  else sendJson(response, 200, book);
};

const server = createServer((request, response) => void handle(request, response));
await serveProcessMetrics();
server.listen(listenPort, "127.0.0.1", () => announceServer(server));
