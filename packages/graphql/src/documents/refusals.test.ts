import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { library } from "../library.test-kit.ts";
import { type Attack, attacks, mistakes } from "./attacks.test-kit.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const name = (value: string): string => `{"query":"{ hello }","variables":{"name":${value}}}`;
const escaped = (text: string): string =>
  Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const tokens = "now ".repeat(1001);

type Body = readonly [name: string, body: string | Uint8Array<ArrayBuffer>, replyText: string];
const bodyOf = ({ name: title, query, replyText }: Attack): Body => [
  title,
  JSON.stringify({ query }),
  replyText,
];

/** Bodies that are refused before their document is parsed, and text that the reply contains. */
const bodies: readonly Body[] = [
  ...attacks.map(bodyOf),
  ["length", JSON.stringify({ query: `{ now } ${" ".repeat(50_000)}` }), "maxDocumentLength"],
  ["a batch", JSON.stringify(Array.from({ length: 1000 }, () => ({ query: "{ now }" }))), "Batches are not"],
  [
    "a batch of short queries",
    `[${Array.from({ length: 4000 }, () => '{"query":"a"}').join(",")}]`,
    "Batches are not",
  ],
  ["lists in variables", name(nested(30_000)), "nested deeper than 100 levels"],
  ["an unterminated string in variables", name(`"${"x".repeat(60_000)}`), "malformed"],
  ["a duplicate name", `{"query":"{ ${tokens} }","query":"{ now }"}`, "maxTokens"],
  ["unicode escapes", `{"query":"${escaped(`{ ${tokens} }`)}"}`, "maxTokens"],
  ["a body that is not UTF-8", Buffer.from(name(`"${"\xff".repeat(2000)}"`), "latin1"), "not valid UTF-8"],
  ["a body over the limit", name(`"${"x".repeat(70_000)}"`), "Payload Too Large"],
];

/** Maximum number of tries: until the code is compiled, a request allocates more. On a busy machine, compilation takes long. */
const TRIES = 500;

const post = async (app: App, body: string | Uint8Array<ArrayBuffer>, replyText: string): Promise<void> => {
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  const reply = await app.fetch(new Request("http://localhost/graphql", { method: "POST", headers, body }));
  expect(await reply.text()).toContain(replyText);
};

/** Sends requests until one allocates less than `limit` bytes. Returns the smallest number of allocated bytes. */
const allocated = async (app: App, [, body, replyText]: Body, limit: number): Promise<number> => {
  let min = Infinity; // other work of the process can only increase the number
  for (let at = 0; at < TRIES && (at === 0 || min >= limit); at++) {
    const before = getHeapStatistics().total_allocated_bytes;
    await post(app, body, replyText);
    min = Math.min(min, getHeapStatistics().total_allocated_bytes - before);
  }
  return min;
};

/** Node 24 does not count allocations; with it only the replies are tested. */
const orZero = (bytes: number): number => bytes || 0;

const production = (): App => library({ introspection: false }).app;

test.each(bodies)("a refusal allocates at most a few times the length of the body: %s", async (...body) => {
  // A request in this test allocates 80,000 to 210,000 bytes, and more until its code is compiled. Parsing 1000 tokens would allocate 400,000.
  const limit = 450_000 + 4 * body[1].length;
  expect(orZero(await allocated(production(), body, limit))).toBeLessThan(limit);
});

test.each(mistakes.map(bodyOf))(
  "a refusal by the parser or validation allocates at most 1.5 MB: %s",
  async (...body) => {
    expect(orZero(await allocated(production(), body, 1_500_000))).toBeLessThan(1_500_000);
  },
);

test("many refusals leak no memory", async () => {
  const app = production();
  const all = [...bodies, ...mistakes.map(bodyOf)];
  const refuseAll = async (rounds: number): Promise<number> => {
    for (let round = 0; round < rounds; round++)
      for (const [, body, replyText] of all) await post(app, body, replyText);
    return smallestHeap();
  };
  const before = await refuseAll(3);
  expect(await refuseAll(6)).toBeLessThan(before + 2 * 1024 * 1024);
});

test("replies to cycles, which name their fragments, are not cached", async () => {
  const app = production();
  const cycle = bodies.find(([title]) => title === "a cycle of fragments");
  if (cycle === undefined) throw new Error("the attacks have no cycle");
  const refuse = async (): Promise<number> => {
    for (let at = 0; at < 1000; at++) await post(app, cycle[1], cycle[2]);
    return smallestHeap();
  };
  const before = await refuse();
  expect(await refuse()).toBeLessThan(before + 0.5 * 1024 * 1024);
});

const collect: () => void = (() => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
})();

/** Returns the bytes in use after garbage collections. */
const smallestHeap = (): number => {
  collect();
  collect();
  return getHeapStatistics().used_heap_size;
};
