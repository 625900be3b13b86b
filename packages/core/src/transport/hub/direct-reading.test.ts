import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { readDirectly } from "./direct-reading.ts";

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

const eventually = async (holds: () => boolean): Promise<void> => {
  while (!holds() && !socket.destroyed) await new Promise((resolve) => setImmediate(resolve));
  expect(holds()).toBe(true);
};

/** Records the received bytes and the path that delivered them. */
const watch = () => {
  const seen: string[] = [];
  let emitted = 0;
  let text = "";
  const take = (chunk: Buffer): void => {
    text += chunk.toString("latin1");
    seen.push(chunk.toString("latin1"));
  };
  const reading = readDirectly(socket, take);
  socket.on("data", (chunk: Buffer) => {
    emitted++;
    take(chunk);
  });
  return { seen, text: () => text, emitted: () => emitted, stop: reading.stop };
};

test("delivers bytes without emitting them", async () => {
  const { text, emitted } = watch();
  client.write("one");
  await eventually(() => text() === "one");
  client.write("two");
  await eventually(() => text() === "onetwo");
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
    if (at % 10 === 5) await eventually(() => socket.readableLength > 0);
    if (at % 10 === 7) socket.resume();
    if (at % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  socket.resume();
  await eventually(() => text().length === given.length);
  expect(text()).toBe(given);
});

test("stops reading from the system when a paused socket has buffered enough", async () => {
  const { text } = watch();
  socket.pause();
  const sent = 8_000_000;
  client.write("x".repeat(sent));
  await eventually(() => socket.readableLength >= socket.readableHighWaterMark);
  expect(socket.readableLength).toBeLessThan(sent / 4);
  socket.resume();
  await eventually(() => text().length === sent);
});

test("leaves the end to the socket, and all events after it was stopped", async () => {
  const { text, emitted, stop } = watch();
  stop();
  client.end("last");
  await once(socket, "end");
  expect([text(), emitted()]).toStrictEqual(["last", 1]);
});

test("holds the end back from a paused socket until it is delivered", async () => {
  let may = false;
  let ended = false;
  const reading = readDirectly(
    socket,
    () => {},
    () => may,
  );
  socket.on("end", () => (ended = true));
  socket.resume();
  client.end("last");
  await once(client, "finish");
  await eventually(() => socket.bytesRead === 4);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(ended).toBe(false);
  may = true;
  reading.deliverEnd();
  await eventually(() => ended);
});
