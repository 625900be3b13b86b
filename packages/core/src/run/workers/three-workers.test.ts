import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pidAt, pidsAt, replyAt, startService } from "../testing/service-program.ts";
import { endPrograms, type Program } from "../testing/start-program.ts";

afterAll(endPrograms);

const own = ["--workers", "3", "--", "own"];
let program: Program;
let url: string;
let counts: Record<string, unknown>[];

beforeAll(async () => {
  program = startService({ run: { env: "production" } }, own);
  ({ url } = await program.listening);
  counts = await Promise.all(Array.from({ length: 12 }, () => replyAt(url, "/count")));
});

test("three workers are exactly three serving processes besides the primary", async () => {
  const { workers, pid } = await program.listening;
  const pids = await pidsAt(url, 30);
  expect([workers, pids.size, pids.has(pid)]).toEqual([3, 3, false]);
});

test("three workers get the program's arguments, Node options and settings, and the number of all workers", async () => {
  expect(await replyAt(url, "/process")).toEqual({
    argv: own,
    execArgv: ["--conditions=@framework/source"],
    settings: { env: "production", debug: false, workers: 3 },
  });
});

test("three workers share one counter", () => {
  expect(new Set(counts.map(({ pid }) => pid)).size).toBe(3);
  expect(counts.map(({ value }) => Number(value)).toSorted((a, b) => a - b)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
  ]);
});

test("three workers pass the program's own messages through the channel", async () => {
  await replyAt(url, "/message");
  await program.says("the program's own message");
  expect(program.stderr()).not.toContain("error");
});

test("three workers stop with close() in one of them", async () => {
  await pidAt(url, "/close");
  expect((await program.exit).code).toBe(0);
  expect(program.stderr().match(/running/g)).toHaveLength(4);
  expect(program.stderr().match(/stopped/g)).toHaveLength(3);
});
