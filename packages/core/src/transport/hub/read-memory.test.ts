import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import fc from "fast-check";
import { readIntoSharedMemory } from "./read-memory.ts";

let server: Server;
let port: number;

beforeEach(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as { port: number });
});

afterEach(() => void server.close());

/** Both ends of a new connection, the server's with shared memory. */
const open = async (): Promise<{ client: Socket; socket: Socket } & Disposable> => {
  const client = connect({ port, host: "127.0.0.1", noDelay: true });
  const [socket] = (await once(server, "connection")) as [Socket];
  readIntoSharedMemory(socket);
  client.on("error", () => {});
  socket.on("error", () => {});
  const close = (): void => {
    client.destroy();
    socket.destroy();
  };
  return { client, socket, [Symbol.dispose]: close };
};

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const read = async (socket: Socket, length: number): Promise<Buffer[]> => {
  const chunks: Buffer[] = [];
  let got = 0;
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    got += chunk.length;
  });
  while (got < length && !socket.destroyed) await turn();
  return chunks;
};

test("a short read uses Node's pool of small buffers, not a separate ArrayBuffer", async () => {
  using pair = await open();
  pair.client.write("GET / HTTP/1.1\r\n\r\n");
  const [chunk] = await read(pair.socket, 18);
  expect(chunk?.buffer.byteLength).toBe(Buffer.allocUnsafe(1).buffer.byteLength);
});

test("a long read has its own ArrayBuffer", async () => {
  using pair = await open();
  pair.client.write(Buffer.alloc(20_000, 1));
  const chunks = await read(pair.socket, 20_000);
  const long = chunks.filter(({ length }) => length > 4096);
  expect(long.length).toBeGreaterThan(0);
  for (const { buffer, length } of long) expect(buffer.byteLength).toBe(length);
});

test("stored bytes do not change when other connections read", async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(sizes, { minLength: 2, maxLength: 5 }), async (connections) => {
      const sent = connections.map((lengths, at) =>
        lengths.map((length, index) => Buffer.alloc(length, 16 * at + index + 1)),
      );
      using stack = new DisposableStack();
      const pairs: Awaited<ReturnType<typeof open>>[] = [];
      for (const _connection of sent) pairs.push(stack.use(await open()));
      const reads = pairs.map(({ socket }, at) => read(socket, Buffer.concat(sent[at] ?? []).length));
      for (let round = 0; round < 12; round++) {
        for (const [at, { client }] of pairs.entries()) {
          const piece = sent[at]?.[round];
          if (piece !== undefined) client.write(piece);
        }
        await turn();
      }
      for (const [at, chunks] of (await Promise.all(reads)).entries())
        expect(Buffer.concat(chunks).equals(Buffer.concat(sent[at] ?? []))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("a paused socket still notices that its client has disconnected", async () => {
  using pair = await open();
  pair.socket.resume();
  pair.client.write("first");
  while (pair.socket.bytesRead < 5) await turn();
  pair.socket.pause();
  const closed = new Promise<void>((resolve) => void pair.socket.on("close", () => resolve()));
  pair.client.resetAndDestroy();
  await closed;
  expect(pair.socket.isPaused()).toBe(true);
});

test("a closed socket is ignored", async () => {
  using pair = await open();
  pair.socket.destroy();
  await once(pair.socket, "close");
  expect(() => readIntoSharedMemory(pair.socket)).not.toThrow();
});
