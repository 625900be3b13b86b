import { readFileSync } from "node:fs";
import { join } from "node:path";
import { configSummary, envExample } from "@framework/config";
import { expect, test } from "@jest/globals";
import { createBooksApp } from "./app.ts";
import { booksSettings, settingsShape } from "./settings.ts";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "..", name), "utf8");

test(".env.example is up to date; `pnpm --filter @framework/books env-example` writes it", () => {
  expect(read(".env.example")).toBe(envExample(settingsShape));
});

test("the README names every variable", () => {
  const readme = read("README.md");
  const names = Object.values(settingsShape).map(({ name }) => name);
  expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

test("the summary shows neither the secrets nor the database's password", () => {
  const env = {
    BOOKS_SECRET: "hidden-1",
    BOOKS_PASSWORD: "hidden-2",
    DATABASE_URL: "postgres://a:hidden-3@db/b",
  };
  const summary = configSummary(booksSettings(env));
  expect(summary).toContain("BOOKS_SECRET");
  expect(summary).not.toContain("hidden");
});

test("DBOS on SQLite is reported together with an invalid number", () => {
  expect(() => booksSettings({ BOOKS_SAGAS: "dbos", BOOKS_LOAN_DAYS: "-1" })).toThrow(
    /BOOKS_LOAN_DAYS must be a number from 0 to 3650[\s\S]*BOOKS_SAGAS=dbos needs PostgreSQL/,
  );
});

test("the service starts with the shortest and the longest time limit of the database", async () => {
  const [, min = "", max = ""] =
    /a number from (\S+) to (\d+)\.\n# BOOKS_DATABASE_SECS/.exec(read(".env.example")) ?? [];
  expect([min, max]).not.toContain("");
  for (const secs of [min, max]) {
    const env = { DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent", BOOKS_DATABASE_SECS: secs };
    const app = createBooksApp(booksSettings(env));
    expect(await app.start({ log: { info() {}, warn() {}, error() {} } })).toBe(app);
    await app.stop();
  }
});
