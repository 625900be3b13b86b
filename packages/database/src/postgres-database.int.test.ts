import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { databaseContract } from "./database-contract.test-kit.ts";
import { type Database, openDatabase } from "./index.ts";
import { sameOutcomes } from "./outcomes.test-kit.ts";
import { databaseInSchema } from "./testing.ts";

const onServer = (server: string): void => {
  const inSchema = async (): Promise<Database & AsyncDisposable> => {
    const schema = await databaseInSchema(server);
    const db = openDatabase({ url: schema.url, idleInTransactionSecs: 3 });
    return Object.assign(db, {
      async [Symbol.asyncDispose]() {
        await db.close();
        await schema[Symbol.asyncDispose]();
      },
    });
  };

  databaseContract(test, inSchema);
  sameOutcomes(test, inSchema);
};

withServer("postgres", onServer);
withServer("postgres-newest", onServer);
