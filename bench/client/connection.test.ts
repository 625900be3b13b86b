import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { Connection } from "./connection.ts";

const REPLY = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

/** Opens a connection to a server that handles each request of a socket with the next handler. */
const connect = async (...handlers: readonly ((socket: Socket) => void)[]) => {
  const server = createServer((socket) => {
    let turn = 0;
    socket.on("data", () => handlers[turn++]?.(socket));
    socket.on("error", () => {}); // the client resets connections when it disconnects
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connection = new Connection(port);
  return {
    connection,
    server,
    async [Symbol.asyncDispose]() {
      connection.close();
      server.close();
      await once(server, "close");
    },
  };
};

const writes =
  (text: string) =>
  (socket: Socket): void =>
    void socket.write(text);
const resets = (socket: Socket): void => void socket.resetAndDestroy();

test("returns complete replies with their size in bytes, and reuses the connection", async () => {
  await using peer = await connect(writes(REPLY), writes(REPLY));
  for (const replies of [1, 2]) {
    const outcome = await peer.connection.exchange({ path: "/" });
    expect(outcome).toMatchObject({ kind: "reply", reply: { status: 200, body: "hi", closes: false } });
    expect(outcome).toHaveProperty("reply.bytes", REPLY.length);
    expect(peer.connection).toMatchObject({ replies, usable: true });
  }
});

test.each([
  ["reset, fresh connection", [resets]],
  ["reset, reused connection", [writes(REPLY), resets]],
  ["reset within the reply", [(socket: Socket) => socket.end(REPLY.slice(0, -1))]],
  ["reset within the reply", [(socket: Socket) => socket.end(REPLY.slice(0, 20))]],
  ["malformed reply", [writes("HTP/1.1 200 OK\r\n\r\n")]],
])("reports the kind of a failure: %s", async (kind, handlers) => {
  await using peer = await connect(...handlers);
  for (const _earlier of handlers.slice(1)) await peer.connection.exchange({ path: "/" });
  expect(await peer.connection.exchange({ path: "/" })).toHaveProperty("kind", kind);
  expect(peer.connection.usable).toBe(false);
});

test("reports a refused connection", async () => {
  const peer = await connect();
  await peer[Symbol.asyncDispose]();
  expect(await peer.connection.exchange({ path: "/" })).toHaveProperty("kind", "refused");
});

test("a reply with Connection: close makes the connection unusable", async () => {
  await using peer = await connect(writes(REPLY.replace("\r\n", "\r\nConnection: close\r\n")));
  expect(await peer.connection.exchange({ path: "/" })).toMatchObject({ reply: { closes: true } });
  expect(peer.connection.usable).toBe(false);
});

test("disconnects once an incomplete request is sent, or when the reply begins", async () => {
  await using silent = await connect();
  const part = { path: "/", body: '{"a', fields: { "Content-Length": "9" } };
  expect(await silent.connection.disconnect(part, "sent")).toEqual({ kind: "disconnected" });
  expect(silent.connection.usable).toBe(false);
  await using endless = await connect(writes(REPLY.replace("Length: 2", "Length: 200")));
  expect(await endless.connection.disconnect({ path: "/" }, "first byte")).toEqual({ kind: "disconnected" });
});
