/**
 * A service for hostile clients: short and long replies, streams, uploads and slow handlers, and a report of open
 * resources. `TRANSPORT` is `fast` or `node`; `LIMITS` and `TIMEOUTS` are JSON.
 */
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { App, Response, type RunOptions, toInt } from "@framework/core";
import { readVitals } from "../servers/vitals.ts";
import type { OpenResources, Sockets } from "./service-report.ts";

/** Handlers and streams in progress. */
const active = { handlers: 0, streams: 0 };
/** Open connections with the time of their start. */
const opened = new Map<Socket, number>();
let longestMs = 0;
let accepted = 0;

subscribe("net.server.socket", (message) => {
  const { socket } = message as { socket: Socket };
  accepted++;
  opened.set(socket, performance.now());
  socket.once("close", () => {
    longestMs = Math.max(longestMs, performance.now() - (opened.get(socket) ?? 0));
    opened.delete(socket);
  });
});

async function* countStream<T>(source: () => AsyncGenerator<T>): AsyncGenerator<T> {
  active.streams++;
  try {
    yield* source();
  } finally {
    active.streams--;
  }
}

async function* pages(count: number): AsyncGenerator<string> {
  for (let page = 0; page < count; page++) {
    yield `page ${page}\n`;
    await pause(1);
  }
}

const piece = new Uint8Array(65_536).fill(120);

async function* endlessBody(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield piece;
    await pause(1);
  }
}

const MEBIBYTE = 1024 * 1024;
const large = new Uint8Array(32 * MEBIBYTE).fill(120);

const app = new App();
app.get("/books", () => ({ books: [{ id: 1, title: "Dune" }], total: 1 }));
app.get("/books/{id}", (request) => ({ id: toInt(request.params.id, "id") }));
app.get("/large/{mebibytes}", (request) =>
  Response.binary(large.subarray(0, toInt(request.params.mebibytes, "mebibytes") * MEBIBYTE)),
);
app.get("/pages/{count}", (request) => {
  const count = toInt(request.params.count, "count");
  return Response.stream(countStream(() => pages(count)));
});
app.get("/endless", () => Response.stream(countStream(endlessBody)));
app.post("/upload", async (request) => {
  active.handlers++;
  try {
    let bytes = 0;
    for await (const chunk of request.stream()) bytes += chunk.byteLength;
    return { bytes };
  } finally {
    active.handlers--;
  }
});
app.get("/slow/{ms}", async (request) => {
  active.handlers++;
  try {
    await pause(toInt(request.params.ms, "ms"), undefined, { signal: request.signal });
    return { waited: true };
  } catch (error) {
    if (request.signal.aborted) return { waited: false }; // the client has disconnected, so the reply is not sent
    throw error;
  } finally {
    active.handlers--;
  }
});
app.get("/sockets", (): Sockets => {
  const report = { open: opened.size, accepted, longestMs };
  accepted = 0;
  longestMs = 0;
  return report;
});
app.get("/open-resources", async (): Promise<OpenResources> => ({
  ...(await readVitals()),
  ...active,
  open: opened.size,
}));

const readJson = (name: string): object => JSON.parse(process.env[name] ?? "{}") as object;
const transport: RunOptions["transport"] = process.env["TRANSPORT"] === "fast" ? "fast" : "node";
await app.run({ transport, limits: readJson("LIMITS"), timeouts: readJson("TIMEOUTS") });
