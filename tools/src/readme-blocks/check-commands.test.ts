import { expect, test } from "@jest/globals";
import { checkCommands, type Known } from "./check-commands.ts";

const known: Known = {
  scripts: ["start", "test", "new:package"],
  programs: ["oxfmt"],
  tasks: ["build", "test"],
  packages: ["@framework/core"],
  scriptsOf: { "@framework/books": ["start"] },
  bins: ["framework"],
  exists: (path) => path === "apps/books/src/main.ts",
};

const check = (code: string): string[] =>
  checkCommands({ document: "README.md", line: 10, language: "sh", isRun: false, code }, known);

test.each([
  "npm start -- --port 9000",
  "npm test",
  "pnpm new:package cache --feature enableCaching",
  "pnpm install",
  "pnpm oxfmt packages/cache",
  "pnpm turbo run build test --filter=@framework/core",
  "npm install @framework/core zod",
  "URL=sqlite://a.db pnpm --filter @framework/books start --port 0",
  "node apps/books/dist/main.js",
  "NODE_ENV=production node apps/books/src/main.ts # the sources run as they are",
  "curl localhost:8000/books | head",
  `curl -d '{"title": "a; b # c"}' localhost:8000/books`,
  "curl -X POST \\\n  -d x localhost:8000/books",
  "framework explain CORE_BAD_CONFIG",
  "SECRET=$(openssl rand -base64 32) NAME='a b' npm start",
  `TOKEN=$(curl -s localhost:8000/token | cut -d '"' -f 4)`,
  `csrf() { awk '{ print $7 }' jar; }`,
  "",
  "# only a comment",
])("%j is accepted", (command) => {
  expect(check(command)).toEqual([]);
});

test.each([
  ["pnpm --filter @framework/books serve", '@framework/books has no script "serve"'],
  ["pnpm --filter @framework/book start", '@framework/book has no script "start"'],
  ["npm run serve", 'package.json has no script "serve"'],
  ["pnpm serve", 'package.json has no script "serve"'],
  ["pnpm turbo run biuld", "turbo.json has no task biuld"],
  ["npm i @framework/cors", "@framework/cors is not a package of this workspace"],
  ["node apps/shop/dist/main.js", "there is no file apps/shop/dist/main.js"],
  ["yarn build", 'no package of the workspace provides the command "yarn build"'],
  ["npm test && yarn build", 'no package of the workspace provides the command "yarn build"'],
  ["TOKEN=$(yarn build) npm start", 'no package of the workspace provides the command "yarn build"'],
  ["build() { yarn build; }", 'no package of the workspace provides the command "yarn build"'],
  ["npm create @framework", "npm create is not a command of this workspace"],
])("%j is reported", (command, problem) => {
  expect(check(command)).toEqual([`README.md:11 ${problem}`]);
});

test("a problem has the line of its command", () => {
  expect(check("npm test\n\nyarn build\n")).toEqual([
    'README.md:13 no package of the workspace provides the command "yarn build"',
  ]);
});
