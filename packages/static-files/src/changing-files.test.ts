import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Socket } from "node:net";
import type { TransportName } from "@framework/core";
import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { sendRaw, openRaw, readRaw } from "./raw-requests.test-kit.ts";
import { canary, openBelow, servedApp } from "./served-app.test-kit.ts";

/** Larger than the buffers of a socket. */
const size = 24 * 1_048_576;
const old = Buffer.alloc(size, "old content. ");

const serveTree = async (transport: TransportName) => {
  const { app, root } = servedApp({
    "big.bin": old,
    "small.txt": "small",
    "index.html": "index",
    outside: canary,
  });
  const client = socketClient(app, { transport });
  await client.get("/static/small.txt");
  const openFiles = () => (app.snapshot()["static-files"] as { openFiles: number }).openFiles;
  const allClosed = () =>
    waitFor(() => openFiles() === 0 && openBelow(root).length === 0, { subject: "all files closed" });
  return { app, root, client, url: await client.url("/"), file: join(root, "big.bin"), openFiles, allClosed };
};

/** Starts a request and does not read the reply: the file is open and mostly unsent. */
const startUnread = async (url: string): Promise<Socket> => {
  const socket = openRaw(url, "/static/big.bin");
  await new Promise<void>((resolve) => socket.once("readable", resolve));
  return socket;
};

for (const transport of ["fast", "node"] as const) {
  test(`a file that is truncated while it is sent closes the connection (${transport} transport)`, async () => {
    const { client, url, file, allClosed } = await serveTree(transport);
    await using _client = client;
    const socket = await startUnread(url);
    truncateSync(file, 1_048_576);
    const reply = await readRaw(socket);
    expect(reply.head).toContain(`content-length: ${size}`);
    expect(reply.body.length).toBeLessThan(size);
    expect(reply.body).not.toContain("Short");
    await allClosed();
    expect((await client.get("/static/small.txt")).text).toBe("small");
  });

  test(`a file that grows or is replaced while it is sent keeps its old content (${transport} transport)`, async () => {
    const { client, url, root, file, allClosed } = await serveTree(transport);
    await using _client = client;
    const socket = await startUnread(url);
    appendFileSync(file, "more");
    writeFileSync(join(root, "next.bin"), "new");
    renameSync(join(root, "next.bin"), file);
    const reply = await readRaw(socket);
    expect(reply.body.length).toBe(size);
    expect(Buffer.from(reply.body, "latin1").equals(old)).toBe(true);
    expect((await client.get("/static/big.bin")).text).toBe("new");
    await allClosed();
  });

  test(`a client that does not read pauses the file's reads, and a disconnect closes the file (${transport} transport)`, async () => {
    const { client, url, root, openFiles, allClosed } = await serveTree(transport);
    await using _client = client;
    const before = process.memoryUsage().rss;
    const sockets = await Promise.all(Array.from({ length: 10 }, () => startUnread(url)));
    await waitFor(() => openFiles() === 10);
    expect(openBelow(root)).toHaveLength(10);
    expect(process.memoryUsage().rss - before).toBeLessThan(5 * size); // of ten times the size
    for (const socket of sockets) socket.destroy();
    await allClosed();
    for (let round = 0; round < 100; round++) {
      const socket = openRaw(url, "/static/big.bin");
      socket.once("connect", () => setImmediate(() => socket.destroy())); // while the file is being opened
      await new Promise((resolve) => socket.once("close", resolve));
    }
    await client.get("/static/small.txt");
    await allClosed();
  });

  test(`every reply closes its file: whole, ranges, without body, rejected (${transport} transport)`, async () => {
    const { client, url, root, allClosed } = await serveTree(transport);
    await using _client = client;
    const etag = (await client.head("/static/big.bin")).headers.get("etag") ?? "";
    const requests: readonly (readonly [method: string, fields: readonly string[], status: number])[] = [
      ["GET", [], 200],
      ["HEAD", [], 200],
      ["GET", ["range: bytes=0-0"], 206],
      ["GET", ["range: bytes=0-0,9-9"], 206],
      ["GET", ["range: bytes=0-99999,200000-"], 206],
      ["GET", [`range: bytes=${size}-`], 416],
      ["GET", [`if-none-match: ${etag}`], 304],
      ["HEAD", [`if-none-match: ${etag}`], 304],
      ["GET", ['if-match: "x"'], 412],
    ];
    for (const [method, fields, status] of requests)
      expect([fields, (await sendRaw(url, "/static/big.bin", fields, method)).status]).toEqual([
        fields,
        status,
      ]);
    for (const path of ["/static", "/static/", "/static/small.txt", "/static/none"]) await sendRaw(url, path);
    await allClosed();
    rmSync(root, { recursive: true });
    expect((await sendRaw(url, "/static/small.txt")).status).toBe(404);
  });
}

test("a file that is opened after the deadline of its request is closed", async () => {
  const { app, root } = servedApp({ "big.bin": new Uint8Array(1_000_000) });
  const expired: unknown[] = [];
  app.use((request, next) => {
    const reply = next(request);
    request.abort(new Error("too late")); // like a deadline, while the file is being opened
    expired.push(request.signal.reason);
    return reply;
  });
  await app.fetch(new Request("http://localhost/static/big.bin"));
  expect(expired).toHaveLength(1);
  await waitFor(() => openBelow(root).length === 0);
});
