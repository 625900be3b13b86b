import { projection, type Projection } from "../../index.ts";
import { loanTypes } from "../../loan.test-kit.ts";
import { shelf } from "../shelf.test-kit.ts";

/** An asynchronous view with small transactions, so that kills interrupt some. */
export const killedShelf = (version = 1): Projection => shelf({ version, shards: 3, batchSize: 5 });

/** An inline view. */
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
