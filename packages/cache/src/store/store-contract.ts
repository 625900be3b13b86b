import assert from "node:assert/strict";
import type { Awaitable } from "@framework/core";
import { type PortContract, portContract, type PortFacts, type PortFixture } from "@framework/core/testing";
import type { CacheEntry, CacheStore, SetOptions, StoredReply } from "./cache-store.ts";

const HOLD_MS = 10_000;

const reply = (id: string, change: Partial<StoredReply> = {}): StoredReply => ({
  kind: "reply",
  id,
  status: 200,
  fields: ["content-type", "text/plain", "x-name", "ä \t;,"],
  body: "body",
  bodyBytes: 4,
  bornMs: 1_767_225_600_000.25,
  freshMs: 300_000,
  staleMs: 0,
  errorMs: 0.5,
  validates: false,
  shareable: true,
  isImplicit: true,
  hasOwnTag: false,
  tags: ["p:/", "t:a"],
  bodyTags: 1,
  ...change,
});

const put = (
  store: CacheStore,
  key: string,
  entry: CacheEntry,
  options: Partial<SetOptions> = {},
): Awaitable<boolean> =>
  store.set(key, entry, { holdMs: HOLD_MS, tags: entry.kind === "reply" ? entry.tags : [], ...options });

const bodies: readonly (string | Uint8Array | null)[] = [
  null,
  "",
  "text \u{1F600} \u0000",
  new Uint8Array(),
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
];

const facts: PortFacts<PortFixture<CacheStore>> = {
  "every entry reads back equal in the other view": async ({ views: [a, b] }) => {
    for (const [index, body] of bodies.entries()) {
      const entry = reply(`${index}`, { body });
      assert.equal(await put(a, `key-${index}`, entry), true);
      const found = (await b.get(`key-${index}`)) as StoredReply;
      assert.deepEqual({ ...found, body: plain(found.body) }, { ...entry, body: plain(body) });
    }
    const varies: CacheEntry = { kind: "varies", id: "v", names: ["accept", "x-é"], untilMs: 1.5 };
    await put(a, "varies", varies);
    assert.deepEqual(await b.get("varies"), varies);
    assert.equal(await b.get("absent"), undefined);
  },
  "a second set replaces the entry": async ({ views: [a, b] }) => {
    await put(a, "key", reply("1"));
    await put(b, "key", reply("2", { tags: ["t:b"] }));
    assert.equal((await a.get("key"))?.id, "2");
    assert.equal(await a.drop(["t:a"]), 0);
    assert.equal(await a.drop(["t:b"]), 1);
  },
  "an expired entry is neither returned nor counted by drop": async ({ views: [a, b], advance }) => {
    await put(a, "short", reply("1"), { holdMs: 300 });
    await put(a, "long", reply("2"), { holdMs: 5000 });
    await advance(400);
    assert.equal(await b.get("short"), undefined);
    assert.equal((await b.get("long"))?.id, "2");
    assert.equal(await b.drop(["t:a"]), 1);
  },
  "set with replaces stores only if the current entry has that id": async ({ views: [a, b], advance }) => {
    assert.equal(await put(a, "key", reply("2"), { replaces: "1" }), false);
    assert.equal(await a.get("key"), undefined);
    await put(a, "key", reply("1"), { holdMs: 300 });
    assert.equal(await put(b, "key", reply("2"), { replaces: "1", holdMs: 300 }), true);
    assert.equal(await put(b, "key", reply("3"), { replaces: "1" }), false);
    assert.equal((await a.get("key"))?.id, "2");
    await advance(400);
    assert.equal(await put(a, "key", reply("4"), { replaces: "2" }), false);
  },
  "exactly one of several concurrent replacements succeeds": async ({ views: [a, b] }) => {
    await put(a, "key", reply("0"));
    const done = await Promise.all(
      [a, b, a, b].map(async (view, index) => put(view, "key", reply(`next-${index}`), { replaces: "0" })),
    );
    assert.equal(done.filter(Boolean).length, 1);
    assert.equal((await b.get("key"))?.id, `next-${done.indexOf(true)}`);
  },
  "delete resolves to whether there was an entry": async ({ views: [a, b] }) => {
    await put(a, "key", reply("1"));
    assert.equal(await b.delete("key"), true);
    assert.equal(await b.delete("key"), false);
    assert.equal(await a.get("key"), undefined);
    assert.equal(await a.drop(["t:a"]), 0);
  },
  "drop removes every entry with a tag and counts each reply once": async ({ views: [a, b] }) => {
    await put(a, "1", reply("1", { tags: ["t:a", "t:b"] }));
    await put(a, "2", reply("2", { tags: ["t:b"] }));
    await put(a, "3", reply("3", { tags: ["t:c"] }));
    await put(a, "v", { kind: "varies", id: "v", names: ["accept"], untilMs: 1 }, { tags: ["t:a"] });
    assert.equal(await b.drop(["t:a", "t:b", "t:unused"]), 2);
    const remaining = await Promise.all(["1", "2", "3", "v"].map(async (key) => (await a.get(key))?.id));
    assert.deepEqual(remaining, [undefined, undefined, "3", undefined]);
    assert.equal(await b.drop(["t:a", "t:b"]), 0);
    assert.equal(await b.drop([]), 0);
  },
  "keys and tags can be any text": async ({ views: [a, b] }) => {
    for (const text of [
      "__proto__",
      "constructor",
      " ",
      "{a}*?[",
      "\u0000",
      "é\u{1F600}",
      "x".repeat(8000),
    ]) {
      await put(a, text, reply(text, { tags: [text.slice(0, 1000)] }));
      assert.equal((await b.get(text))?.id, text);
      assert.equal(await b.drop([text.slice(0, 1000)]), 1);
    }
  },
};

/** Converts bytes to numbers: adapters may return any kind of byte array. */
const plain = (body: string | Uint8Array | null): unknown => (body instanceof Uint8Array ? [...body] : body);

/** Contract suite for implementations of `CacheStore`. */
export const cacheStoreContract: PortContract<PortFixture<CacheStore>> = portContract("cache store", facts);
