import { setTimeout as pause } from "node:timers/promises";
import { get, post } from "../client/call.ts";
import { Peer } from "./peer.ts";

/** Timeouts of the service; short, so that many slow clients reach them. */
export const soakTimeouts = { readHeaderSecs: 2, readBodySecs: 3, writeSecs: 3, idleSecs: 4 } as const;

/** Maximum delay in milliseconds until a limit takes effect: the sweep runs once a second, on a shared core. */
const GRACE_MS = 4000;
const TIMEOUT_MS = 60_000;

/** Runs one client, controlled by random numbers in [0, 1); resolves to a description of the server's fault, or `null`. */
export type Scenario = (port: number, random: () => number) => Promise<string | null>;

const chunked = (fields = "", body = "5\r\nhello\r\n0\r\n\r\n"): string =>
  `POST /upload HTTP/1.1\r\nHost: bench\r\nTransfer-Encoding: chunked\r\n${fields}\r\n${body}`;

const statusFault = (label: string, expectedStatuses: unknown, peer: Peer): string | null => {
  const [found, expected] = [String(peer.statuses), String(expectedStatuses)];
  return found === expected ? null : `${label}: got ${found || "nothing"} for ${expected}`;
};

/** Sends requests, sequential or pipelined, and expects these statuses. */
const exchange =
  (label: string, requests: readonly string[], statuses: readonly number[], ending = "}"): Scenario =>
  async (port) => {
    const peer = new Peer(port);
    for (const bytes of requests) peer.send(bytes);
    const enough = () => peer.statuses.length === statuses.length && peer.received.endsWith(ending);
    await peer.until(enough, TIMEOUT_MS);
    peer.close();
    return statusFault(label, statuses, peer);
  };

/** Sends a request whose reply closes the connection. */
const rejected =
  (label: string, bytes: string, status: number): Scenario =>
  async (port) => {
    const peer = new Peer(port);
    peer.send(bytes);
    const ended = await peer.untilClosed(TIMEOUT_MS);
    peer.close();
    return ended === "closed" ? statusFault(label, [status], peer) : `${label}: the connection stayed open`;
  };

/** Sends several requests on one connection, with pauses. */
const regular: Scenario = async (port, random) => {
  const peer = new Peer(port);
  const statuses: number[] = [];
  for (let count = 1 + Math.floor(random() * 20); count > 0; count--) {
    const [bytes, status] = random() < 0.3 ? [post("/upload", "x".repeat(200)), 200] : [get("/books"), 200];
    statuses.push(status);
    peer.send(bytes);
    const whole = () => peer.statuses.length === statuses.length && peer.received.endsWith("}");
    if ((await peer.until(whole, TIMEOUT_MS)) !== "done") break;
    await pause(random() * 20);
  }
  peer.close();
  return statusFault("a regular client", statuses, peer);
};

/** Sends a message in small pieces, and expects the connection to be closed in time. */
const trickling =
  (label: string, head: string, piece: string, limitSecs: number, status: number): Scenario =>
  async (port) => {
    const peer = new Peer(port);
    const startedAt = performance.now();
    peer.send(head);
    const timer = setInterval(() => peer.send(piece), 200);
    const ended = await peer.untilClosed(limitSecs * 1000 + GRACE_MS);
    clearInterval(timer);
    peer.close();
    if (ended !== "closed") return `${label}: open after ${(performance.now() - startedAt).toFixed(0)} ms`;
    return statusFault(label, [status], peer);
  };

/** Requests a reply larger than the socket buffers, and reads nothing. */
const notReading =
  (path: string): Scenario =>
  async (port) => {
    const peer = new Peer(port);
    peer.discards = true;
    peer.socket.pause();
    peer.send(get(path));
    await pause((soakTimeouts.writeSecs * 1000 + GRACE_MS) / 2);
    peer.close(); // halfway: sometimes before, sometimes after the server closes the connection
    return null;
  };

/** Reads nothing until after the limit, and expects the connection to be closed then. */
const readingAfterLimit: Scenario = async (port) => {
  const peer = new Peer(port);
  peer.discards = true;
  peer.socket.pause();
  peer.send(get("/large/32"));
  await pause(soakTimeouts.writeSecs * 1000 + GRACE_MS);
  peer.socket.resume();
  const ended = await peer.untilClosed(TIMEOUT_MS);
  peer.close();
  const whole = peer.bytes > 32 * 1024 * 1024;
  return ended === "closed" && !whole ? null : `a client that does not read: ${ended}, ${peer.bytes} bytes`;
};

const idle: Scenario = async (port) => {
  const peer = new Peer(port);
  peer.send(get("/books"));
  const ended = await peer.untilClosed(soakTimeouts.idleSecs * 1000 + GRACE_MS);
  peer.close();
  return ended === "closed" ? statusFault("an idle client", [200], peer) : "an idle client: still open";
};

/** Messages that clients abort at any point. */
const abortableMessages: readonly string[] = [
  get("/books") + get("/books/1"),
  post("/upload", "x".repeat(300)),
  chunked() + get("/books"),
  get("/pages/200"),
  get("/endless"),
  get("/slow/1000"),
  get("/large/4"),
  `${post("/upload", "").replace("Length: 0", "Length: 90000")}${"x".repeat(50_000)}`,
  chunked("Expect: 100-continue\r\n", ""),
];

/** Sends part of a message, may wait for a reply, and disconnects: with FIN, by destroying the socket, or with a reset. */
const disconnecting: Scenario = async (port, random) => {
  const bytes = abortableMessages[Math.floor(random() * abortableMessages.length)] ?? "";
  const peer = new Peer(port);
  peer.discards = true;
  const length = random() < 0.5 ? bytes.length : Math.floor(random() * bytes.length);
  const middle = Math.floor(random() * length);
  peer.send(bytes.slice(0, middle));
  if (random() < 0.5) await pause(random() * 30);
  peer.send(bytes.slice(middle, length));
  if (random() < 0.7) await pause(random() * 60);
  const choice = random();
  if (choice < 0.5) peer.reset();
  else if (choice < 0.75) peer.close();
  else {
    peer.socket.end();
    await peer.untilClosed(soakTimeouts.idleSecs * 1000 + GRACE_MS);
    peer.close();
  }
  return null;
};

/** Scenarios, with their shares of 60. */
const kinds: readonly (readonly [share: number, scenario: Scenario])[] = [
  [18, regular],
  [14, disconnecting],
  [4, exchange("a pipeline", [get("/books").repeat(8), get("/books/7")], Array<number>(9).fill(200))],
  [3, exchange("a stream", [get("/pages/5")], [200], "0\r\n\r\n")],
  [2, exchange("a pipelined stream", [get("/books") + get("/pages/3")], [200, 200], "0\r\n\r\n")],
  [3, exchange("chunked bodies", [chunked(), chunked(), get("/books")], [200, 200, 200])],
  [1, exchange("an expectation", [chunked("Expect: 100-continue\r\n")], [100, 200])],
  [1, exchange("absolute-form", [get("http://bench/books"), get("/books")], [200, 200])],
  [1, exchange("a long body", [post("/upload", "x".repeat(200_000)), get("/books")], [200, 200])],
  [2, exchange("an unknown path", [get("/nowhere"), get("/books/x")], [404, 400])],
  [1, rejected("HTTP/1.0", "GET /books HTTP/1.0\r\nHost: bench\r\n\r\n", 200)],
  [2, rejected("a bad field", `${get("/books", "a b: c\r\n")}${get("/books")}`, 400)],
  [1, rejected("two lengths", post("/upload", "xx", "Content-Length: 3\r\n") + get("/books"), 400)],
  [1, rejected("a bad chunk", chunked("", "x\r\n") + get("/books"), 400)],
  [1, rejected("a long head", get("/books", `X: ${"x".repeat(20_000)}\r\n`), 431)],
  [1, trickling("a trickled head", "GET / HTTP/1.1\r\nX: ", "x", soakTimeouts.readHeaderSecs, 408)],
  [
    1,
    trickling(
      "a trickled body",
      post("/upload", "").replace("h: 0", "h: 999"),
      "x",
      soakTimeouts.readBodySecs,
      408,
    ),
  ],
  [
    1,
    trickling(
      "a trickled chunked body",
      chunked("", "5\r\nhello\r\n"),
      "1\r\nx\r\n",
      soakTimeouts.readBodySecs,
      408,
    ),
  ],
  [1, notReading("/large/32")],
  [1, notReading("/endless")],
  [1, readingAfterLimit],
  [1, idle],
];

/** The scenarios, repeated by their shares. */
export const scenarios: readonly Scenario[] = kinds.flatMap(([share, scenario]) =>
  Array.from({ length: share }, () => scenario),
);
