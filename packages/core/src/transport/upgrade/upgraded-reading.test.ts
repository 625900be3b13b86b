import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { systemClock } from "../../runtime/clock.ts";
import { ReadBatch } from "../hub/read-batch.ts";
import { UpgradedReading } from "./upgraded-reading.ts";

let server: Server;
let client: Socket;
let socket: Socket;

beforeEach(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  client = connect(port, "127.0.0.1");
  [socket] = (await once(server, "connection")) as [Socket];
  void new UpgradedReading(socket, new ReadBatch(systemClock));
});

afterEach(() => {
  client.destroy();
  socket.destroy();
  server.close();
});

test("new bytes are delivered after the buffered bytes of a paused socket", async () => {
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
  socket.pause();
  socket.push(Buffer.from("first "));
  socket.resume(); // it flows from now on, but emits what it has buffered in the next tick
  socket.push(Buffer.from("second"));
  await new Promise(setImmediate);
  expect(received).toBe("first second");
});

test("a socket with an encoding emits strings, even if a chunk splits a character", async () => {
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
  const bytes = Buffer.from("é");
  socket.push(bytes.subarray(0, 1));
  socket.push(bytes.subarray(1));
  await new Promise(setImmediate);
  expect(received).toBe("é");
});

test("all bytes of a client arrive, then its end", async () => {
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
  client.end("hello");
  await once(socket, "end");
  expect(received).toBe("hello");
});
