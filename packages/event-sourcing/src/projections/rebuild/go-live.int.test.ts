import { App } from "@framework/core";
import { database, DatabaseError, openDatabase } from "@framework/database";
import { databaseInSchema } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { fixtureOn } from "../../contract/open-fixture.test-kit.ts";
import { eventSourcing } from "../../index.ts";
import { Borrowed, loanTypes } from "../../loan.test-kit.ts";
import { shelf } from "../shelf.test-kit.ts";

withServer("postgres", (server) => {
  test("an operator's goLive of an inline version succeeds although the owner of its shard reads the same events", async () => {
    const schema = await databaseInSchema(server);
    await using fixture = fixtureOn(
      () => openDatabase({ url: schema.url }),
      () => schema[Symbol.asyncDispose](),
    );
    const { db } = fixture;
    let hasAdvanced: boolean | null = null;
    /** Advances the shard like its owner, unless it is locked. */
    const advance = async (): Promise<boolean> => {
      try {
        await db.transaction(async (tx) => {
          await tx.query`SELECT position FROM framework_projection_shards WHERE version = 2 FOR UPDATE NOWAIT`;
          await tx.execute`UPDATE framework_projection_shards SET position = position + 1 WHERE version = 2`;
        });
        return true;
      } catch (error) {
        if (error instanceof DatabaseError && error.sqlCode === "55P03") return false;
        throw error;
      }
    };
    const first = shelf({ inline: true, apply: async () => {} });
    const second = shelf({
      inline: true,
      version: 2,
      autoLive: false,
      apply: async (_tx, events) => {
        if (events.some(({ stream }) => stream === "loan-2")) hasAdvanced ??= await advance();
      },
    });
    const projections = [first, second];
    const builder = await fixture.open({ events: loanTypes, projections });
    const { position } = await builder.append("loan-1", Borrowed({ member: "ann" }));
    const isBuilt = async (): Promise<boolean> =>
      (await builder.projections.status())[1]?.position === position;
    await waitFor(isBuilt, { timeoutMs: 60_000 });
    await builder.close();
    const store = await fixture.open({ events: loanTypes, projections: [first] });
    await store.append("loan-2", Borrowed({ member: "bob" }));
    const operator = new (App.with(database, durable, eventSourcing))()
      .enableDatabase({ url: schema.url })
      .enableEventSourcing({ events: loanTypes, projections });
    expect(await operator.eventStore.projections.goLive("shelf")).toBe(true);
    expect(hasAdvanced).toBe(false);
    await operator.db.close();
  }, 240_000);
});
