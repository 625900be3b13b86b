import { Readable } from "node:stream";
import { expect, test } from "@jest/globals";
import { collectOutput } from "./program-output.ts";

test("the last megabyte of the output is kept, also of one line", async () => {
  const input = Readable.from(["first\n", `${"x".repeat(2 * 1024 * 1024)}\n`]);
  const { promise: read, resolve } = Promise.withResolvers<void>();
  const output = collectOutput([input], (line) => {
    if (line.startsWith("x")) resolve();
  });
  await read;
  expect(output.text()).toBe(`${"x".repeat(1024 * 1024)}\n`);
});
