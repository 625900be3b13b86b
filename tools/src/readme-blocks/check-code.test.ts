import { expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { checkCode } from "./check-code.ts";
import type { Block } from "./extract-blocks.ts";

const block = (line: number, code: string, rest: Partial<Block> = {}): Block => ({
  document: "packages/core/README.md",
  line,
  language: "ts",
  isRun: false,
  code,
  ...rest,
});

test("code that compiles and prints the expected output has no problem", () => {
  const problems = checkCode(root, [
    block(3, 'import { nearest } from "@framework/core/feature";\nnearest("a", ["b"]);\n'),
    block(8, 'const answer: string = "yes";\nconsole.log(answer); // yes\n', { isRun: true }),
    block(12, "const same = 1;\n", { document: "README.md", language: "js" }),
    block(16, "const same = 2;\n", { document: "README.md" }),
  ]);
  expect(problems).toEqual([]);
});

test("a block with a file name can be imported by other blocks of its document only", () => {
  const app = block(3, "export const answer = 42;\n", { file: "answer.ts" });
  const code = 'import { answer } from "./answer.ts";\nconsole.log(answer); // 42\n';
  expect(checkCode(root, [app, block(9, code, { isRun: true })])).toEqual([]);
  expect(checkCode(root, [app, block(9, code, { document: "README.md" })])).toEqual([
    expect.stringMatching(/^README\.md\(10,24\): error TS2307/),
  ]);
});

test("type errors are reported at their lines of the document, including errors that only the types of browsers cause", () => {
  const problems = checkCode(root, [
    block(20, 'const fine = 1;\nconst wrong: number = "two";\n'),
    block(30, 'import { nearest } from "@framework/core/feature";\nnearest(1, ["b"]);\n'),
    block(
      40,
      'import { Readable } from "node:stream";\nReadable.fromWeb(new ReadableStream<Uint8Array>());\n',
    ),
  ]);
  for (const problem of [
    /^packages\/core\/README\.md\(22,7\): error TS2322/,
    /^packages\/core\/README\.md\(32,9\): error TS2345/,
    /^packages\/core\/README\.md\(42,18\): error TS2345/,
  ])
    expect(problems).toContainEqual(expect.stringMatching(problem));
});

test("a run with other output, without expected output, or with a failure is reported", () => {
  const blocks = ["console.log(1 + 1); // 3", "console.log(2);", "process.exitCode = 7;"].map((code, index) =>
    block(5 + index, `${code}\n`, { isRun: true }),
  );
  expect(checkCode(root, blocks)).toEqual([
    'packages/core/README.md:5 printed "2" instead of "3"',
    'packages/core/README.md:6 printed "2" instead of ""',
    "packages/core/README.md:7 ended with 7: ",
  ]);
});
