import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { FEATURE, REFUSED, SERVICE } from "./foreign-feature.ts";
import { generateWorkspace, pack } from "./generated-workspace.ts";
import { tsconfig } from "./program.ts";
import { run, runTool } from "./run-node.ts";

const folder = mkdtempSync(join(tmpdir(), "foreign-"));
const [vendor, project] = [join(folder, "vendor"), join(folder, "project")];
const types = join(root, "node_modules/@types");
const install = (cwd: string, ...tarballs: string[]): string =>
  run(cwd, "npm", "install", "--offline", "--no-audit", "--no-fund", "--no-save", ...tarballs);
const json = (path: string, value: object): void => writeFileSync(path, JSON.stringify(value));

beforeAll(() => {
  generateWorkspace(root, folder, "greeting");
  runTool(join(folder, "packages/core"), root, "typescript/bin/tsc", "-b");
  const [core = ""] = pack(folder, ["core"]);
  for (const path of [vendor, project]) mkdirSync(path);
  const exports = { ".": { types: "./audit.d.ts", default: "./audit.js" } };
  const files = ["audit.js", "audit.d.ts"];
  json(join(vendor, "package.json"), { name: "audit", version: "1.0.0", type: "module", files, exports });
  writeFileSync(join(vendor, "audit.ts"), FEATURE);
  const options = tsconfig(types) as { compilerOptions: object };
  json(join(vendor, "tsconfig.json"), {
    files: ["audit.ts"],
    compilerOptions: { ...options.compilerOptions, declaration: true },
  });
  install(vendor, core);
  runTool(vendor, root, "typescript/bin/tsc", "-p", ".");
  run(vendor, "npm", "pack", "--silent");
  json(join(project, "package.json"), { name: "project", private: true, type: "module" });
  install(project, core, join(vendor, "audit-1.0.0.tgz"));
  writeFileSync(join(project, "program.ts"), SERVICE);
  writeFileSync(join(project, "refused.ts"), REFUSED);
  json(join(project, "tsconfig.json"), { ...options, files: ["program.ts", "refused.ts"] });
  runTool(project, root, "typescript/bin/tsc", "-p", ".");
}, 300_000);

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** The service as a process; `until` resolves when its output matches. */
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
      for (const look of seen.splice(0)) look();
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

test("a feature that knows only core's public entries owns an option, an operation, a port and a drain, in 3 workers", async () => {
  const { child, until, exited, output } = start({ WORKERS: "3" });
  const url = await until(/"url":"(http:\/\/[^"]+)"/);
  const port = await until(/audit: port (\d+)\./);
  const reply = await fetch(`${url}/books/7`, { headers: { connection: "close" } });
  expect([reply.status, await reply.json()]).toEqual([200, { id: "7" }]);
  expect(await (await fetch(`${url}/open`, { headers: { connection: "close" } })).text()).toBe("open");
  const pids = new Set<unknown>();
  const actions: unknown[] = [];
  while (pids.size < 3) {
    const asked = await fetch(`http://127.0.0.1:${port}/entry`, { headers: { connection: "close" } });
    const answer = (await asked.json()) as { pid: number; actions: unknown[]; own: unknown[] };
    expect(answer.own).toEqual(["/entry"]);
    if (!pids.has(answer.pid)) actions.push(...answer.actions);
    pids.add(answer.pid);
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
  "its option is checked at start: %s",
  async (mode, message) => {
    const { child, exited, output } = start({ WORKERS: "1", AUDIT: mode });
    await exited;
    expect([child.exitCode, output()]).toEqual([1, expect.stringContaining(message)]);
  },
  180_000,
);
