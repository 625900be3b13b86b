import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { memos, withoutMemo } from "./memos.ts";

const sourceOf = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../packages/${file}`, import.meta.url)), "utf8");

test.each(memos.flatMap((memo) => memo.edits.map(({ file }) => [memo.name, file] as const)))(
  "%s can be disabled: its edits match %s",
  (name, file) => {
    const source = sourceOf(file);
    expect(withoutMemo(name, file, source)).not.toBe(source);
  },
);

test("an unknown memo, and an edit without a match, are errors", () => {
  expect(() => withoutMemo("none", "core/src/app.ts", "")).toThrow("unknown memo none; memos: head");
  const [{ name, edits }] = memos as unknown as [(typeof memos)[number]];
  expect(() => withoutMemo(name, edits[0]?.file ?? "", "")).toThrow("exactly once");
});
