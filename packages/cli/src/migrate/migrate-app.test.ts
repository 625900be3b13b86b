import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { plainEnvironment } from "../plain-environment.test-kit.ts";
import { runCli } from "../run-cli.test-kit.ts";

const books = join(import.meta.dirname, "../../../../apps/books");
const databaseUrl = `sqlite://${join(mkdtempSync(join(tmpdir(), "cli-")), "books.db")}`;

interface Migrated {
  readonly steps: readonly { readonly number: number; readonly direction: string }[];
  readonly durable: boolean;
  readonly tables: readonly { readonly set: string }[];
}

/** Runs several commands in one process: loading the books app takes longer than its migrations. */
const COMMANDS = `import { commandLine } from ${JSON.stringify(join(import.meta.dirname, "../command-line.ts"))};
const runs = [];
for (const words of JSON.parse(process.argv[1])) {
  let out = "";
  const exitCode = await commandLine(["migrate", "--json", ...words], { write: (text) => (out += text) });
  runs.push({ exitCode, data: JSON.parse(out) });
}
process.stdout.write(JSON.stringify(runs), () => process.exit());`;

const migrate = (...lines: readonly (readonly string[])[]) => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@framework/source", "--input-type=module", "--eval", COMMANDS, JSON.stringify(lines)],
    {
      cwd: books,
      encoding: "utf8",
      timeout: 120_000,
      env: { ...plainEnvironment, DATABASE_URL: databaseUrl },
    },
  );
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as { exitCode: number; data: Migrated }[];
};

test("a dry run lists the migrations of books, a run applies them, a second run does nothing, and an unknown target is a failure", () => {
  const [planned, ...runs] = migrate(["--dry-run"], [], [], ["--dry-run"], ["--to", "999"]);
  const { steps = [], tables = [] } = planned?.data ?? {};
  expect(steps.length).toBeGreaterThan(0);
  expect(tables.length).toBeGreaterThan(0);
  expect([planned, ...runs]).toMatchObject([
    { exitCode: 0, data: { durable: false } },
    { exitCode: 0, data: { steps, tables, durable: true } },
    { exitCode: 0, data: { steps: [], tables: [], durable: true } },
    { exitCode: 0, data: { steps: [], tables: [] } },
    { exitCode: 1, data: { error: { code: "DATABASE_MIGRATION_MISSING" } } },
  ]);
});

/** Writes a module with an app that composes durable work on a new database. */
const durableApp = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  const source = (name: string) => JSON.stringify(join(import.meta.dirname, `../../../${name}/src/index.ts`));
  const path = join(folder, "app.ts");
  writeFileSync(
    path,
    `import { App } from ${source("core")};
import { database } from ${source("database")};
import { durable } from ${source("durable")};
export const createApp = () => new (App.with(database, durable))().enableDatabase({ url: "sqlite://${folder}/x.db" });`,
  );
  return path;
};

test("the table of parked work is created before a feature uses durable work", async () => {
  const app = durableApp();
  const lacking = await runCli(["parked", "--app", app]);
  expect([lacking.exitCode, lacking.err]).toEqual([1, expect.stringContaining("framework migrate")]);
  expect((await runCli(["migrate", "--dry-run", "--app", app])).out).toMatch(
    /^would run up durable-parked 1 create-parked$/m,
  );
  const { exitCode, out } = await runCli(["migrate", "--app", app]);
  expect([exitCode, out]).toEqual([
    0,
    expect.stringMatching(/^up durable-parked 1 create-parked$[^]*^the tables of durable work are current$/m),
  ]);
  expect((await runCli(["parked", "--app", app])).out).toBe("0 items\n");
});

test("a folder that does not exist is a usage error", async () => {
  const { exitCode, err } = await runCli(["migrate", "nodir"], { cwd: books });
  expect([exitCode, err]).toEqual([2, expect.stringMatching(/^error: there is no folder .*nodir$/m)]);
});

test("a terminal shows a progress bar, removed at the end; other outputs get none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  for (const [name, text] of Object.entries({
    "0001-add-a": "CREATE TABLE a (id)",
    "0002-add-b": "CREATE TABLE b (id)",
  }))
    writeFileSync(join(folder, `${name}.up.sql`), text);
  const app = join(import.meta.dirname, "../operate/mail-app.test-program.ts");
  process.env["MAIL_DATABASE"] = join(folder, "mail.db"); // for the app that the command creates in this process
  try {
    const { exitCode, err } = await runCli(["migrate", folder, "--app", app], { isTerminal: true });
    const shown = Array.from(err.matchAll(/(█*)(░+) ([^\r]+)/g), ([, full = "", , text]) => [
      full.length,
      text,
    ]);
    expect([exitCode, shown]).toEqual([
      0,
      [
        [0, "migrations of the folder"],
        [0, "1 of 2: 1 add-a"],
        [11, "2 of 2: 2 add-b"],
        [22, "tables of durable work"],
      ],
    ]);
    expect(err.endsWith("\r\u001b[2K")).toBe(true);
    expect((await runCli(["migrate", folder, "--app", app])).err).toBe("");
  } finally {
    delete process.env["MAIL_DATABASE"];
  }
});
