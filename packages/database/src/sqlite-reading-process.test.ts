import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempDisposableSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { openDatabase } from "./index.ts";
import { databaseInFile } from "./testing/test-database.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Runs long reads, counts event-loop turns during the last ones, and neither closes the database nor exits. On a busy machine the result can arrive before
 * the loop turns, so it reads up to twenty times.
 */
const program = (index: string): string => `
import { openDatabase } from ${JSON.stringify(index)};
const db = openDatabase({ url: process.argv[1], longReadMs: 1 });
const read = () => db.fetchValue("WITH d(x) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) SELECT count(*) FROM d AS a, d AS b, d AS c, d AS e, d AS f, d AS g WHERE g.x < 5");
process.on("warning", ({ message }) => console.log(message));
await read();
await read();
let turns = 0;
const turn = setInterval(() => turns++, 1);
let value = await read();
for (let reads = 1; turns === 0 && reads < 20; reads++) value = await read();
console.log(value, turns > 0);
clearInterval(turn);
`;

const output = async (index: string, database: string): Promise<string> => {
  const code = program(pathToFileURL(index).href);
  const args = ["--conditions=@framework/source", "--input-type=module", "-e", code, `sqlite://${database}`];
  const env = { ...process.env, NODE_OPTIONS: "" };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 120_000 });
  return stdout;
};

/** Copies the package's build into a folder in which its dependencies resolve. */
const copyBuild = (folder: string): string => {
  cpSync(here("../dist"), folder, { recursive: true });
  return join(folder, "index.js");
};

test("from source the reading process starts, and the process ends by itself", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  expect(await output(here("index.ts"), join(folder.path, "test.db"))).toBe("500000 true\n");
});

test("from the build the reading process starts, and the process ends by itself; without its program, as in a bundle, the process warns once and reads synchronously", async () => {
  using folder = mkdtempDisposableSync(join(here("../node_modules"), ".built-"));
  const index = copyBuild(folder.path);
  expect(await output(index, join(folder.path, "with.db"))).toBe("500000 true\n");
  rmSync(join(folder.path, "sqlite/reader-program.js"));
  const warning =
    "database: long reads of SQLite block this process, because the reading process cannot be started\n";
  expect(await output(index, join(folder.path, "test.db"))).toBe(`500000 false\n${warning}`);
});

/** Whether a process has this text in its command line. */
const isRunning = (text: string): boolean =>
  readdirSync("/proc").some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`"location":"${text}"`)
      );
    } catch {
      return false; // it has ended
    }
  });

const endless = (index: string): string => `
import { openDatabase } from ${JSON.stringify(index)};
const db = openDatabase({ url: process.argv[1], longReadMs: 1 });
db.query("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT count(*) FROM c").catch(() => {});
process.stdout.write("sent");
`;

test("an endless read ends with its process, even if the process is killed", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  const database = join(folder.path, "test.db");
  const code = endless(pathToFileURL(here("index.ts")).href);
  const args = ["--conditions=@framework/source", "--input-type=module", "-e", code, `sqlite://${database}`];
  const child = spawn(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: "" } });
  await waitFor(() => isRunning(database), { timeoutMs: 60_000 });
  child.kill("SIGKILL");
  await once(child, "exit");
  await waitFor(() => !isRunning(database), { timeoutMs: 60_000 });
  expect(isRunning(database)).toBe(false);
});

test("closing merges the write-ahead log into the file, even after long reads", async () => {
  await using file = databaseInFile();
  const path = file.url.slice("sqlite://".length);
  const db = openDatabase({ url: file.url, longReadMs: 1 });
  await db.execute("CREATE TABLE t (x TEXT)");
  const long =
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000) SELECT count(*) FROM c";
  await waitFor(async () => (await db.fetchValue(long)) === 100_000 && isRunning(path), {
    timeoutMs: 60_000,
  });
  await db.execute("INSERT INTO t VALUES ('kept')");
  expect(existsSync(`${path}-wal`)).toBe(true);
  await db.close();
  expect([existsSync(`${path}-wal`), isRunning(path)]).toEqual([false, false]);
});

test("a program that only waits for the database to close waits for the reading process", async () => {
  await using file = databaseInFile();
  const closing = fileURLToPath(new URL("./closing.test-program.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@framework/source", closing, file.url], {
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [[code], printed] = await Promise.all([once(child, "exit"), text(child.stdout)]);
  expect([code, printed]).toEqual([0, "closed\n"]);
});
