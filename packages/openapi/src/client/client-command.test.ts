import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "@jest/globals";
import { socketClient } from "@framework/testing";
import { booksApp } from "../testing/books-app.test-fixture.ts";
import { runClientCommand } from "./client-command.ts";

const folder = mkdtempSync(join(tmpdir(), "openapi-command-"));
const source = join(folder, "openapi.json");
const target = join(folder, "client.ts");

beforeEach(() => {
  rmSync(target, { force: true });
  writeFileSync(source, JSON.stringify({ openapi: "3.1.0", info: { title: "A", version: "1" }, paths: {} }));
});

afterAll(() => rmSync(folder, { recursive: true }));

const run = async (...args: string[]) => {
  const lines: string[] = [];
  const code = await runClientCommand(args, {
    say: (line) => lines.push(line),
    complain: (line) => lines.push(line),
  });
  return { code, text: lines.join("\n") };
};

test("writes the client of a file, and does not rewrite an up-to-date one", async () => {
  expect(await run(source, target)).toEqual({ code: 0, text: `${target} written` });
  const { mtimeMs } = statSync(target);
  expect(await run(source, target)).toEqual({ code: 0, text: `${target} is up to date` });
  expect(statSync(target).mtimeMs).toBe(mtimeMs);
});

test("writes the client of a running service", async () => {
  await using client = socketClient(booksApp());
  expect(await run(await client.url("/openapi.json"), target)).toMatchObject({ code: 0 });
  expect(readFileSync(target, "utf8")).toContain('"GET /books/{id}"');
});

test("--check writes nothing, and its exit code is 1 when the client is out of date", async () => {
  expect(await run(source, target, "--check")).toMatchObject({ code: 1 });
  await run(source, target);
  expect(await run(source, target, "--check")).toMatchObject({ code: 0 });
  writeFileSync(source, JSON.stringify({ openapi: "3.1.0", info: { title: "B", version: "1" }, paths: {} }));
  const before = readFileSync(target, "utf8");
  expect(await run(source, target, "--check")).toEqual({
    code: 1,
    text: `framework-client: ${target} is out of date with ${source}; run framework-client without --check`,
  });
  expect(readFileSync(target, "utf8")).toBe(before);
});

test.each([
  [[], "usage: framework-client"],
  [[source], "usage: framework-client"],
  [[source, target, "more"], "usage: framework-client"],
  [[source, target, "--chek"], "--chek"],
  [[join(folder, "absent.json"), target], "ENOENT"],
  [["http://127.0.0.1:1/openapi.json", target], "framework-client: "],
])("%j ends with exit code 1 and the reason", async (args, text) => {
  expect(await run(...args)).toEqual({ code: 1, text: expect.stringContaining(text) });
});

test("--help prints the usage", async () => {
  expect(await run("--help")).toEqual({ code: 0, text: expect.stringContaining("usage:") });
});
