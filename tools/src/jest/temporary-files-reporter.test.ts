import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "@jest/globals";
import { runJest } from "./run-jest.test-kit.ts";

const MAKES_FOLDERS = `
  import { execFileSync } from "node:child_process";
  import { mkdtempSync, statSync } from "node:fs";
  import { dirname, join } from "node:path";
  import { tmpdir } from "node:os";
  const child = 'console.log(fs.mkdtempSync(path.join(os.tmpdir(), "child-")))';
  test("one", () => {
    const own = mkdtempSync(join(tmpdir(), "own-"));
    const others = execFileSync(process.execPath, ["-e", child], { encoding: "utf8" }).trim();
    const mode = (statSync(dirname(own)).mode & 0o777).toString(8);
    throw new Error(JSON.stringify({ own, others, mode }));
  });
`;

test("temporary files of tests and of their programs are deleted after the run, even after a failure", () => {
  const { failures } = runJest(MAKES_FOLDERS).results as {
    failures: readonly { readonly message: string }[];
  };
  const { own, others, mode } = JSON.parse(/\{.*?\}/.exec(failures[0]?.message ?? "")?.[0] ?? "");
  expect(dirname(others)).toBe(dirname(own));
  expect([own, others, dirname(own)].map((folder) => existsSync(folder))).toEqual([false, false, false]);
  expect(statSync(dirname(dirname(own))).isDirectory()).toBe(true);
  expect(mode).toBe("755"); // a server that runs as another user has a folder in it
});
