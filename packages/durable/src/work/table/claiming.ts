import { DatabaseError } from "@framework/database";
import { earlier, running } from "./key-order.ts";
import type { Placeholders, StatementShape } from "./statement.ts";
import type { WorkSession, WorkTable } from "./work-table.ts";

/** A claimed item. It has only the columns that an attempt needs, because each column costs time for every item. */
export interface ClaimedRow {
  readonly id: number;
  readonly key: string | null;
  readonly priority: number;
  readonly payload: string;
  readonly headers: string | null;
  /** Number of this attempt, from 1. */
  readonly attempts: number;
  readonly fence: number;
  readonly run_at: number;
  readonly created_at: number;
  /** End of the lease. */
  readonly wake_at: number;
}

/** Parameters of a claim. */
export interface Claim {
  readonly queue: string;
  readonly owner: string;
  readonly limit: number;
  readonly leaseMs: number;
}

/** Maximum number of attempts of one claim: another process may claim an item of the same key at the same time. */
const MAX_ATTEMPTS = 5;

/**
 * A random number below 2^51, a safe integer in JavaScript. A counter is not enough: after a failover to an older copy of the database, new items get the
 * ids of lost ones, and would get their fences as well.
 */
const randomFence = {
  postgres: "floor(random() * 2251799813685248)::bigint",
  sqlite: "random() & 2251799813685247",
};

const update = ({ owner, lease, now }: Placeholders, fence: string): string =>
  `UPDATE framework_work SET state = 'running', owner = ${owner}, wake_at = ${now} + ${lease}, fence = ${fence}, attempts = attempts + 1`;

const ready = ({ queue, slots }: Placeholders, lock: string): string =>
  `SELECT c.id FROM framework_work AS c
  WHERE c.queue = ${queue} AND c.state = 'ready' AND (c.key IS NULL OR (NOT EXISTS (${earlier("c")}) AND NOT EXISTS (${running("c")})))
  ORDER BY c.priority DESC, c.run_at, c.id LIMIT ${slots} ${lock}`;

const returned = {
  id: "bigint",
  key: "text",
  priority: "smallint",
  payload: "text",
  headers: "text",
  attempts: "integer",
  fence: "bigint",
  run_at: "bigint",
  created_at: "bigint",
  wake_at: "bigint",
};
const columns = Object.keys(returned).join(", ");

export const claimStatement: StatementShape = {
  name: "claim",
  parameters: { queue: "text", owner: "text", lease: "bigint", slots: "integer" },
  returns: returned,
  postgres: (places) =>
    `${update(places, randomFence.postgres)} WHERE id = ANY (ARRAY(${ready(places, "FOR UPDATE SKIP LOCKED")})) RETURNING ${columns}`,
  sqlite: (places) =>
    `${update(places, randomFence.sqlite)} WHERE id IN (${ready(places, "")}) RETURNING ${columns}`,
};

/** Claims ready items by priority and then due time; of each key only the first item, and none while one is running. */
export class Claiming {
  private readonly table: WorkTable;

  constructor(table: WorkTable) {
    this.table = table;
  }

  /** Claims at most `limit` items, and returns them in order. The claim counts the attempt, so that it counts even if the process is killed. */
  async claim(claim: Claim, session?: WorkSession): Promise<readonly ClaimedRow[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const rows = await this.table.run<ClaimedRow>(claimStatement, {
          parameters: claimParameters(claim),
          session,
        });
        return rows.sort(byOrder);
      } catch (error) {
        if (!isKeyConflict(error)) throw error;
        if (attempt === MAX_ATTEMPTS) return [];
      }
    }
  }
}

/** Returns the parameters of the statement of a claim. */
export const claimParameters = ({
  queue,
  owner,
  limit,
  leaseMs,
}: Claim): Readonly<Record<string, string | number>> => ({ queue, owner, lease: leaseMs, slots: limit });

/** Whether a claim failed because another process claimed an item of the same key at the same time, which the unique index prevents. */
export const isKeyConflict = (error: unknown): boolean =>
  error instanceof DatabaseError && error.kind === "unique";

/** Compares claimed items in the order of the queue: `RETURNING` has no defined order. */
export const byOrder = (a: ClaimedRow, b: ClaimedRow): number =>
  b.priority - a.priority || a.run_at - b.run_at || a.id - b.id;
