import { setTimeout as pause } from "node:timers/promises";
import { get, post } from "../client/call.ts";
import { Peer } from "./peer.ts";

/** Timeouts of the service: short, so that many slow clients reach them. */
export const soakTimeouts = { readHeaderSecs: 2, readBodySecs: 3, writeSecs: 3, idleSecs: 4 } as const;

/** Milliseconds that a limit may be overrun: the sweep comes once a second, and both programs share a core with others. */
const GRACE_MS = 4000;
const PATIENCE_MS = 60_000;

/** Runs one client, controlled by random numbers in [0, 1); resolves to the server's fault, or `null`. */
export type Scene = (port: number, random: () => number) => Promise<string | null>;

const chunked = (fields = "", body = "5\r\nhello\r\n0\r\n\r\n"): string =>
  `POST /upload HTTP/1.1\r\nHost: bench\r\nTransfer-Encoding: chunked\r\n${fields}\r\n${body}`;

const wrong = (what: string, wanted: unknown, peer: Peer): string | null => {
  const [found, expected] = [String(peer.statuses), String(wanted)];
  return found === expected ? null : `${what}: got ${found || "nothing"} for ${expected}`;
};

/** Sends requests, sequential or pipelined, and expects these statuses. */
const exchange =
  (what: string, requests: readonly string[], statuses: readonly number[], isEnd = "}"): Scene =>
  async (port) => {
    const peer = new Peer(port);
    for (const bytes of requests) peer.send(bytes);
    const enough = () => peer.statuses.length === statuses.length && peer.received.endsWith(isEnd);
    await peer.until(enough, PATIENCE_MS);
    peer.close();
    return wrong(what, statuses, peer);
  };

/** Requests whose reply closes the connection. */
const refused =
  (what: string, bytes: string, status: number): Scene =>
  async (port) => {
    const peer = new Peer(port);
    peer.send(bytes);
    const ended = await peer.untilClosed(PATIENCE_MS);
    peer.close();
    return ended === "closed" ? wrong(what, [status], peer) : `${what}: the connection stayed open`;
  };

/** Keeps a connection for several requests, with pauses. */
const regular: Scene = async (port, random) => {
  const peer = new Peer(port);
  const wanted: number[] = [];
  for (let count = 1 + Math.floor(random() * 20); count > 0; count--) {
    const [bytes, status] = random() < 0.3 ? [post("/upload", "x".repeat(200)), 200] : [get("/books"), 200];
    wanted.push(status);
    peer.send(bytes);
    const whole = () => peer.statuses.length === wanted.length && peer.received.endsWith("}");
    if ((await peer.until(whole, PATIENCE_MS)) !== "enough") break;
    await pause(random() * 20);
  }
  peer.close();
  return wrong("a regular client", wanted, peer);
};

/** Sends a message in small pieces, and expects to be disconnected in time. */
const dripping =
  (what: string, head: string, piece: string, limitSecs: number, status: number): Scene =>
  async (port) => {
    const peer = new Peer(port);
    const began = performance.now();
    peer.send(head);
    const timer = setInterval(() => peer.send(piece), 200);
    const ended = await peer.untilClosed(limitSecs * 1000 + GRACE_MS);
    clearInterval(timer);
    peer.close();
    if (ended !== "closed") return `${what}: open after ${(performance.now() - began).toFixed(0)} ms`;
    return wrong(what, [status], peer);
  };

/** Requests a reply larger than the socket buffers, and reads nothing. */
const notReading =
  (path: string): Scene =>
  async (port) => {
    const peer = new Peer(port);
    peer.forgets = true;
    peer.socket.pause();
    peer.send(get(path));
    await pause((soakTimeouts.writeSecs * 1000 + GRACE_MS) / 2);
    peer.close(); // half of the limit and of the grace: the one comes before the cut, the other behind it
    return null;
  };

/** Reads nothing, and expects the connection to be closed when it reads at last. */
const readingTooLate: Scene = async (port) => {
  const peer = new Peer(port);
  peer.forgets = true;
  peer.socket.pause();
  peer.send(get("/large/32"));
  await pause(soakTimeouts.writeSecs * 1000 + GRACE_MS);
  peer.socket.resume();
  const ended = await peer.untilClosed(PATIENCE_MS);
  peer.close();
  const whole = peer.bytes > 32 * 1024 * 1024;
  return ended === "closed" && !whole ? null : `a client that does not read: ${ended}, ${peer.bytes} bytes`;
};

const idle: Scene = async (port) => {
  const peer = new Peer(port);
  peer.send(get("/books"));
  const ended = await peer.untilClosed(soakTimeouts.idleSecs * 1000 + GRACE_MS);
  peer.close();
  return ended === "closed" ? wrong("an idle client", [200], peer) : "an idle client: still open";
};

/** Messages that clients abort at any point. */
const victims: readonly string[] = [
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

/** Sends part of a message, may wait for a reply, and disconnects: with FIN, at once, or with a reset. */
const leaving: Scene = async (port, random) => {
  const bytes = victims[Math.floor(random() * victims.length)] ?? "";
  const peer = new Peer(port);
  peer.forgets = true;
  const cut = random() < 0.5 ? bytes.length : Math.floor(random() * bytes.length);
  const middle = Math.floor(random() * cut);
  peer.send(bytes.slice(0, middle));
  if (random() < 0.5) await pause(random() * 30);
  peer.send(bytes.slice(middle, cut));
  if (random() < 0.7) await pause(random() * 60);
  const how = random();
  if (how < 0.5) peer.reset();
  else if (how < 0.75) peer.close();
  else {
    peer.socket.end();
    await peer.untilClosed(soakTimeouts.idleSecs * 1000 + GRACE_MS);
    peer.close();
  }
  return null;
};

/** Scenes, with shares of 60. */
const kinds: readonly (readonly [share: number, scene: Scene])[] = [
  [18, regular],
  [14, leaving],
  [4, exchange("a pipeline", [get("/books").repeat(8), get("/books/7")], Array<number>(9).fill(200))],
  [3, exchange("a stream", [get("/pages/5")], [200], "0\r\n\r\n")],
  [2, exchange("a stream behind others", [get("/books") + get("/pages/3")], [200, 200], "0\r\n\r\n")],
  [3, exchange("chunked bodies", [chunked(), chunked(), get("/books")], [200, 200, 200])],
  [1, exchange("an expectation", [chunked("Expect: 100-continue\r\n")], [100, 200])],
  [1, exchange("absolute-form", [get("http://bench/books"), get("/books")], [200, 200])],
  [1, exchange("a long body", [post("/upload", "x".repeat(200_000)), get("/books")], [200, 200])],
  [2, exchange("an unknown path", [get("/nowhere"), get("/books/x")], [404, 400])],
  [1, refused("HTTP/1.0", "GET /books HTTP/1.0\r\nHost: bench\r\n\r\n", 200)],
  [2, refused("a bad field", `${get("/books", "a b: c\r\n")}${get("/books")}`, 400)],
  [1, refused("two lengths", post("/upload", "xx", "Content-Length: 3\r\n") + get("/books"), 400)],
  [1, refused("a bad chunk", chunked("", "x\r\n") + get("/books"), 400)],
  [1, refused("a long head", get("/books", `X: ${"x".repeat(20_000)}\r\n`), 431)],
  [1, dripping("a dripping head", "GET / HTTP/1.1\r\nX: ", "x", soakTimeouts.readHeaderSecs, 408)],
  [
    1,
    dripping(
      "a dripping body",
      post("/upload", "").replace("h: 0", "h: 999"),
      "x",
      soakTimeouts.readBodySecs,
      408,
    ),
  ],
  [
    1,
    dripping(
      "a dripping chunked body",
      chunked("", "5\r\nhello\r\n"),
      "1\r\nx\r\n",
      soakTimeouts.readBodySecs,
      408,
    ),
  ],
  [1, notReading("/large/32")],
  [1, notReading("/endless")],
  [1, readingTooLate],
  [1, idle],
];

/** The scenes, repeated by their shares. */
export const scenes: readonly Scene[] = kinds.flatMap(([share, scene]) =>
  Array.from({ length: share }, () => scene),
);
