import type { Invocation, InvocationKind } from "@framework/core";
import { createInvocation } from "@framework/core/feature";
import { sql, type Statement, type Transaction } from "@framework/database";
import { jsonText } from "../queue/json-text.ts";
import type { WorkItem } from "../queue/work-item.ts";
import type { Attempt } from "./attempt.ts";

/** Dependencies of `AttemptItem`. */
export interface ItemActions {
  readonly queue: string;
  readonly kind: InvocationKind;
  complete(attempt: Attempt, tx: Transaction, result: unknown): Promise<void>;
  /** Ends the attempt: done, or failed with an error. */
  endAttempt(attempt: Attempt, error: Error | null): void;
  /** Schedules a write of `attempt.progress`. */
  scheduleProgress(attempt: Attempt): void;
}

const MAX_PROGRESS_BYTES = 65_536;
const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** The item of an attempt, for the handler. */
export class AttemptItem implements WorkItem<unknown> {
  readonly headers: Readonly<Record<string, string>>;
  private readonly running: Attempt;
  private readonly actions: ItemActions;
  private ownInvocation: Invocation | null = null;
  private parsed: { readonly payload: unknown } | null = null;

  constructor(running: Attempt, actions: ItemActions) {
    this.running = running;
    this.actions = actions;
    const { headers } = running.row;
    this.headers = headers === null ? noHeaders : (JSON.parse(headers) as Record<string, string>);
  }

  get id(): string {
    return String(this.running.id);
  }

  get payload(): unknown {
    return (this.parsed ??= { payload: JSON.parse(this.payloadText) }).payload;
  }

  get payloadText(): string {
    return this.running.row.payload;
  }

  onSettled(callback: (isHeld: boolean) => void): void {
    this.running.onSettled = callback;
  }

  onAborted(callback: () => void): void {
    this.running.onAborted = callback;
  }

  end(error: Error | null): void {
    this.actions.endAttempt(this.running, error);
  }

  get queue(): string {
    return this.actions.queue;
  }

  get key(): string | null {
    return this.running.row.key;
  }

  get attempt(): number {
    return this.running.row.attempts;
  }

  get createdAt(): number {
    return this.running.row.created_at;
  }

  get signal(): AbortSignal {
    return this.running.signal;
  }

  get held(): Statement {
    const { id, fence } = this.running;
    return sql`EXISTS (SELECT 1 FROM framework_work AS held WHERE held.id = ${id} AND held.fence = ${fence})`;
  }

  get invocation(): Invocation {
    const { kind, queue: name } = this.actions;
    const { headers, signal } = this;
    return (this.ownInvocation ??= createInvocation({
      kind,
      name,
      headers,
      signal,
      params: { id: this.id },
    }));
  }

  progress(value: unknown): void {
    if (!this.running.isOpen) return;
    const { queue } = this;
    this.running.progress = jsonText(value, { queue, subject: "progress", maxBytes: MAX_PROGRESS_BYTES });
    this.actions.scheduleProgress(this.running);
  }

  async complete(tx: Transaction, result?: unknown): Promise<void> {
    await this.actions.complete(this.running, tx, result);
  }
}
