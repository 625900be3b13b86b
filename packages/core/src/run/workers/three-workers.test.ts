import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { repliesOfAll, pidAt, pidsAt, pidsOfAll, replyAt, startService } from "../testing/service-program.ts";
import { endPrograms, type Program } from "../testing/start-program.ts";

afterAll(endPrograms);

const args = ["--workers", "3", "--", "own"];
let program: Program;
let url: string;
let counts: Record<string, unknown>[];

beforeAll(async () => {
  program = startService({ run: { env: "production" } }, args);
  ({ url } = await program.listening);
  counts = await repliesOfAll(
    3,
    () => replyAt(url, "/count"),
    ({ pid }) => pid,
  );
});

test("three workers are exactly three serving processes besides the primary", async () => {
  const { workers, pid } = await program.listening;
  const pids = (await pidsOfAll(url, 3)).union(await pidsAt(url, 30));
  expect([workers, pids.size, pids.has(pid)]).toEqual([3, 3, false]);
});

test("three workers get the program's arguments, Node options and settings, and the number of all workers", async () => {
  expect(await replyAt(url, "/process")).toEqual({
    argv: args,
    execArgv: ["--conditions=@framework/source"],
    settings: { env: "production", debug: false, workers: 3 },
  });
});

test("programs that a worker starts do not inherit its data", async () => {
  expect(await replyAt(url, "/process")).not.toHaveProperty("brief");
});

test("three workers share one counter", () => {
  expect(new Set(counts.map(({ pid }) => pid)).size).toBe(3);
  const values = counts.map(({ value }) => Number(value));
  expect(values.toSorted((a, b) => a - b)).toEqual(counts.map((_, index) => index + 1));
});

test("three workers may send the program's own messages through the channel", async () => {
  for (let count = 0; count < 6; count++) await replyAt(url, "/message");
  await replyAt(url, "/count");
  expect(program.stderr()).not.toContain("error");
});

test("three workers stop with close() in one of them", async () => {
  await pidAt(url, "/close");
  expect((await program.exit).code).toBe(0);
  expect(program.stderr().match(/running/g)).toHaveLength(4);
  expect(program.stderr().match(/stopped/g)).toHaveLength(3);
});
