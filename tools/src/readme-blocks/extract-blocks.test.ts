import { expect, test } from "@jest/globals";
import { extractBlocks } from "./extract-blocks.ts";

const lines = (...text: string[]): string => text.join("\n");

test("code is found with the line of its fence", () => {
  const text = lines("# Title", "", "```ts", "const a = 1;", "", "a;", "```", "", "```sh", "npm test", "```");
  expect(extractBlocks("README.md", text)).toEqual({
    blocks: [
      { document: "README.md", line: 3, language: "ts", isRun: false, code: "const a = 1;\n\na;\n" },
      { document: "README.md", line: 9, language: "sh", isRun: false, code: "npm test\n" },
    ],
    quotes: [],
    problems: [],
  });
});

test("a path after the language makes a block of any language a quote", () => {
  const { blocks, quotes, problems } = extractBlocks(
    "a.md",
    lines("```java src/A.java", "class A {}", "```"),
  );
  expect([blocks, problems]).toEqual([[], []]);
  expect(quotes).toEqual([{ document: "a.md", line: 1, path: "src/A.java", code: "class A {}\n" }]);
});

test("a block marked run is executed", () => {
  expect(extractBlocks("a.md", lines("```ts run", "1;", "```")).blocks).toMatchObject([{ isRun: true }]);
});

test("a block after a file name represents that file", () => {
  const text = lines(
    "`app.ts`:",
    "",
    "```ts",
    "1;",
    "```",
    "`main.js`:",
    "```js",
    "2;",
    "```",
    "See `app.ts`:",
    "```ts",
    "3;",
    "```",
  );
  expect(extractBlocks("a.md", text).blocks.map(({ file }) => file)).toEqual([
    "app.ts",
    "main.js",
    undefined,
  ]);
});

test("other languages are ignored, and fences quoted in them are not blocks", () => {
  const text = lines(
    "````md",
    "```ts",
    "oops(",
    "```",
    "````",
    "```json",
    "{}",
    "```",
    "```",
    "plain",
    "```",
  );
  expect(extractBlocks("a.md", text)).toEqual({ blocks: [], quotes: [], problems: [] });
});

test("an alias of a language is refused, because its code would not be checked", () => {
  expect(extractBlocks("a.md", lines("```typescript", "1;", "```")).problems).toEqual([
    "a.md:1 write ts instead of typescript",
  ]);
});

test("an unknown word after the language is refused", () => {
  expect(extractBlocks("a.md", lines("```ts runs", "1;", "```")).problems).toHaveLength(1);
  expect(extractBlocks("a.md", lines("```sh run", "npm test", "```")).problems).toHaveLength(1);
});

test("a block that is never closed is refused", () => {
  expect(extractBlocks("a.md", lines("text", "```ts", "1;")).problems).toEqual([
    "a.md:2 the block is never closed",
  ]);
});
