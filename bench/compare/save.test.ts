import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { exampleReport } from "./example-report.ts";
import { type Options, readOptions } from "./options.ts";
import type { Report } from "./report.ts";
import { saveReport } from "./save.ts";

const out = mkdtempSync(join(tmpdir(), "bench-save-"));

afterEach(() => rmSync(out, { recursive: true, force: true }));

/** Saves a report of a run with these flags, without writing the page. */
const save = (command: string, flags: readonly string[]): void => {
  const options = readOptions([...flags, "--out", out]) as Options;
  const { quick, partial } = options;
  saveReport({ ...exampleReport, command, quick, partial }, { ...options, write: false });
};

const commandIn = (name: string): string =>
  (JSON.parse(readFileSync(join(out, `${name}.json`), "utf8")) as Report).command;

test("only a full run becomes the previous run of the next full run", () => {
  save("first", []);
  save("second", []);
  save("quick", ["--quick"]);
  save("part", ["--only", "json"]);
  expect(["latest", "previous", "partial"].map(commandIn)).toEqual(["second", "first", "part"]);
  save("third", []);
  expect(["latest", "previous"].map(commandIn)).toEqual(["third", "second"]);
});
