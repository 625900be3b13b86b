import { setTimeout as delay } from "node:timers/promises";
import { startPostgres, withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { same } from "../../contract/store-fixture.ts";
import { openEventStore, type OpenEventStore } from "../../index.ts";
import { Extended, loanTypes } from "../../loan.test-kit.ts";
import { foldedRows, longTimeout, shelfRows } from "../shelf.test-kit.ts";
import { killedDesk, killedShelf } from "./killed-views.test-kit.ts";

/** Number of restarts. Each makes the pauses of shards longer. */
const RESTARTS = Number(process.env["FRAMEWORK_RESTARTS"] ?? 2);

/** Appends until `hasEnded`, and returns the event ids that the store has acknowledged. */
const appendUntil = async (
  store: OpenEventStore,
  caller: number,
  hasEnded: () => boolean,
): Promise<string[]> => {
  const acknowledged: string[] = [];
  for (let at = 0; !hasEnded(); at++, await delay(5)) {
    const id = `${caller}-${at}`;
    const append = store.append(`loan-${at % 5}`, { ...Extended({ days: 1 }), id });
    await append.then(
      () => acknowledged.push(id),
      () => delay(20), // the server is down
    );
  }
  return acknowledged;
};

/** Checks that no shard is ahead of the events of the restarted server. */
const expectNoCheckpointAhead = async ({ db }: OpenEventStore): Promise<void> => {
  const ahead = await waitFor(() =>
    db.query(
      `SELECT position FROM framework_projection_shards WHERE position > (SELECT coalesce(max(position), 0) FROM framework_events)
       AND position > (SELECT last_value FROM framework_event_positions)`,
    ),
  ); // the first queries may fail, until the server accepts connections
  expect(ahead).toEqual([]);
};

// The shared server is not restarted; requesting it skips this test where PostgreSQL is missing.
withServer("postgres", () => {
  test("after restarts of PostgreSQL during appends, no view is ahead of its events, and all views equal a fresh rebuild", async () => {
    await using server = await startPostgres({ fsync: true });
    const open = (version: number): Promise<OpenEventStore> =>
      openEventStore(
        {
          connectionUrl: server.url,
          events: loanTypes,
          projections: [killedShelf(version), killedDesk],
        },
        { log: { info() {}, warn() {}, error() {} } },
      );
    const store = await open(1);
    let hasEnded = false;
    const callers = [1, 2, 3].map((caller) => appendUntil(store, caller, () => hasEnded));
    const positions = async (): Promise<number> =>
      (await store.db.fetchValue<number>(
        "SELECT CAST(sum(position) AS BIGINT) FROM framework_projection_shards",
      )) ?? 0;
    for (let restart = 0; restart < RESTARTS; restart++) {
      const from = await waitFor(async () => (await positions()) + 1);
      await waitFor(async () => (await positions()) > from, { timeoutMs: 60_000 });
      await server.kill();
      await server.start();
      await expectNoCheckpointAhead(store);
    }
    hasEnded = true;
    const acknowledged = (await Promise.all(callers)).flat();
    const { position } = await waitFor(() => store.append("loan-0", Extended({ days: 1 })));
    expect(await store.waitFor(position, longTimeout)).toBe(true);
    const folded = await foldedRows(store);
    same(await shelfRows(store.db), folded);
    const counted = folded.map(({ stream, applied }) => ({ stream, applied }));
    same(await store.db.query("SELECT stream, applied FROM desk ORDER BY stream"), counted);
    const ids = await store.db.query<{ id: string }>("SELECT event_id AS id FROM framework_events");
    const stored = new Set(ids.map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(10);
    await store.close();
    await using rebuilt = await open(2);
    await waitFor(
      async () =>
        (await rebuilt.projections.status()).some((each) => each.version === 2 && each.status === "live"),
      {
        timeoutMs: 60_000,
      },
    );
    same(await shelfRows(rebuilt.db), folded);
  }, 240_000);
});
