import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { databaseContract } from "../database-contract.test-kit.ts";
import { type Database, openDatabase } from "../index.ts";
import { sameOutcomes } from "../outcomes.test-kit.ts";
import { faultingDatabase } from "../testing.ts";
import { rowsAfter, comparedCrashes, table } from "./crash-scenario.test-kit.ts";
import { crashes } from "./crashes.test-kit.ts";
import { killedAt } from "./killed-at.test-kit.ts";

const inMemory = (): Database => openDatabase({ url: "sqlite://:memory:" });

const inFile = () => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  const url = `sqlite://${join(folder.path, "test.db")}`;
  const db = openDatabase({ url });
  const dispose = async (): Promise<void> => {
    await db.close();
    folder.remove();
  };
  return Object.assign(db, { url, [Symbol.asyncDispose]: dispose });
};

describe("in memory", () => {
  crashes(test, inMemory);
});
describe("in a file", () => {
  crashes(test, inFile);
});

describe("without a fault, a faulting database passes the database contract:", () => {
  const countingDatabase = () => {
    const db = openDatabase({ url: "sqlite://:memory:", idleInTransactionSecs: 0.5 });
    return Object.assign(faultingDatabase(db), { [Symbol.asyncDispose]: () => db.close() });
  };
  databaseContract(test, countingDatabase);
  sameOutcomes(test, countingDatabase);
});

test.each(comparedCrashes)(
  "a process that is killed $when statement $at leaves the same rows as a simulated crash",
  async (crash) => {
    await using db = inFile();
    await db.execute(table);
    await killedAt(crash, db.url);
    expect(await db.query("SELECT id FROM things ORDER BY id")).toEqual(
      rowsAfter(crash).map((id) => ({ id })),
    );
  },
);
