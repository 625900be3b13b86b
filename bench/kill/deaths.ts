import type { Connection, Outcome } from "../client/connection.ts";
import { workerOf } from "../client/workers.ts";

/** A worker that was killed under load. */
export interface Death {
  readonly pid: number;
  readonly at: number;
  /** Requests that were on the way to it, the connections whose worker was not known yet included. */
  readonly inFlight: number;
  failed: number;
}

/** Milliseconds within which a client hears of its worker's death. */
const NOTICE_MS = 250;

/** Knows which worker each open connection belongs to, and puts each failed request down to the death of its worker. */
export class Deaths {
  readonly all: Death[] = [];
  /** Failed requests that no death explains, in words. */
  readonly unexplained: string[] = [];
  /** Workers that have answered, the dead ones included. */
  readonly answering: Set<number> = new Set();
  private readonly workers = new Map<Connection, number | null>();

  /** A request is sent on this connection. */
  uses(connection: Connection): void {
    if (!this.workers.has(connection)) this.workers.set(connection, null);
  }

  /** A worker is killed now. */
  add(pid: number): void {
    const mine = [...this.workers].filter(([connection, worker]) => worker === pid || !connection.answered);
    this.all.push({ pid, at: performance.now(), inFlight: mine.length, failed: 0 });
  }

  seen(outcome: Outcome, connection: Connection): void {
    if (outcome.kind === "reply") {
      const pid = workerOf(outcome.reply.body);
      if (pid !== null) this.answering.add(pid);
      if (connection.usable) this.workers.set(connection, pid);
      else this.workers.delete(connection);
      return;
    }
    const worker = this.workers.get(connection) ?? null;
    this.workers.delete(connection);
    if (outcome.kind === "left") return;
    const death = outcome.kind.startsWith("reset") ? this.deathOf(worker, connection) : undefined;
    if (death !== undefined) death.failed++;
    else this.unexplained.push(`${outcome.kind} (${outcome.reason}), worker ${worker ?? "not known"}`);
  }

  /** That of its worker; before the first answer the worker is not known, and a death right before the failure must do. */
  private deathOf(worker: number | null, { openedAt }: Connection): Death | undefined {
    if (worker !== null) return this.all.find(({ pid }) => pid === worker);
    const now = performance.now();
    return this.all.findLast(({ at }) => at >= openedAt && now - at < NOTICE_MS);
  }
}
