import { sql } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import type { FinalPosition, Frontier } from "./frontier.ts";
import { logRewind } from "./log-rewind.ts";
import { lastStored } from "./last-stored.ts";
import { SingleFlight } from "./single-flight.ts";

/**
 * The frontier where positions are drawn in commit order: on SQLite, where write transactions run one at a time, and on PostgreSQL with a
 * counter row. A later commit never gets a position before a visible event, so the frontier is the last position.
 */
export class CommitOrder implements Frontier {
  position = 0;
  rewinds = 0;
  rewoundTo = 0;
  private readonly advances: SingleFlight<FinalPosition>;

  constructor(base: StoreBase) {
    this.advances = new SingleFlight(async () => {
      const last = (await base.db.fetchValue<number>(lastPosition)) ?? 0;
      if (last < this.position) {
        logRewind(base, this.position, last);
        this.rewoundTo = last;
        this.rewinds++;
      }
      this.position = last;
      return { position: this.position, state: "end" };
    });
  }

  advance(): Promise<FinalPosition> {
    return this.advances.run();
  }
}

const lastPosition = sql`SELECT ${lastStored}`;
