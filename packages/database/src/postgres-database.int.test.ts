import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { databaseContract } from "./database-contract.test-kit.ts";
import { type Database, openDatabase, sql } from "./index.ts";
import { sameOutcomes } from "./outcomes.test-kit.ts";

withServer("postgres", (url) => {
  let made = 0;

  /** Each test has its own schema, which is dropped when the database closes. */
  const inSchema = async (): Promise<Database & AsyncDisposable> => {
    const schema = `contract_${process.pid}_${++made}`;
    const admin = openDatabase({ url });
    await admin.execute`CREATE SCHEMA ${sql.identifier(schema)}`;
    const own = new URL(url);
    own.searchParams.set("options", `-c search_path=${schema}`);
    const db = openDatabase({ url: own.href, idleInTransactionSecs: 3 });
    return Object.assign(db, {
      async [Symbol.asyncDispose]() {
        await db.close();
        await admin.execute`DROP SCHEMA ${sql.identifier(schema)} CASCADE`;
        await admin.close();
      },
    });
  };

  databaseContract(test, inSchema);
  sameOutcomes(test, inSchema);
});
