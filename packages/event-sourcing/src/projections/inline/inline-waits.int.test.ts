import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { postgresFixture } from "../../contract/open-fixture.test-kit.ts";
import { Borrowed, loanTypes } from "../../loan.test-kit.ts";
import { INLINE_LOCK } from "../../base/store-locks.ts";
import { foldedRows, shelf, shelfRows } from "../shelf.test-kit.ts";

withServer("postgres", (server) => {
  test("while an append is open, a new inline version is built, and other appends continue", async () => {
    await using fixture = await postgresFixture(server);
    const first = shelf({ inline: true });
    const store = await fixture.open({ events: loanTypes, projections: [first] });
    const append = (stream: string) => store.append(stream, Borrowed({ member: "ann" }));
    await append("loan-1");
    const versions = async (): Promise<string> =>
      (await store.projections.status()).map(({ version, status }) => `${version} ${status}`).join();
    await store.db.transaction(async (tx) => {
      await store.append("loan-slow", Borrowed({ member: "bob" }), { tx });
      await fixture.open({ events: loanTypes, projections: [first, shelf({ inline: true, version: 2 })] });
      for (let at = 2; at < 8; at++) await append(`loan-${at}`);
      const isTrying = async (): Promise<boolean> =>
        (await fixture.db.fetchValue<number>(
          "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND NOT granted",
        )) === 1;
      for (let at = 8; at < 12; at++) {
        await waitFor(isTrying, { subject: "an attempt to go live", timeoutMs: 60_000 });
        await append(`loan-${at}`);
      }
      expect(await versions()).toBe("1 live,2 building");
    });
    await waitFor(async () => (await versions()) === "1 retired,2 live", { timeoutMs: 60_000 });
    expect(await shelfRows(fixture.db)).toEqual(await foldedRows(store));
  }, 240_000);

  test("at most 1,000 of the events appended while another append was open are read under the lock", async () => {
    await using fixture = await postgresFixture(server);
    const count = { locked: 0, all: 0 };
    const second = shelf({
      inline: true,
      version: 2,
      async apply(tx, events, { isRebuild }) {
        if (!isRebuild) return;
        const isLocked = await tx.fetchValue<boolean>(
          `SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted AND classid = ${INLINE_LOCK} AND pid = pg_backend_pid()`,
        );
        count.all += events.length;
        if (isLocked === true) count.locked += events.length;
      },
    });
    const first = shelf({ inline: true, apply: async () => {} });
    const store = await fixture.open({ events: loanTypes, projections: [first] });
    const events = Array.from({ length: 1000 }, () => Borrowed({ member: "ann" }));
    await store.append("loan-1", events.slice(0, 10));
    await store.db.transaction(async (tx) => {
      await store.append("loan-slow", Borrowed({ member: "bob" }), { tx });
      await fixture.open({ events: loanTypes, projections: [first, second] });
      await waitFor(() => count.all === 10, { timeoutMs: 60_000 });
      for (let at = 0; at < 11; at++) await store.append(`loan-${at}`, events);
    });
    const isLive = async (): Promise<boolean> => (await store.projections.status())[1]?.status === "live";
    await waitFor(isLive, { timeoutMs: 60_000 });
    expect(count.all).toBe(11_011);
    expect(count.locked).toBeLessThanOrEqual(1000);
  }, 240_000);

  test("rebuildPart fails at once if `clear` fails to get a lock, and after 30 s if an append is still open", async () => {
    await using fixture = await postgresFixture(server);
    const projections = [
      shelf({
        inline: true,
        clear: async (tx, { stream = "" }, { tables }) => {
          await tx.query`SELECT * FROM ${tables.shelf} WHERE stream = ${stream} FOR UPDATE NOWAIT`;
          await tx.execute`DELETE FROM ${tables.shelf} WHERE stream = ${stream}`;
        },
      }),
    ];
    const store = await fixture.open({ events: loanTypes, projections });
    await store.append("loan-1", Borrowed({ member: "ann" }));
    const rebuild = () => store.projections.rebuildPart("shelf", { stream: "loan-1" });
    await store.db.transaction(async (tx) => {
      await tx.query`SELECT * FROM shelf WHERE stream = 'loan-1' FOR UPDATE`;
      await expect(rebuild()).rejects.toMatchObject({ sqlCode: "55P03" });
    });
    await store.db.transaction(async (tx) => {
      await store.append("loan-2", Borrowed({ member: "bob" }), { tx });
      const startedAt = performance.now();
      await expect(rebuild()).rejects.toMatchObject({ code: "EVENTS_APPEND_OPEN" });
      expect(performance.now() - startedAt).toBeGreaterThan(29_900); // timers may fire a few milliseconds early
    });
    expect(await rebuild()).toBe(1);
  }, 240_000);
});
