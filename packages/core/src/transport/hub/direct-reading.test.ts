import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { systemClock } from "../../runtime/clock.ts";
import { ReadBatch } from "./read-batch.ts";
import { DirectReading, type SocketOwner } from "./direct-reading.ts";

const batch = new ReadBatch(systemClock);
let server: Server;
let client: Socket;
let socket: Socket;

beforeEach(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  client = connect(port, "127.0.0.1");
  [socket] = (await once(server, "connection")) as [Socket];
});

afterEach(() => {
  client.destroy();
  socket.destroy();
  server.close();
});

const waitUntil = async (condition: () => boolean): Promise<void> => {
  while (!condition() && !socket.destroyed) await new Promise((resolve) => setImmediate(resolve));
  expect(condition()).toBe(true);
};

/** An owner with the given members; the others do nothing. */
const ownerWith = (own: Partial<SocketOwner>): { -readonly [K in keyof SocketOwner]: SocketOwner[K] } => ({
  take: () => {},
  mayEnd: true,
  ended: () => {},
  drained: () => {},
  closed: () => {},
  ...own,
});

/** Records the received bytes, and counts the `data` events that the socket emits. */
const watch = () => {
  const seen: string[] = [];
  let emitted = 0;
  let text = "";
  const take = (chunk: Buffer): void => {
    text += chunk.toString("latin1");
    seen.push(chunk.toString("latin1"));
  };
  const reading = new DirectReading(socket, ownerWith({ take }), batch);
  socket.on("data", () => emitted++);
  return {
    seen,
    text: () => text,
    emitted: () => emitted,
    stop: () => {
      reading.stop();
      socket.on("data", take);
    },
  };
};

test("delivers bytes without emitting data events", async () => {
  const { text, emitted } = watch();
  client.write("one");
  await waitUntil(() => text() === "one");
  client.write("two");
  await waitUntil(() => text() === "onetwo");
  expect(emitted()).toBe(0);
});

test("keeps the order of bytes that arrive while the socket is paused, while it catches up, and after", async () => {
  const { text } = watch();
  const pieces = Array.from({ length: 300 }, (_, at) => `${at},`.padStart(1000, "."));
  let given = "";
  for (const [at, piece] of pieces.entries()) {
    given += piece;
    client.write(piece);
    if (at % 10 === 0) socket.pause();
    if (at % 10 === 5) await waitUntil(() => socket.readableLength > 0);
    if (at % 10 === 7) socket.resume();
    if (at % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  socket.resume();
  await waitUntil(() => text().length === given.length);
  expect(text()).toBe(given);
});

test("stops reading from the system when a paused socket has buffered enough", async () => {
  const { text } = watch();
  socket.pause();
  const sent = 8_000_000;
  client.write("x".repeat(sent));
  await waitUntil(() => socket.readableLength >= socket.readableHighWaterMark);
  await new Promise((resolve) => setTimeout(resolve, 50)); // time in which unlimited reading would receive everything
  expect(socket.readableLength).toBeLessThan(sent / 4);
  socket.resume();
  await waitUntil(() => text().length === sent);
});

test("after stop, the socket emits its events itself, including the end", async () => {
  const { text, emitted, stop } = watch();
  stop();
  client.end("last");
  await once(socket, "end");
  expect([text(), emitted()]).toStrictEqual(["last", 1]);
});

test("delays the end while the owner forbids it, until deliverEnd", async () => {
  let ended = false;
  const owner = ownerWith({ mayEnd: false, ended: () => (ended = true) });
  const reading = new DirectReading(socket, owner, batch);
  socket.resume();
  client.end("last");
  await once(client, "finish");
  await waitUntil(() => socket.bytesRead === 4);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(ended).toBe(false);
  owner.mayEnd = true;
  reading.deliverEnd();
  await waitUntil(() => ended);
});

test("bytes that wait in a batch are delivered before later ones, which the next owner of the socket gets", async () => {
  const seen: string[] = [];
  const take = (chunk: Buffer): void => {
    seen.push(chunk.toString());
    reading.stop();
    socket.on("data", (later: Buffer) => void seen.push(`later ${later.toString()}`));
  };
  const reading = new DirectReading(socket, ownerWith({ take }), new ReadBatch(systemClock, true));
  await waitUntil(() => socket.readableFlowing === true);
  socket.push(Buffer.from("one"));
  expect(seen).toEqual([]);
  socket.pause();
  socket.push(Buffer.from("two"));
  expect(seen).toEqual(["one"]);
  socket.resume();
  await waitUntil(() => seen.length === 2);
  expect(seen).toEqual(["one", "later two"]);
});

test("after stop, delivers no event, and the socket does not reference it", async () => {
  const received: string[] = [];
  const record = (name: string) => () => void received.push(name);
  const reading = new DirectReading(
    socket,
    ownerWith({
      take: record("take"),
      ended: record("ended"),
      drained: record("drained"),
      closed: record("closed"),
    }),
    batch,
  );
  reading.stop();
  socket.on("error", () => {}).resume();
  client.end("last");
  await once(socket, "close");
  expect(received).toEqual([]);
  expect(Object.getOwnPropertySymbols(socket).map((key) => Reflect.get(socket, key))).not.toContain(reading);
});
