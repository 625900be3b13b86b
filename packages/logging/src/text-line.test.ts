import { expect, test } from "@jest/globals";
import { textLine } from "./text-line.ts";

const line = (fields: object) =>
  JSON.stringify({ level: "warn", timestamp: "now", message: "hello", ...fields });

test("a text line has time, level, message and fields, then the stack", () => {
  expect(textLine(line({ id: 7, user: "ada\nlovelace", list: [1] }), false)).toBe(
    "[now] WARN  hello id=7 user=ada\\nlovelace list=[1]\n",
  );
  const error = {
    name: "Error",
    message: "no luck",
    stack: "Error: no luck\n[now] ERROR forged\n    at here",
  };
  expect(textLine(line({ error }), false)).toBe(
    "[now] WARN  hello error=no luck\n    Error: no luck\n    [now] ERROR forged\n    at here\n",
  );
});

test("on a terminal the level is coloured", () => {
  expect(textLine(line({}), true)).toBe("[now] \u001b[33mWARN \u001b[39m hello\n");
});
