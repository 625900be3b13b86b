import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { scratchFolder } from "../scratch-folder.ts";

/** Runs the check on a copy of core and one feature, with additional files. */
const check = (extraFiles: Readonly<Record<string, string>>): { status: number | null; output: string } => {
  using home = scratchFolder(root);
  for (const part of ["apps", "bench", "tests", "tools", "node_modules/@framework"])
    mkdirSync(join(home.path, part), { recursive: true });
  for (const name of ["core", "cors"]) {
    const to = join(home.path, "packages", name);
    cpSync(join(root, "packages", name), to, {
      recursive: true,
      filter: (path) => !/[\\/](node_modules|dist|testing)$|\.test[.-]/.test(path),
    });
    symlinkSync(to, join(home.path, "node_modules/@framework", name), "junction");
  }
  cpSync(join(root, ".dependency-cruiser.mjs"), join(home.path, ".dependency-cruiser.mjs"));
  for (const [path, code] of Object.entries(extraFiles)) {
    mkdirSync(dirname(join(home.path, path)), { recursive: true });
    writeFileSync(join(home.path, path), code);
  }
  const main = join(import.meta.dirname, "main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, home.path], { encoding: "utf8" });
  return { status, output: stdout + stderr };
};

test("core and a feature pass", () => {
  const { status, output } = check({});
  expect(output).toMatch(/^\d{3} modules, 0 problems\n$/);
  expect(status).toBe(0);
});

test("cycles, upward imports and imports past entry points are reported, each with its file", () => {
  const { status, output } = check({
    "packages/core/src/http/planted.ts": 'export { App } from "../app.ts";\n',
    "packages/core/src/errors/planted.ts": 'export type { Router } from "../routing/router.ts";\n',
    "packages/core/src/transport/planted.ts": 'export { run } from "../run/run.ts";\n',
    "packages/core/src/log/planted.ts": 'export { cors } from "@framework/cors";\n',
    "packages/cors/src/planted.ts": 'export { compose } from "../../core/src/middleware/middleware.ts";\n',
    "packages/cors/src/upward.ts": 'export type { A } from "../../../apps/books/src/a.ts";\n',
    "packages/cors/src/typo.ts": 'export { no } from "./nowhere.ts";\n',
    "packages/cors/src/one/a.ts": 'import "../two/b.ts";\n',
    "packages/cors/src/two/b.ts": "export {};\n",
    "packages/cors/src/two/c.ts": 'export type { D } from "../one/d.ts";\n',
    "packages/cors/src/one/d.ts": "export type D = 1;\n",
    "apps/books/src/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;\n',
    "apps/books/src/b.ts": 'import type { A } from "./a.ts";\nexport type B = A;\n',
    "bench/load/a.ts": 'import "../servers/b.ts";\n',
    "bench/servers/b.ts": 'import "../load/a.ts";\n',
    "tools/src/a.ts": 'import "./packed/b.ts";\n',
    "tools/src/packed/b.ts": 'import "../a.ts";\n',
  });
  expect(status).toBe(1);
  for (const problem of [
    "core-layer-http: packages/core/src/http/planted.ts imports packages/core/src/app.ts",
    "core-layer-errors: packages/core/src/errors/planted.ts imports packages/core/src/routing/router.ts",
    "core-transport: packages/core/src/transport/planted.ts imports packages/core/src/run/run.ts",
    "core-imports-no-package: packages/core/src/log/planted.ts imports",
    "entry-points: packages/cors/src/planted.ts imports packages/core/src/middleware/middleware.ts",
    "packages-import-no-app: packages/cors/src/upward.ts imports apps/books/src/a.ts",
    "resolvable: packages/cors/src/typo.ts imports",
    "import cycle:\n  packages/cors/src/one/a.ts imports packages/cors/src/two/b.ts\n  packages/cors/src/two/c.ts imports packages/cors/src/one/d.ts",
    "import cycle:\n  apps/books/src/a.ts imports apps/books/src/b.ts\n  apps/books/src/b.ts imports apps/books/src/a.ts",
    "import cycle:\n  bench/load/a.ts imports bench/servers/b.ts\n  bench/servers/b.ts imports bench/load/a.ts",
    "import cycle:\n  tools/src/a.ts imports tools/src/packed/b.ts\n  tools/src/packed/b.ts imports tools/src/a.ts",
  ])
    expect(output).toContain(problem);
});

test("a folder of core without a layer is reported", () => {
  const { status, output } = check({ "packages/core/src/misc/planted.ts": "export {};\n" });
  expect(status).toBe(1);
  expect(output).toContain("packages/core/src has folders without a layer: misc");
});
