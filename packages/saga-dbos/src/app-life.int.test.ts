import { App } from "@framework/core";
import { database } from "@framework/database";
import { databaseInSchema } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { saga, sagas } from "@framework/saga";
import { sharedSchema, withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { dbos } from "./driver/dbos-sdk.ts";
import { dbosRunner } from "./index.ts";
import { workflowOf } from "./names/ids.ts";

const Sagas = App.with(database, durable, sagas);

withServer("postgres", (server) => {
  test("a saga that a startup handler starts runs its steps once the app has started", async () => {
    await using storage = await databaseInSchema(server);
    await using tables = sharedSchema(server);
    const log: string[] = [];
    const ended = Promise.withResolvers<void>();
    const greet = saga("greet", 1)
      .call("greet", () => void log.push("step"))
      .call("end", () => ended.resolve())
      .build();
    const app = new Sagas()
      .enableDatabase({ url: storage.url })
      .enableSaga({ runner: dbosRunner({ url: server, schema: tables.name, pollMs: 50 }) });
    app.saga.define(greet);
    app.onEvent("startup", async () => {
      await app.saga.start(greet, null, { key: "1" });
      await untilRunning(workflowOf(greet));
      log.push("up");
    });
    await app.start();
    await ended.promise;
    await app.stop();
    expect(log).toEqual(["up", "step"]);
  }, 180_000);

  test("a start that fails after DBOS was launched shuts it down", async () => {
    await using storage = await databaseInSchema(server);
    await using tables = sharedSchema(server);
    const app = new Sagas()
      .enableDatabase({ url: storage.url })
      .enableSaga({ runner: dbosRunner({ url: server, schema: tables.name }) });
    app.onEvent("startup", () => {
      expect(dbos().isInitialized()).toBe(true);
      throw new Error("no mail server");
    });
    await expect(app.start()).rejects.toThrow("no mail server");
    expect(dbos().isInitialized()).toBe(false);
  }, 180_000);
});

/** Resolves some polls after DBOS has begun a workflow, so that its first step could have run. */
const untilRunning = async (name: string): Promise<void> => {
  const hasBegun = async (): Promise<boolean> =>
    (await dbos().listWorkflows({ workflowName: name, status: "PENDING" })).length > 0;
  while (!(await hasBegun()));
  for (let turn = 0; turn < 20; turn++) await hasBegun();
};
