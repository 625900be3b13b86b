import { expect, test } from "@jest/globals";
import { testClient } from "@framework/testing";
import { limitedApp, quiet } from "./limited-app.test-kit.ts";

/** Returns the statuses of two requests from one address with the given keys, under a limit of one request. */
const statusesOf = async (first: unknown, second: unknown) => {
  const keys = [first, second];
  const app = limitedApp({ maxRequests: 1, windowSecs: 3600, key: () => keys.shift() as never });
  await app.start(quiet);
  await using client = testClient(app);
  return [(await client.get("/")).status, (await client.get("/")).status];
};

test.each([
  ["numbers are keys", 1, 2, [200, 200]],
  ["a number and its string are one key", 5, "5", [200, 429]],
  ["a big integer and its string are one key", 2n ** 70n, String(2n ** 70n), [200, 429]],
  ["zero is a key", 0, null, [200, 200]],
  ["null falls back to the address", null, null, [200, 429]],
  ["undefined falls back to the address", undefined, null, [200, 429]],
  ["an empty string falls back to the address", "", undefined, [200, 429]],
])("%s", async (_title, first, second, statuses) => {
  expect(await statusesOf(first, second)).toEqual(statuses);
});

test.each([[{}], [Number.NaN], [Infinity], [true], [Promise.resolve("x")], [Symbol("x")], [["a"]]])(
  "the key %p is an error",
  async (key) => {
    expect(await statusesOf(key, "x")).toEqual([500, 200]);
  },
);

test("a rejecting promise as a key causes no unhandled rejection", async () => {
  const seen: unknown[] = [];
  const note = (reason: unknown) => void seen.push(reason);
  process.on("unhandledRejection", note);
  try {
    expect(await statusesOf(Promise.reject(new Error("no key")), "x")).toEqual([500, 200]);
    await new Promise(setImmediate);
    expect(seen).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});

test("a big integer of any length is a key", async () => {
  expect(await statusesOf(2n ** 10_000n, 2n ** 10_000n + 1n)).toEqual([200, 200]);
});

test("the error describes the returned value", async () => {
  const logged: string[] = [];
  const write = (message: string, fields?: object) =>
    void logged.push(message, String(Object.values(fields ?? {})));
  const app = limitedApp({ key: () => Promise.resolve("x") as never });
  await app.start({ log: { info() {}, warn: write, error: write } });
  await using client = testClient(app);
  await client.get("/");
  expect(logged.join()).toContain("not a promise; return the value itself");
});
