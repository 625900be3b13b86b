import { type Database, openDatabase } from "@framework/database";
import { databaseInFile, databaseInSchema, type TestDatabase as Made } from "@framework/database/testing";

/** A database of one test, which several processes may open. */
export interface TestDatabase extends Made {
  /** Opens it once more, as another process would. Closed with the test. */
  open(): Database;
}

const opener = ({ url, ...made }: Made): TestDatabase => {
  const opened: Database[] = [];
  return {
    url,
    open() {
      const db = openDatabase({ url, connectionTimeoutSecs: 30 });
      opened.push(db);
      return db;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((db) => db.close()));
      await made[Symbol.asyncDispose]();
    },
  };
};

export const sqliteFile = async (): Promise<TestDatabase> => opener(databaseInFile());

export const postgresSchema = async (server: string): Promise<TestDatabase> =>
  opener(await databaseInSchema(server));
