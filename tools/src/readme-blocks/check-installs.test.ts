import { expect, test } from "@jest/globals";
import { checkInstalls, type Installable } from "./check-installs.ts";
import { extractBlocks } from "./extract-blocks.ts";

const packages: readonly Installable[] = [
  { name: "@framework/core", peers: [], bins: [] },
  { name: "@framework/testing", peers: ["@framework/core"], bins: [] },
  { name: "@framework/cli", peers: ["@framework/core"], bins: ["framework"] },
];

const check = (text: string, readme?: string): string[] =>
  checkInstalls(
    { document: "guide.md", text, blocks: extractBlocks("guide.md", text).blocks, readme },
    packages,
  );

const client =
  '\n\n```ts\nimport { App } from "@framework/core";\nimport { testClient } from "@framework/testing";\n```\n';

test.each([
  ["a line with every package", `    npm install @framework/core @framework/testing${client}`],
  [
    "several lines",
    `    npm install @framework/core\n    npm install --save-dev @framework/testing${client}`,
  ],
  ["a line in a sentence", `Take \`npm install @framework/core @framework/testing\`.${client}`],
  ["peers of a package", `    npm install @framework/testing${client}`],
  ["a version", '    npm install zod@4\n\n```ts\nimport { z } from "zod/v4";\n```\n'],
  ["Node's modules and files", '```ts\nimport "node:fs";\nimport "./app.ts";\n```\n'],
  ["a program of an installed package", "    npm i -D @framework/cli\n\n`npx framework doctor`"],
  ["a program by the name of its package", "`npx @framework/cli doctor`"],
  ["a program of another vendor", "npx oxlint"],
  ["a command that only looks like an import", '```sh\necho import "zod"\n```\n'],
])("%s is accepted", (_name, text) => {
  expect(check(text)).toEqual([]);
});

test("a page of a package whose README has the install line is accepted", () => {
  expect(check(client, "    npm install @framework/testing")).toEqual([]);
});

test.each([
  ["a static import", 'import { z } from "zod";'],
  ["an import without names", 'import "zod";'],
  ["a dynamic import", 'const { z } = await import("zod");'],
  ["an import of a type", 'import type { ZodType } from "zod";'],
  ["an export", 'export * from "zod/v4";'],
])("%s of a package that no line installs is reported", (_name, code) => {
  const text = `    npm install @framework/core\n\n\`\`\`ts\n${code}\n\`\`\`\n`;
  expect(check(text)).toEqual(["guide.md:3 the block needs zod, which no install line installs"]);
});

test("a dependency of an installed package that is not a peer is reported", () => {
  expect(check('    npm install @framework/core\n\n```ts\nimport "@framework/testing";\n```\n')).toEqual([
    "guide.md:3 the block needs @framework/testing, which no install line installs",
  ]);
});

test("a program is reported if no line installs its package", () => {
  expect(check("    npm install @framework/core\n\nThen run `npx framework doctor`.\n")).toEqual([
    "guide.md:3 npx framework needs @framework/cli, which no install line installs",
  ]);
});
