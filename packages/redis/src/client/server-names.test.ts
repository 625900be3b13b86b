import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { openRedis } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const long = { timeoutMs: 60_000 };
/** Type of the first record of a TLS connection. */
const HANDSHAKE = 0x16;

/** A port whose connections are cut after their first bytes: for TLS the ClientHello, which has the server name. */
const startListener = async () => {
  const hellos: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (bytes: Buffer) => {
      hellos.push(bytes);
      socket.destroy();
    });
  }).listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, hellos, [Symbol.dispose]: () => void server.close() };
};

test.each([
  ["127.0.0.1", false],
  ["localhost", true],
])("TLS to %s sends the server name: %p", async (host, isNamed) => {
  using server = await startListener();
  const client = openRedis({ url: `rediss://${host}:${server.port}` }, { log: quiet });
  await expect(client.redis.ping()).rejects.toMatchObject({ code: "REDIS_UNAVAILABLE" });
  await waitFor(() => server.hellos.length > 0, long);
  expect([server.hellos[0]?.[0], server.hellos[0]?.includes(host)]).toEqual([HANDSHAKE, isNamed]);
  await client.close();
});

test("each node of a cluster gets its own server name, not that of the first node", async () => {
  using named = await startListener();
  using unnamed = await startListener();
  const nodes = `rediss://localhost:${named.port},rediss://127.0.0.1:${unnamed.port}`;
  const client = openRedis({ url: nodes, clusterMode: true }, { log: quiet });
  const pinged = client.redis.ping().catch(() => {});
  await waitFor(() => named.hellos.length > 0 && unnamed.hellos.length > 0, long);
  const isNamed = [named, unnamed].map(({ hellos }) => hellos[0]?.includes("localhost"));
  expect(isNamed).toEqual([true, false]);
  await client.close();
  await pinged;
});
