import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { createPrompt } from "./ask.ts";
import { commandLine } from "./command-line.ts";

test("an answer is the typed line", async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const answer = createPrompt(input, output)("Name? ");
  input.write("notes\nmore\n");
  expect(await answer).toBe("notes");
  expect(String(output.read())).toBe("Name? ");
});

test("input that ends without an answer ends the command, and nothing is written", async () => {
  const input = new PassThrough();
  let errors = "";
  const writeError = (text: string): void => void (errors += text);
  const ended = commandLine([], { ask: createPrompt(input, new PassThrough()), writeError, cwd: "/nowhere" });
  input.end();
  expect(await ended).toBe(1);
  expect(errors).toBe("error: no name was given, so nothing was written\n");
});
