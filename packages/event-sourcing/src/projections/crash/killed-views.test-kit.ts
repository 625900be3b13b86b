import { projection, type Projection } from "../../index.ts";
import { loanTypes } from "../../loan.test-kit.ts";
import { shelf } from "../shelf.test-kit.ts";

/** The asynchronous view, with small transactions, so that a kill falls into one. */
export const killedShelf = (version = 1): Projection => shelf({ version, shards: 3, batchSize: 5 });

/** A view that changes in the transaction of each append. */
export const killedDesk: Projection = projection<(typeof loanTypes)[number], "desk">({
  name: "desk",
  types: loanTypes,
  inline: true,
  tables: { desk: "stream TEXT PRIMARY KEY, applied INTEGER NOT NULL" },
  async apply(tx, events, { tables }) {
    for (const { stream } of events)
      await tx.execute`INSERT INTO ${tables.desk} AS d (stream, applied) VALUES (${stream}, 1)
        ON CONFLICT (stream) DO UPDATE SET applied = d.applied + 1`;
  },
});
