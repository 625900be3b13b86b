import { expect, test } from "@jest/globals";
import { readOptions } from "./options.ts";

test("a full run measures everything and writes the page", () => {
  const options = readOptions([]);
  expect(options).toMatchObject({
    quick: false,
    partial: false,
    write: true,
    share: 1,
    fleets: 4,
    rounds: 20,
    promisedRounds: 40,
    warmUp: 12_000,
    gatedWarmUp: 40_000,
    out: null,
  });
  expect([...(options?.parts ?? [])].join(" ")).toBe(
    "varied json param echo mw5 mw5varied jwt jwt-new cached limited limited-many row-sqlite row-postgres websocket headers stream wide pipelined memory start listening instructions",
  );
  expect(options?.servers.size).toBe(13);
});

test("a quick run measures the main workloads on all servers and does not write the page", () => {
  const options = readOptions(["--quick"]);
  expect(options).toMatchObject({ quick: true, partial: false, write: false });
  expect([...(options?.parts ?? [])].slice(0, 6)).toEqual([
    "varied",
    "json",
    "param",
    "echo",
    "mw5",
    "memory",
  ]);
  expect(options?.servers.size).toBe(13);
});

test("flags choose parts, servers and rounds; such a run is partial and does not write the page", () => {
  const options = readOptions(["--only", "json,start", "--servers=raw,fast", "--rounds", "2"]);
  expect(options).toMatchObject({ partial: true, write: false, rounds: 2, promisedRounds: 2 });
  expect([...(options?.parts ?? [])]).toEqual(["json", "start"]);
  expect([...(options?.servers ?? [])]).toEqual(["raw", "fast"]);
});

test.each([
  [["--only", "jsn"], "unknown part jsn; parts: varied, json, param"],
  [["--servers", "raw,fastly"], "unknown server fastly; servers: raw, tuned"],
  [["--rounds", "none"], "--rounds must be a number above 0"],
  [["--fast"], "Unknown option '--fast'"],
])("%j is rejected", (argv, message) => {
  expect(() => readOptions(argv)).toThrow(message);
});

test("--help returns no options", () => {
  expect(readOptions(["--help"])).toBeNull();
});
