import { appendFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Socket } from "node:net";
import type { App, TransportName } from "@framework/core";
import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { askRaw, openRaw, readRaw } from "./raw-requests.test-kit.ts";
import { ServedFolder } from "./served-folder.ts";
import { canary, makeTree, openBelow, servedApp } from "./served-app.test-kit.ts";

/** Larger than the buffers of a socket. */
const size = 24 * 1_048_576;
const old = Buffer.alloc(size, "old content. ");

const served = async (transport: TransportName) => {
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
    waitFor(() => openFiles() === 0 && openBelow(root).length === 0, { what: "all files closed" });
  return { app, root, client, url: await client.url("/"), file: join(root, "big.bin"), openFiles, allClosed };
};

/** A request whose reply has begun but is not read: the file is open and mostly unsent. */
const begun = async (url: string): Promise<Socket> => {
  const socket = openRaw(url, "/static/big.bin");
  await new Promise<void>((resolve) => socket.once("readable", resolve));
  return socket;
};

for (const transport of ["fast", "node"] as const) {
  test(`a file that is truncated while it is sent closes the connection (${transport} transport)`, async () => {
    const { client, url, file, allClosed } = await served(transport);
    await using _client = client;
    const socket = await begun(url);
    truncateSync(file, 1_048_576);
    const reply = await readRaw(socket);
    expect(reply.head).toContain(`content-length: ${size}`);
    expect(reply.body.length).toBeLessThan(size);
    expect(reply.body).not.toContain("Short");
    await allClosed();
    expect((await client.get("/static/small.txt")).text).toBe("small");
  });

  test(`a file that grows or is replaced while it is sent keeps its old content (${transport} transport)`, async () => {
    const { client, url, root, file, allClosed } = await served(transport);
    await using _client = client;
    const socket = await begun(url);
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
    const { client, url, root, openFiles, allClosed } = await served(transport);
    await using _client = client;
    const before = process.memoryUsage().rss;
    const sockets = await Promise.all(Array.from({ length: 10 }, () => begun(url)));
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
    const { client, url, root, allClosed } = await served(transport);
    await using _client = client;
    const etag = (await client.head("/static/big.bin")).headers.get("etag") ?? "";
    const asks: readonly (readonly [method: string, fields: readonly string[], status: number])[] = [
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
    for (const [method, fields, status] of asks)
      expect([fields, (await askRaw(url, "/static/big.bin", fields, method)).status]).toEqual([
        fields,
        status,
      ]);
    for (const path of ["/static", "/static/", "/static/small.txt", "/static/none"]) await askRaw(url, path);
    await allClosed();
    rmSync(root, { recursive: true });
    expect((await askRaw(url, "/static/small.txt")).status).toBe(404);
  });
}

/** Runs `change` every few turns of the event loop, until stopped. */
const meanwhile = (turns: number, change: (round: number) => void) => {
  let isOver = false;
  const running = (async () => {
    for (let round = 0; !isOver; round++) {
      change(round);
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    }
  })();
  return async () => {
    isOver = true;
    await running;
  };
};

/** Replaces a file or a link atomically, as deployments do. */
const replace = (place: string, make: (next: string) => void): void => {
  const next = `${dirname(dirname(place))}/next`;
  make(next);
  renameSync(next, place);
};

/** Results of `count` requests for one file: bodies of 200, other statuses. */
const look = async (app: App, path: string, count: number): Promise<readonly string[]> => {
  const seen = new Set<string>();
  for (let index = 0; index < count; index++) {
    const reply = await app.fetch(new Request(`http://localhost/static/${path}`));
    seen.add(reply.status === 200 ? await reply.text() : String(reply.status));
  }
  return [...seen].sort();
};

test("a name that alternates between a file and a link to the outside never exposes the outside", async () => {
  const root = makeTree({ "public/a.txt": "inside", "canary.txt": canary });
  const { app } = servedApp({}, { directory: join(root, "public") });
  const stop = meanwhile(10, (round) =>
    replace(join(root, "public/a.txt"), (next) => {
      if (round % 2 === 0) symlinkSync("../canary.txt", next);
      else writeFileSync(next, "inside");
    }),
  );
  const seen = await look(app, "a.txt", 250);
  await stop();
  expect(seen).toEqual(["404", "inside"]);
  expect(openBelow(root)).toEqual([]);
});

/** A folder, and a function that swaps it with a link to another one that contains the canary. */
const exchangedFolder = () => {
  const root = makeTree({
    "public/sub/a.txt": "inside",
    "outside/a.txt": canary,
    link: { link: "../outside" },
  });
  const [sub, parked, link] = [join(root, "public/sub"), join(root, "parked"), join(root, "link")];
  const exchange = (round: number): void => {
    const [away, here] = round % 2 === 0 ? [parked, link] : [link, parked];
    renameSync(sub, away);
    renameSync(here, sub);
  };
  return { root, exchange };
};

test("a folder that is swapped with a link to the outside never exposes the outside", async () => {
  const { root, exchange } = exchangedFolder();
  const { app } = servedApp({}, { directory: join(root, "public") });
  const stop = meanwhile(1, exchange);
  const seen = await Promise.all(Array.from({ length: 6 }, () => look(app, "sub/a.txt", 80)));
  await stop();
  expect([...new Set(seen.flat())].sort()).toEqual(["404", "inside"]);
  expect(openBelow(root)).toEqual([]);
});

test("a file that is replaced repeatedly is served to every request", async () => {
  const { app, root } = servedApp({ "public/a.txt": "one" });
  const stop = meanwhile(200, (round) =>
    replace(join(root, "public/a.txt"), (next) => writeFileSync(next, round % 2 === 0 ? "two" : "one")),
  );
  const seen = await look(app, "public/a.txt", 300);
  await stop();
  expect(seen).toEqual(["one", "two"]);
  expect(openBelow(root)).toEqual([]);
});

/** A served folder on a system that does not report the path of an open file. */
const readBlindly = async (directory: string) => {
  const folder = new ServedFolder(directory, () => Promise.resolve(null));
  await folder.open();
  return async (...names: string[]): Promise<string | null> => {
    const found = await folder.find(names);
    if (found === null || found === "folder") return found;
    const bytes = new Uint8Array(found.size);
    await found.read(bytes, 0);
    await found.close();
    return new TextDecoder().decode(bytes);
  };
};

test("a system that does not report the path of an open file serves the same files", async () => {
  const root = makeTree({
    "public/a.txt": "inside",
    "public/sub/b.txt": "b",
    "public/inner": { link: "a.txt" },
    "public/out": { link: "../canary.txt" },
    "canary.txt": canary,
  });
  const read = await readBlindly(join(root, "public"));
  expect([await read("a.txt"), await read("sub", "b.txt"), await read("inner")]).toEqual([
    "inside",
    "b",
    "inside",
  ]);
  expect([await read("sub"), await read("out"), await read("none")]).toEqual(["folder", null, null]);
  expect(await read("..", "canary.txt")).toBeNull();
  expect(openBelow(root)).toEqual([]);
});

test("and exposes nothing of a folder that is swapped with a link to the outside during a lookup", async () => {
  const { root, exchange } = exchangedFolder();
  const read = await readBlindly(join(root, "public"));
  const seen = new Set<string | null>();
  for (let round = 0; round < 500; round++) {
    const reading = read("sub", "a.txt");
    // One swap per lookup, at every point of it: such a system cannot detect several at the same moment.
    for (let turn = 0; turn < round % 20; turn++) await new Promise(setImmediate);
    exchange(round);
    seen.add(await reading);
  }
  expect([...seen].filter((text) => text !== null)).toEqual(["inside"]);
  expect(openBelow(root)).toEqual([]);
});

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
