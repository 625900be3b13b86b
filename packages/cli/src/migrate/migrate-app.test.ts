import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const books = join(import.meta.dirname, "../../../../apps/books");
const main = join(import.meta.dirname, "../main.ts");
const databaseUrl = `sqlite://${join(mkdtempSync(join(tmpdir(), "cli-")), "books.db")}`;

interface Migrated {
  readonly steps: readonly { readonly number: number; readonly direction: string }[];
  readonly durable: boolean;
}

const migrate = (...words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@framework/source", main, "migrate", "--json", ...words],
    {
      cwd: books,
      encoding: "utf8",
      timeout: 120_000,
      env: { PATH: process.env["PATH"], DATABASE_URL: databaseUrl },
    },
  );
  if (stdout === "") throw new Error(stderr);
  return { status, data: JSON.parse(stdout) as Migrated };
};

test("books is migrated: first as a dry run, then for real, and then there is nothing to do", () => {
  const planned = migrate("--dry-run");
  expect(planned.data.steps.length).toBeGreaterThan(0);
  expect(planned).toMatchObject({ status: 0, data: { durable: false } });
  expect(migrate()).toMatchObject({ status: 0, data: { steps: planned.data.steps, durable: true } });
  expect(migrate()).toMatchObject({ status: 0, data: { steps: [], durable: true } });
});

test("a target that does not exist is a failure", () => {
  expect(migrate("--to", "999")).toMatchObject({
    status: 1,
    data: { error: { code: "DATABASE_MIGRATION_MISSING" } },
  });
});
