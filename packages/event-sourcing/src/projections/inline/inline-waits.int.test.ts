import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { postgresFixture } from "../../contract/open-fixture.test-kit.ts";
import { Borrowed, loanTypes } from "../../loan.test-kit.ts";
import { foldedRows, shelf, shelfRows } from "../shelf.test-kit.ts";

withServer("postgres", (server) => {
  test("while an append is open, a new inline version starts and is built, and other appends go on", async () => {
    await using fixture = await postgresFixture(server);
    const first = shelf({ inline: true });
    const store = await fixture.open({ events: loanTypes, projections: [first] });
    const lend = (stream: string) => store.append(stream, Borrowed({ member: "ann" }));
    await lend("loan-1");
    const versions = async (): Promise<string> =>
      (await store.projections.status()).map(({ version, status }) => `${version} ${status}`).join();
    await store.db.transaction(async (tx) => {
      await store.append("loan-slow", Borrowed({ member: "bob" }), { tx });
      await fixture.open({ events: loanTypes, projections: [first, shelf({ inline: true, version: 2 })] });
      for (let at = 2; at < 8; at++) await lend(`loan-${at}`);
      const isTrying = async (): Promise<boolean> =>
        (await fixture.db.fetchValue<number>(
          "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND NOT granted",
        )) === 1;
      for (let at = 8; at < 12; at++) {
        await waitFor(isTrying, { what: "an attempt to go live", timeoutMs: 60_000 });
        await lend(`loan-${at}`);
      }
      expect(await versions()).toBe("1 live,2 building");
    });
    await waitFor(async () => (await versions()) === "1 retired,2 live", { timeoutMs: 60_000 });
    expect(await shelfRows(fixture.db)).toEqual(await foldedRows(store));
  }, 240_000);
});
