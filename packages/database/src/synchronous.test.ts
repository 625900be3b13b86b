import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { type DatabaseConfig, database, openDatabase } from "./index.ts";
import { databaseInFile } from "./testing.ts";

const NORMAL = 1;
const FULL = 2;

test.each<[Partial<DatabaseConfig>, number]>([
  [{}, FULL],
  [{ synchronous: "full" }, FULL],
  [{ synchronous: "normal" }, NORMAL],
])(
  "with the options %j the write connection has their synchronous level, also in transactions and in an app",
  async (config, level) => {
    await using file = databaseInFile();
    const db = openDatabase({ url: file.url, ...config });
    expect(await db.fetchValue("PRAGMA synchronous")).toBe(level);
    expect(await db.transaction((tx) => tx.fetchValue("PRAGMA synchronous"))).toBe(level);
    await db.close();

    const app = new (App.with(database))().enableDatabase({ url: file.url, ...config });
    await app.start();
    expect(await app.db.transaction((tx) => tx.fetchValue("PRAGMA synchronous"))).toBe(level);
    await app.stop();
  },
);
