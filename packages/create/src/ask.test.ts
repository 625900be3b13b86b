import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { askOn } from "./ask.ts";
import { commandLine } from "./command-line.ts";

test("an answer is the line that is typed", async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const answer = askOn(input, output)("Name? ");
  input.write("notes\nmore\n");
  expect(await answer).toBe("notes");
  expect(String(output.read())).toBe("Name? ");
});

test("input that ends without an answer ends the command, and nothing is written", async () => {
  const input = new PassThrough();
  let mistakes = "";
  const complain = (text: string): void => void (mistakes += text);
  const ended = commandLine([], { ask: askOn(input, new PassThrough()), complain, cwd: "/nowhere" });
  input.end();
  expect(await ended).toBe(1);
  expect(mistakes).toBe("error: no name was given, so nothing was written\n");
});
