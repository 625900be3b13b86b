import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { App } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { ServedFolder } from "./served-folder.ts";
import { canary, makeTree, openBelow, servedApp } from "./served-app.test-kit.ts";

/** Runs `change` every few turns of the event loop until `work` has ended, and returns its result. */
const runDuringChanges = async <T>(
  turns: number,
  change: (round: number) => void,
  work: () => Promise<T>,
): Promise<T> => {
  let hasEnded = false;
  const running = (async () => {
    for (let round = 0; !hasEnded; round++) {
      change(round);
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    }
  })();
  try {
    return await work();
  } finally {
    hasEnded = true;
    await running;
  }
};

/** Replaces a file or a link atomically, as deployments do. */
const replace = (path: string, create: (next: string) => void): void => {
  const next = `${dirname(dirname(path))}/next`;
  create(next);
  renameSync(next, path);
};

/**
 * Returns the distinct results of at least `count` requests for one file: the body of a 200, else the status. Changes may synchronise with the requests, which
 * makes a result rare, so requests continue until each expected result has been seen.
 */
const requestRepeatedly = async (
  app: App,
  path: string,
  count: number,
  expected: readonly string[],
): Promise<readonly string[]> => {
  const seen = new Set<string>();
  const sendOne = async (): Promise<void> => {
    const reply = await app.fetch(new Request(`http://localhost/static/${path}`));
    seen.add(reply.status === 200 ? await reply.text() : String(reply.status));
  };
  for (let index = 0; index < count; index++) await sendOne();
  await waitFor(() => sendOne().then(() => expected.every((result) => seen.has(result))), {
    subject: `the results ${expected.join(" and ")}`,
  });
  return [...seen].sort();
};

test("a name that alternates between a file and a link to the outside never exposes the outside", async () => {
  const root = makeTree({ "public/a.txt": "inside", "canary.txt": canary });
  const { app } = servedApp({}, { directory: join(root, "public") });
  const swap = (round: number): void =>
    replace(join(root, "public/a.txt"), (next) => {
      if (round % 2 === 0) symlinkSync("../canary.txt", next);
      else writeFileSync(next, "inside");
    });
  const results = ["404", "inside"];
  expect(await runDuringChanges(10, swap, () => requestRepeatedly(app, "a.txt", 250, results))).toEqual(
    results,
  );
  expect(openBelow(root)).toEqual([]);
});

/** A folder, and a function that swaps it with a link to another one that contains the canary. */
const swappedFolder = () => {
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
  const { root, exchange } = swappedFolder();
  const { app } = servedApp({}, { directory: join(root, "public") });
  const results = ["404", "inside"];
  const seen = await runDuringChanges(1, exchange, () =>
    Promise.all(Array.from({ length: 6 }, () => requestRepeatedly(app, "sub/a.txt", 80, results))),
  );
  expect([...new Set(seen.flat())].sort()).toEqual(results);
  expect(openBelow(root)).toEqual([]);
});

test("a file that is replaced repeatedly is served to every request", async () => {
  const { app, root } = servedApp({ "public/a.txt": "one" });
  const write = (round: number): void =>
    replace(join(root, "public/a.txt"), (next) => writeFileSync(next, round % 2 === 0 ? "two" : "one"));
  const results = ["one", "two"];
  expect(
    await runDuringChanges(200, write, () => requestRepeatedly(app, "public/a.txt", 300, results)),
  ).toEqual(results);
  expect(openBelow(root)).toEqual([]);
});

/** A served folder on a system that does not report the path of an open file. */
const readWithoutPaths = async (directory: string) => {
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
  const read = await readWithoutPaths(join(root, "public"));
  expect([await read("a.txt"), await read("sub", "b.txt"), await read("inner")]).toEqual([
    "inside",
    "b",
    "inside",
  ]);
  expect([await read("sub"), await read("out"), await read("none")]).toEqual(["folder", null, null]);
  expect(await read("..", "canary.txt")).toBeNull();
  expect(openBelow(root)).toEqual([]);
});

test("a system that does not report the path of an open file exposes nothing of a folder that is swapped with a link to the outside during a lookup", async () => {
  const { root, exchange } = swappedFolder();
  const read = await readWithoutPaths(join(root, "public"));
  const seen = new Set<string | null>();
  for (let round = 0; round < 500; round++) {
    const reading = read("sub", "a.txt");
    // One swap per lookup, at every point of it: the system cannot detect several at the same moment.
    for (let turn = 0; turn < round % 20; turn++) await new Promise(setImmediate);
    exchange(round);
    seen.add(await reading);
  }
  expect([...seen].filter((text) => text !== null)).toEqual(["inside"]);
  expect(openBelow(root)).toEqual([]);
});
