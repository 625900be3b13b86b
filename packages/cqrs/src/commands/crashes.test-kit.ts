// Contract tests for crashes at any statement of a command with an idempotency key, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { portContract, type PortContract } from "@framework/core/testing";
import { openDatabase } from "@framework/database";
import { crashAtEachStatement, faultingDatabase } from "@framework/database/testing";
import type { TestDatabase } from "@framework/database/testing";
import { z } from "zod";
import { add, counterAppOn, newLog, runStarted, TABLE, totalOf } from "../counters.test-kit.ts";
import { command } from "../index.ts";

const Move = command("Move", {
  input: z.object({ from: z.string(), to: z.string(), amount: z.number() }),
  output: z.object({ left: z.number() }),
  key: ({ from }) => from,
  idempotency: "required",
});

const moveApp = (db: Parameters<typeof counterAppOn>[0]): ReturnType<typeof counterAppOn> => {
  const app = counterAppOn(db, { maxRetries: 0 });
  app.cqrs.handle(Move, async ({ from, to, amount }, { tx }) => {
    const left = await add(tx, from, -amount);
    await add(tx, to, amount);
    return { left };
  });
  return app;
};

export const crashes: PortContract<TestDatabase> = portContract<TestDatabase>("crashes", {
  "after a crash at any statement, repeating the call with the same key makes the change exactly once":
    async ({ url }) => {
      const db = openDatabase({ url, poolSize: 3 });
      await db.execute(TABLE);
      const next = moveApp(db);
      await next.start({ log: newLog() });
      let round = 0;
      let replays = 0;
      const count = await crashAtEachStatement(async (crash) => {
        const [from, to] = [`from-${++round}`, `to-${round}`];
        const call = [Move, { from, to, amount: 5 }, { idempotencyKey: `k-${round}` }] as const;
        // The app starts on the healthy database, so that its own statements are not counted.
        const faulty = faultingDatabase(db, crash);
        const commands = Object.create(db, {
          transaction: {
            value: (run: never, options: { readonly retries?: number }) =>
              (options.retries === 0 ? faulty : db).transaction(run, options),
          },
        }) as typeof db;
        const first = moveApp(commands);
        let hasReply = false;
        await runStarted(first, async () => {
          hasReply = await first.cqrs.execute(...call).then(
            () => true,
            () => false,
          );
        });
        await faulty.close();
        const before = await totalOf({ db }, to);
        assert.ok(before === null || before === 5, `half a change: ${before}`);
        if (hasReply) assert.equal(before, 5);
        const again = await next.cqrs.execute(...call);
        assert.deepEqual(again, { value: { left: -5 }, token: null, isReplay: before === 5 });
        assert.deepEqual([await totalOf({ db }, from), await totalOf({ db }, to)], [-5, 5]);
        if (again.isReplay) replays++;
        return faulty;
      });
      await next.stop();
      assert.equal(count, 2 * (db.dialect === "postgres" ? 7 : 6)); // begin, claim, [lane], two changes, save, commit
      assert.equal(replays, 3); // a crash after the commit, and the two runs without a crash
      await db.close();
    },
});
