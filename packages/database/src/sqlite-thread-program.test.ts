import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempDisposableSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Reads for long, counts its turns at last, and neither closes the database nor exits. */
const program = (index: string): string => `
import { openDatabase } from ${JSON.stringify(index)};
const db = openDatabase({ url: process.argv[1] });
const read = () => db.fetchValue("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 500000) SELECT count(*) FROM c");
process.on("warning", ({ message }) => console.log(message));
await read();
await read();
let turns = 0;
const turn = setInterval(() => turns++, 1);
console.log(await read(), turns > 5);
clearInterval(turn);
`;

const output = async (index: string, database: string): Promise<string> => {
  const code = program(pathToFileURL(index).href);
  const args = ["--conditions=@framework/source", "--input-type=module", "-e", code, `sqlite://${database}`];
  const env = { ...process.env, NODE_OPTIONS: "" };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 20_000 });
  return stdout;
};

/** Builds the package to where its dependencies are found. */
const built = (folder: string): string => {
  const tsc = here("../../../node_modules/typescript/bin/tsc");
  const outputs = ["--outDir", folder, "--tsBuildInfoFile", join(folder, ".tsbuildinfo")];
  execFileSync(process.execPath, [tsc, "-p", here(".."), ...outputs], { stdio: "inherit" });
  return join(folder, "index.js");
};

test("from source the thread runs, and the process ends by itself", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  expect(await output(here("index.ts"), join(folder.path, "test.db"))).toBe("500000 true\n");
});

test("as built and published the thread runs, and the process ends by itself", async () => {
  using folder = mkdtempDisposableSync(join(here("../node_modules"), ".built-"));
  const dist = join(folder.path, "dist");
  mkdirSync(dist);
  expect(await output(built(dist), join(folder.path, "test.db"))).toBe("500000 true\n");
});

test("where the program of the thread is missing, as in a bundle, the process says so once and reads itself", async () => {
  using folder = mkdtempDisposableSync(join(here("../node_modules"), ".built-"));
  const index = built(folder.path);
  rmSync(join(folder.path, "sqlite/read-worker.js"));
  const said = "database: long reads of SQLite block the process, because no thread can be started\n";
  expect(await output(index, join(folder.path, "test.db"))).toBe(`500000 false\n${said}`);
});
