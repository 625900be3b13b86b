import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Block, extractBlocks } from "../readme-blocks/extract-blocks.ts";
import { runProblems } from "../readme-blocks/run-problems.ts";
import { runPrograms } from "../readme-blocks/run-programs.ts";
import { root } from "../root.ts";
import { readWorkspace } from "../workspace/read-workspace.ts";
import { REPOSITORY } from "../workspace/repository.ts";
import { anchorsOf, linksOf } from "./markdown-links.ts";
import { install, type Packages, packWorkspace, readManifest } from "./packages.ts";
import { tsconfig } from "./program.ts";
import { run, runTool } from "../run-node.ts";
import { filesOf, tarballProblems } from "./tarball-problems.ts";

const folder = mkdtempSync(join(tmpdir(), "packed-"));
const examples = join(folder, "examples");
const names = readWorkspace(root)
  .filter(({ manifest }) => manifest.private !== true)
  .map((pkg) => pkg.manifest.name);
let packages: Packages = new Map();

const shortName = (name: string): string => name.replace("@framework/", "");
const homeOf = (name: string): string => packages.get(name) ?? `no tarball of ${name}`;
const textOf = (name: string, path: string): string => readFileSync(join(homeOf(name), path), "utf8");

beforeAll(() => {
  packages = packWorkspace(root, join(folder, "packages"), names.map(shortName));
}, 300_000); // a full build takes a minute

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Maximum bytes of the packages that ship web pages: Swagger UI and Redoc, and GraphiQL with its editor. */
const withPages: Readonly<Record<string, number>> = {
  "@framework/openapi": 5_000_000,
  "@framework/graphql": 2_500_000,
};

test("every tarball contains builds, README and licence, but no tests, source maps or references to them", () => {
  const problems = names.flatMap((name) =>
    tarballProblems(homeOf(name), withPages[name] ?? 1_400_000).map((problem) => `${name} ${problem}`),
  );
  expect(problems).toEqual([]);
});

/** Packages that a service does not import: programs, and test tools. */
const notImported = new Set(["cli", "create", "framework", "testing"]);
/** Maximum number of modules of a package: entry points, shared and lazily loaded modules. */
const MAX_MODULES = 12;

test("a package that a service imports is published as a few modules, so that it starts quickly", () => {
  const modules = (name: string): number =>
    filesOf(homeOf(name)).filter((path) => /^dist\/(?!assets\/).*\.js$/.test(path)).length;
  const many = names.filter((name) => !notImported.has(shortName(name)) && modules(name) > MAX_MODULES);
  expect(many).toEqual([]);
});

/** Returns the text of the target of a link in a shipped document; `null` when a user does not have it. */
const linkTarget = (name: string, document: string, path: string): string | null => {
  if (path === "") return textOf(name, document);
  const prefix = `${REPOSITORY}/blob/main/`;
  const [, sibling, rest = ""] = /^\.\.\/([\w-]+)\/(.*)$/.exec(path) ?? []; // a sibling in node_modules
  const file = path.startsWith(prefix)
    ? join(root, path.slice(prefix.length))
    : sibling !== undefined && dirname(document) === "."
      ? join(homeOf(`@framework/${sibling}`), rest)
      : join(homeOf(name), dirname(document), path);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
};

test("every link in a shipped document leads to a shipped file, a required package's file or the repository", () => {
  const problems = names.flatMap((name) =>
    filesOf(homeOf(name))
      .filter((path) => path.endsWith(".md") && !path.startsWith("templates/")) // the tests of create check the links of its files
      .flatMap((document) =>
        linksOf(textOf(name, document))
          .filter(({ path }) => !/^https?:/.test(path) || path.startsWith(REPOSITORY))
          .filter(({ path, anchor }) => {
            const text = linkTarget(name, document, path);
            return text === null || (anchor !== "" && !anchorsOf(text).includes(anchor));
          })
          .map(({ path, anchor }) => `${name}/${document}: ${path}#${anchor}`),
      ),
  );
  expect(problems).toEqual([]);
});

interface Example {
  readonly block: Block;
  readonly path: string;
}

/**
 * Writes the first example of a README, and imports of the package's entry points, into a folder with only the packages of the install line. If a package has
 * optional peers of the framework, all entry points except the first are imported in a folder that also has these peers.
 */
const writeExample = (name: string): Example => {
  const document = `${name}/README.md`;
  const readme = textOf(name, "README.md");
  const [, line = ""] = /^ {4}npm install (.+)$/m.exec(readme) ?? [];
  const block = extractBlocks(document, readme).blocks.find(({ language }) => language === "ts");
  if (block === undefined || line === "") throw new Error(`${document} has no example or no install line`);
  const home = join(examples, shortName(name));
  install(
    root,
    home,
    packages,
    line.split(/\s+/).filter((word) => !word.startsWith("-")),
  );
  const { exports = {}, peerDependenciesMeta = {} } = readManifest(homeOf(name));
  const [first = "", ...others] = Object.keys(exports).map((entry) => name + entry.slice(1));
  const optional = Object.keys(peerDependenciesMeta).filter((peer) => peer.startsWith("@framework/"));
  const more = `${home}-with-optional-peers`;
  if (optional.length > 0) install(root, more, packages, [name, ...optional]);
  const imports = (entries: readonly string[]): string =>
    entries.map((entry) => `import "${entry}";\n`).join("");
  writeFileSync(join(home, "package.json"), '{ "private": true, "type": "module" }');
  writeFileSync(join(home, "example.ts"), "\n".repeat(block.line) + block.code);
  writeFileSync(join(home, "entries.ts"), imports(optional.length > 0 ? [first] : [first, ...others]));
  if (optional.length > 0) writeFileSync(join(more, "entries.ts"), imports(others));
  return { block, path: join(home, "example.ts") };
};

test("the first example of every README compiles and runs in a folder with only its install line", () => {
  const all = names.map(writeExample);
  mkdirSync(join(examples, "node_modules/@types"), { recursive: true });
  symlinkSync(join(root, "node_modules/@types/node"), join(examples, "node_modules/@types/node"), "junction");
  writeFileSync(join(examples, "tsconfig.json"), JSON.stringify(tsconfig(["*/*.ts"])));
  runTool(examples, root, "typescript/bin/tsc", "--noEmit", "-p", ".");
  const executed = all.filter(({ block }) => block.isRun);
  const results = runPrograms(
    executed.map(({ path }) => path),
    { timeoutMs: 240_000 }, // a busy machine
  );
  expect(executed.flatMap(({ block }, index) => runProblems(block, results[index]))).toEqual([]);
  const others = all.filter(({ block }) => !block.isRun);
  const servers = ["kafka", "rabbitmq", "redis", "saga-dbos", "sqs"];
  const notRun = ["devtools", "http2", ...servers]; // devtools serves a page until the process stops, http2 needs a certificate file, and the others need a server
  expect(others.map(({ block }) => block.document)).toEqual(
    notRun.map((name) => `@framework/${name}/README.md`),
  );
});

test("the installed program lists the routes of an app and explains an error code", () => {
  const home = join(examples, "program");
  install(root, home, packages, ["@framework/core", "@framework/cli"]);
  writeFileSync(join(home, "package.json"), '{ "private": true, "type": "module" }');
  writeFileSync(
    join(home, "app.ts"),
    'import { App } from "@framework/core";\nexport const app = new App();\napp.get("/notes/{id}", () => 1);\n',
  );
  const framework = (...words: string[]) =>
    JSON.parse(
      run(home, process.execPath, join(home, "node_modules/@framework/cli/bin/framework.js"), ...words),
    ) as unknown;
  expect(framework("routes", "--json")).toMatchObject({ routes: [{ method: "GET", path: "/notes/{id}" }] });
  expect(framework("request", "GET", "/notes/7", "--json")).toMatchObject({ status: 200, body: "1" });
  expect(framework("explain", "CORE_PORT_IN_USE", "--json")).toMatchObject({ package: "@framework/core" });
});
