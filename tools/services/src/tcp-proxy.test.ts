import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { startProxy } from "./tcp-proxy.ts";

/** Starts a server that echoes each chunk. */
const startEcho = async () => {
  const server = createServer((socket) => void socket.on("error", () => {}).pipe(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
};

const open = async (address: string): Promise<Socket> => {
  const { hostname, port } = new URL(address.includes("://") ? address : `tcp://${address}`);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket;
};

const sendAndReceive = async (socket: Socket, text: string): Promise<string> => {
  socket.write(text);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return chunk.toString();
};

test("bytes pass, until the connections are dropped", async () => {
  await using echo = await startEcho();
  await using proxy = await startProxy(echo.address);
  const socket = await open(proxy.url);
  expect(await sendAndReceive(socket, "hello")).toBe("hello");
  expect(proxy.accepted).toBe(1);
  proxy.drop();
  await once(socket, "close");
});

test("a silent proxy keeps connections open and forwards nothing", async () => {
  await using echo = await startEcho();
  await using proxy = await startProxy(echo.address);
  const socket = await open(proxy.url);
  proxy.mode = "silent";
  socket.write("lost");
  const other = await open(echo.address);
  expect(await sendAndReceive(other, "a round trip of another connection")).toContain("round trip");
  proxy.mode = "pass";
  expect(await sendAndReceive(socket, "heard")).toBe("heard");
  other.destroy();
});

test("mode cut closes the connection at the next reply, once", async () => {
  await using echo = await startEcho();
  await using proxy = await startProxy(`tcp://${echo.address}`);
  const socket = await open(proxy.url);
  proxy.mode = "cut";
  socket.write("hello");
  await once(socket, "close");
  expect(proxy.mode).toBe("pass");
  expect(await sendAndReceive(await open(proxy.url), "again")).toBe("again");
});
