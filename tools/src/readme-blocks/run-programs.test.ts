import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { type ProgramRun, runPrograms } from "./run-programs.ts";

const run = (...programs: readonly string[]): ProgramRun[] => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "programs-"));
  const paths = programs.map((code, index) => {
    const path = join(folder.path, `${index}.mjs`);
    writeFileSync(path, code);
    return path;
  });
  return runPrograms(paths, { timeoutMs: 60_000 });
};

const says = (stdout: string): ProgramRun => ({ status: 0, stdout, stderr: "" });

test("each program has its own output, and ends before the next starts", () => {
  const later = 'console.log("a"); setTimeout(() => console.log("b"), 20);';
  expect(run(later, "", "console.log(process.argv.length); console.error(1);")).toEqual([
    says("a\nb\n"),
    says(""),
    { status: 0, stdout: "2\n", stderr: "1\n" },
  ]);
});

test("programs share a process until one ends it", () => {
  const pid = "console.log(process.pid);";
  const [one, two, , three] = run(pid, `${pid} process.exitCode = 1;`, "process.exit();", pid);
  expect(two?.stdout).toBe(one?.stdout);
  expect(three?.stdout).not.toBe(one?.stdout);
});

test("a failed program does not affect later ones", () => {
  const runs = run(
    "process.exitCode = 7;",
    "process.exit(8);",
    'throw new Error("thrown");',
    'setImmediate(() => { throw new Error("uncaught"); });',
    'Promise.reject(new Error("unhandled"));',
    "await new Promise(() => {});",
    'import "./nowhere.mjs";',
    'process.kill(process.pid, "SIGKILL"); await new Promise((resolve) => setTimeout(resolve, 60_000));',
    "console.log(1);",
  );
  expect(runs.map(({ status }) => status)).toEqual([7, 8, 1, 1, 1, 13, 1, null, 0]);
  expect(runs.map(({ stderr }) => /thrown|uncaught|unhandled|nowhere/.exec(stderr)?.[0])).toEqual([
    undefined,
    undefined,
    "thrown",
    "uncaught",
    "unhandled",
    undefined,
    "nowhere",
    undefined,
    undefined,
  ]);
  expect(runs.at(-1)).toEqual(says("1\n"));
});
