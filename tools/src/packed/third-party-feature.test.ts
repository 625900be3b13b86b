import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { FEATURE, REFUSED, SERVICE } from "./third-party-feature.ts";
import { packWorkspace } from "./packages.ts";
import { tsconfig } from "./program.ts";
import { run, runTool } from "../run-node.ts";

const folder = mkdtempSync(join(tmpdir(), "third-party-"));
const [vendor, project] = [join(folder, "vendor"), join(folder, "project")];
const json = (path: string, value: object): void => writeFileSync(path, JSON.stringify(value));

/** Compiles the files of a folder with the options of a user. */
const compile = (home: string, files: Readonly<Record<string, string>>, options: object = {}): void => {
  for (const [name, code] of Object.entries(files)) writeFileSync(join(home, name), code);
  const { compilerOptions } = tsconfig([]);
  const typeRoots = [join(root, "node_modules/@types")];
  json(join(home, "tsconfig.json"), {
    files: Object.keys(files),
    compilerOptions: { ...compilerOptions, typeRoots, ...options },
  });
  runTool(home, root, "typescript/bin/tsc", "-p", ".");
};

/** Runs plain npm without a registry: it needs only the tarballs. */
const npm = (home: string, ...args: string[]): string =>
  run(home, "npm", ...args, "--offline", "--no-audit", "--no-fund", "--cache", join(folder, "npm-cache"));

beforeAll(() => {
  const tarballs = join(folder, "tarballs");
  packWorkspace(root, tarballs, ["core"]);
  const core = join(tarballs, globSync("framework-core-*.tgz", { cwd: tarballs })[0] ?? "");
  for (const home of [vendor, project]) mkdirSync(home);
  json(join(vendor, "package.json"), {
    name: "audit",
    version: "1.0.0",
    type: "module",
    exports: { ".": { types: "./audit.d.ts", default: "./audit.js" } },
    files: ["audit.js", "audit.d.ts"],
    peerDependencies: { "@framework/core": "*" },
  });
  npm(vendor, "install", "--no-save", core);
  compile(vendor, { "audit.ts": FEATURE }, { declaration: true });
  npm(vendor, "pack", "--pack-destination", tarballs);
  json(join(project, "package.json"), { name: "project", private: true, type: "module" });
  npm(project, "install", core, join(tarballs, "audit-1.0.0.tgz"));
  compile(project, { "program.ts": SERVICE, "refused.ts": REFUSED });
}, 300_000);

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the service as a process; `until` resolves when its output matches. */
const start = (env: Record<string, string>) => {
  const child = spawn(process.execPath, ["program.js"], {
    cwd: project,
    env: { PATH: process.env["PATH"], ...env },
  });
  children.push(child);
  let output = "";
  const seen: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      for (const check of seen.splice(0)) check();
    });
  const exited = once(child, "exit");
  const until = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const [, found] = pattern.exec(output) ?? [];
      if (found !== undefined) return found;
      if (child.exitCode !== null) throw new Error(`ended without ${pattern}:\n${output}`);
      await Promise.race([new Promise<void>((resolve) => void seen.push(resolve)), exited]);
    }
  };
  return { child, until, exited, output: () => output };
};

test("a feature that uses only core's public entries has an option, an operation, a port and a drain task, in 3 workers", async () => {
  const { child, until, exited, output } = start({ WORKERS: "3" });
  const url = await until(/"url":"(http:\/\/[^"]+)"/);
  const port = await until(/audit: port (\d+)\./);
  const reply = await fetch(`${url}/books/7`, { headers: { connection: "close" } });
  expect([reply.status, await reply.json()]).toEqual([200, { id: "7" }]);
  expect(await (await fetch(`${url}/open`, { headers: { connection: "close" } })).text()).toBe("open");
  const pids = new Set<unknown>();
  const actions: unknown[] = [];
  while (pids.size < 3) {
    const adminReply = await fetch(`http://127.0.0.1:${port}/entry`, { headers: { connection: "close" } });
    const entry = (await adminReply.json()) as { pid: number; actions: unknown[]; own: unknown[] };
    expect(entry.own).toEqual(["/entry"]);
    if (!pids.has(entry.pid)) actions.push(...entry.actions);
    pids.add(entry.pid);
  }
  expect(actions).toEqual(["read"]);
  child.kill("SIGTERM");
  await exited;
  expect([child.exitCode, child.signalCode, output()]).toEqual([0, null, output()]);
  expect(
    output()
      .match(/audit: (?:drained|stopped)/g)
      ?.sort(),
  ).toEqual([
    ...Array.from({ length: 3 }, () => "audit: drained"),
    ...Array.from({ length: 3 }, () => "audit: stopped"),
  ]);
}, 180_000);

test.each([
  ["off", 'the option "audit" does nothing without enableAudit'],
  ["misspelt", 'there is no option "adit"; did you mean "audit"?'],
])(
  "the feature's option is checked at start: %s",
  async (mode, message) => {
    const { child, exited, output } = start({ WORKERS: "1", AUDIT: mode });
    await exited;
    expect([child.exitCode, output()]).toEqual([1, expect.stringContaining(message)]);
  },
  180_000,
);
