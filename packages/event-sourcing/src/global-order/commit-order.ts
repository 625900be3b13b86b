import { sql } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import type { Decided, Frontier } from "./frontier.ts";
import { logReturn } from "./store-returned.ts";
import { lastStored } from "./last-stored.ts";
import { SharedLook } from "./shared-look.ts";

/**
 * The frontier where positions are in the order of commits: on SQLite, whose transactions that write run one at a time, and on PostgreSQL with a
 * counter row. Every visible position is decided.
 */
export class CommitOrder implements Frontier {
  position = 0;
  returns = 0;
  returnedTo = 0;
  private readonly looks: SharedLook<Decided>;

  constructor(base: StoreBase) {
    this.looks = new SharedLook(async () => {
      const last = (await base.db.fetchValue<number>(lastPosition)) ?? 0;
      if (last < this.position) {
        logReturn(base, this.position, last);
        this.returnedTo = last;
        this.returns++;
      }
      this.position = last;
      return { position: this.position, state: "end" };
    });
  }

  advance(): Promise<Decided> {
    return this.looks.get();
  }
}

const lastPosition = sql`SELECT ${lastStored}`;
