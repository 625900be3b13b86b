import type { Connection, Outcome } from "../client/connection.ts";
import { workerOf } from "../client/workers.ts";

/** A worker that was killed under load. */
export interface Death {
  readonly pid: number;
  readonly at: number;
  /** Number of its requests in flight, including connections whose worker was unknown. */
  readonly inFlight: number;
  failed: number;
}

/** Maximum milliseconds from a worker's death to a client's error. */
const NOTICE_MS = 250;

/** Tracks the worker of each connection, and attributes each failed request to the death of its worker. */
export class Deaths {
  readonly all: Death[] = [];
  /** Failed requests that were not in flight on a killed worker. */
  readonly unexplained: string[] = [];
  /** Workers that have sent a reply, including killed ones. */
  readonly replying: Set<number> = new Set();
  private readonly workers = new Map<Connection, number | null>();

  /** Called before a request is sent on this connection. */
  onSend(connection: Connection): void {
    if (!this.workers.has(connection)) this.workers.set(connection, null);
  }

  /** Records that a worker is killed now. */
  add(pid: number): void {
    const affected = [...this.workers].filter(
      ([connection, worker]) => worker === pid || !connection.replies,
    );
    this.all.push({ pid, at: performance.now(), inFlight: affected.length, failed: 0 });
  }

  onOutcome(outcome: Outcome, connection: Connection): void {
    if (outcome.kind === "reply") {
      const pid = workerOf(outcome.reply.body);
      if (pid !== null) this.replying.add(pid);
      if (connection.usable) this.workers.set(connection, pid);
      else this.workers.delete(connection);
      return;
    }
    const worker = this.workers.get(connection) ?? null;
    this.workers.delete(connection);
    if (outcome.kind === "disconnected") return;
    const death = outcome.kind.startsWith("reset") ? this.deathOf(worker, connection) : undefined;
    if (death !== undefined) death.failed++;
    else this.unexplained.push(`${outcome.kind} (${outcome.reason}), worker ${worker ?? "unknown"}`);
  }

  /** Finds the death of the worker. Before the first reply of a connection its worker is unknown, so any death right before the failure counts. */
  private deathOf(worker: number | null, { openedAt }: Connection): Death | undefined {
    if (worker !== null) return this.all.find(({ pid }) => pid === worker);
    const now = performance.now();
    return this.all.findLast(({ at }) => at >= openedAt && now - at < NOTICE_MS);
  }
}
