import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { databaseContract } from "./database-contract.test-kit.ts";
import { type Database, openDatabase } from "./index.ts";

const inFile = (): Database & AsyncDisposable => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  const db = openDatabase({ url: `sqlite://${join(folder.path, "test.db")}`, idleInTransactionSecs: 0.3 });
  return Object.assign(db, {
    async [Symbol.asyncDispose]() {
      await db.close();
      folder.remove();
    },
  });
};

const inMemory = (): Database => openDatabase({ url: "sqlite://:memory:", idleInTransactionSecs: 0.3 });

describe("in a file", () => {
  databaseContract(test, inFile);
});
describe("in memory", () => {
  databaseContract(test, inMemory);
});
