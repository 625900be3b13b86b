import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createProgress } from "./progress.ts";
import { table } from "./table.ts";
import { renderLine, safeJson, styled } from "./text.ts";

/** Any character. Replaces fast-check's unit `binary`, which first builds a map of all characters and takes a second. */
const character = fc.nat({ max: 0x10f7ff }).map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800));

const hostile = fc.string({ unit: character, maxLength: 40 });
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test("the only control sequences of a rendered line are its styles", () => {
  fc.assert(
    fc.property(hostile, hostile, (first, second) => {
      const plain = renderLine([first, styled("red", second)], false);
      expect(plain).not.toMatch(CONTROLS);
      const coloured = renderLine([first, styled("red", second)], true);
      expect(coloured.replaceAll("\u001b[31m", "").replaceAll("\u001b[0m", "")).toBe(plain);
    }),
  );
});

test("the JSON of any value parses to that value and has no control characters other than line breaks", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const json = safeJson({ text });
      expect(json.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
});

test("columns are aligned, even below cells with escapes and styles", () => {
  const lines = table(
    ["A", "B"],
    [
      ["x", "1"],
      [styled("red", "a\u001bb"), "2"],
    ],
  ).map((line) => renderLine(line, false));
  expect(lines).toEqual(["A         B", "x         1", "a\\u{1b}b  2"]);
});

test("progress appears on a terminal only, and is removed at the end", () => {
  const progressText = (isTerminal: boolean): string => {
    let text = "";
    const write = (part: string): void => void (text += part);
    const progress = createProgress({ write, writeBytes: null, isTerminal, columns: 60 });
    progress.show(0.5, "half\u001b[2J");
    progress.clear();
    return text;
  };
  expect(progressText(false)).toBe("");
  expect(progressText(true)).toBe(`\r\u001b[2K${"█".repeat(10)}${"░".repeat(10)} half\\u{1b}[2J\r\u001b[2K`);
});
