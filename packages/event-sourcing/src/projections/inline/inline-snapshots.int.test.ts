import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { postgresFixture } from "../../contract/open-fixture.test-kit.ts";
import { Borrowed, loanTypes } from "../../loan.test-kit.ts";
import { foldedRows, shelf, shelfRows } from "../shelf.test-kit.ts";

withServer("postgres", (server) => {
  test.each(["repeatable read", "serializable"] as const)(
    "an append in a %s transaction updates an inline view that has gone live since its snapshot",
    async (isolation) => {
      await using fixture = await postgresFixture(server);
      const first = await fixture.open({ events: loanTypes });
      await first.append("loan-1", Borrowed({ member: "ann" }));
      const config = { events: loanTypes, projections: [shelf({ inline: true, autoLive: false })] };
      const [store, other] = [await fixture.open(config), await fixture.open(config)];
      let attempts = 0;
      await store.db.transaction(
        async (tx) => {
          await tx.fetchValue("SELECT count(*) FROM framework_events");
          if (++attempts === 1) await waitFor(() => other.projections.goLive("shelf"), { timeoutMs: 60_000 });
          await store.append("loan-2", Borrowed({ member: "bob" }), { tx });
        },
        { isolation },
      );
      expect(await shelfRows(fixture.db)).toEqual(await foldedRows(store));
      expect(attempts).toBe(2);
    },
    120_000,
  );
});
