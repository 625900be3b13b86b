import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { App, Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import { cacheTags, caching, memoryStore, type StoredReply } from "../index.ts";

const reply = (): StoredReply => ({
  kind: "reply",
  id: "1",
  status: 200,
  fields: [],
  body: "",
  bodyBytes: 0,
  bornMs: 0,
  freshMs: 1,
  staleMs: 0,
  errorMs: 0,
  validates: false,
  shareable: false,
  isImplicit: false,
  hasOwnTag: false,
  tags: [],
});

/** Collects garbage, so that memory measurements are comparable. */
const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

const memoryInUse = async (): Promise<number> => {
  collectGarbage();
  await new Promise(setImmediate); // web objects are finalized in the next event loop iteration
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

test("60,000 keys use no more memory than a full store", async () => {
  const store = memoryStore({ clock: { now: () => 0 } });
  const held = reply();
  const fill = (from: number, count: number) => {
    for (let index = from; index < from + count; index++) {
      store.set(`http://localhost/${index}?`, held, { holdMs: 1e9, tags: [`p:/${index}`] });
    }
  };
  fill(0, 15_000);
  const before = await memoryInUse();
  fill(15_000, 45_000);
  expect((await memoryInUse()) - before).toBeLessThan(10_000_000); // more than 22 MB if entries were kept
  expect(store.size()).toMatchObject({ entries: 10_000, evictions: 50_000 });
  expect(store.drop(["p:/0", "p:/59998"])).toBe(1);
  expect(store.get("http://localhost/59999?")).toBe(held);
  expect(store.get("http://localhost/49999?")).toBeUndefined();
});

test("a full store uses about maxBytes of the process's memory, for any kind of reply", async () => {
  const maxBytes = 4_194_304;
  const kinds: Readonly<Record<string, (index: number) => unknown>> = {
    "short text": (index) => `reply ${index}`,
    "text with two bytes per character": (index) => `${"x".repeat(1000)}\u{1F600}${index}`,
    bytes: () => new Uint8Array(100),
    "a slice of a large text": (index) => `${index}${"x".repeat(20_000)}`.slice(0, 200),
    "fields that are slices of a large text": (index) =>
      new Response("x", { headers: { etag: `"${index}${"x".repeat(20_000)}`.slice(0, 100) + '"' } }),
    tags: (index) => cacheTags(new Response("x"), `one ${index}`, `two ${index}`, `three ${index}`),
  };
  for (const [name, make] of Object.entries(kinds)) {
    const app = new (App.with(caching))().enableCaching({ maxBytes, maxEntries: 1_000_000 });
    app.get("/{index}", (request) => make(Number(request.params.index)));
    const metrics = () => app.snapshot()["cache"] as { evictions: number };
    for (let round = 0; round < 100; round++) await app.fetch(new Request("http://localhost/0"));
    const before = await memoryInUse();
    for (let index = 1; metrics().evictions === 0; index++)
      await (await app.fetch(new Request(`http://localhost/${index}`))).bytes();
    const share = ((await memoryInUse()) - before) / maxBytes;
    expect([name, share > 0.4 && share < 1.25 ? "within" : share]).toEqual([name, "within"]);
    await app.stop();
  }
});
