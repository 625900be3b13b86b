// Tests that a subscription continues after its database has rejected claims.
import { App } from "@framework/core";
import { database, openDatabase } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { messaging } from "../index.ts";

const claims = {
  sqlite: {
    reject:
      "CREATE TRIGGER no_claims BEFORE UPDATE ON framework_work BEGIN SELECT RAISE(ABORT, 'no claims'); END;",
    allow: "DROP TRIGGER no_claims;",
  },
  postgres: {
    reject: `CREATE FUNCTION no_claims() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no claims'; END $$;
      CREATE TRIGGER no_claims BEFORE UPDATE ON framework_work FOR EACH ROW EXECUTE FUNCTION no_claims();`,
    allow: "DROP TRIGGER no_claims ON framework_work; DROP FUNCTION no_claims;",
  },
};

export const failedClaimsFacts = (
  test: typeof jestTest,
  make: () => TestDatabase | Promise<TestDatabase>,
): void => {
  test("failed claims do not use up the prefetch of a subscription", async () => {
    await using storage = await make();
    const db = openDatabase({ url: storage.url });
    let failures = 0;
    const warn = (message: string): void => void (message.includes("could not be claimed") && failures++);
    const app = new (App.with(database, durable, messaging))()
      .enableDatabase({ url: storage.url })
      .enableDurable({ pollMinMs: 5, pollMaxMs: 20 })
      .enableMessaging();
    const started: unknown[] = [];
    const end = Promise.withResolvers<void>();
    app.messaging.subscribe("books", { group: "search", prefetch: 4, concurrency: 4 }, async ({ data }) => {
      started.push(data);
      await end.promise;
    });
    await app.start({ log: { info() {}, warn, error() {} } });
    const statements = claims[db.dialect];
    await db.transaction((tx) => tx.script(statements.reject));
    await app.messaging.sendAll(
      "books",
      [1, 2, 3, 4].map((data) => ({ type: "t", data })),
    );
    await waitFor(() => failures >= 3, { subject: "failed claims", timeoutMs: 60_000 });
    expect(started).toEqual([]);
    await db.transaction((tx) => tx.script(statements.allow));
    await waitFor(() => started.length === 4, { subject: "four concurrent handlers", timeoutMs: 20_000 });
    end.resolve();
    await app.stop();
    await db.close();
  }, 120_000);
};
