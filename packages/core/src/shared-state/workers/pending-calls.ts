import type { FrameworkError } from "../../errors/framework-error.ts";
import { SharedStateUnavailableError } from "../unavailable-error.ts";
import type { PrimaryLink, StateCall, StateResults } from "./primary-link.ts";
import type { Clock } from "../../runtime/clock.ts";

interface PendingCall {
  readonly resolve: (result: never) => void;
  readonly reject: (error: FrameworkError) => void;
  readonly cancel: () => void;
}

/** Bounds on pending calls. */
export interface PendingCallsOptions {
  readonly timeoutMs: number;
  readonly maxOutstanding: number;
  readonly clock: Pick<Clock, "after">;
}

/** The calls to the primary that wait for a result. The result, the timeout or the close of the link ends a call. */
export class PendingCalls {
  private readonly pending = new Map<number, PendingCall>();
  private readonly link: PrimaryLink;
  private readonly options: PendingCallsOptions;
  private lastId = 0;
  private closed = false;

  constructor(link: PrimaryLink, options: PendingCallsOptions) {
    this.link = link;
    this.options = options;
  }

  /** Whether the link is open. */
  get isOpen(): boolean {
    return !this.closed;
  }

  /** Sends a call and waits for its result. @throws CORE_SHARED_STATE_UNAVAILABLE, or the code of the primary's error */
  send<C extends StateCall>(call: C): Promise<StateResults[C["op"]]> {
    const { timeoutMs, maxOutstanding, clock } = this.options;
    if (this.closed)
      return Promise.reject(new SharedStateUnavailableError("the link to the primary process is closed"));
    if (this.pending.size >= maxOutstanding) {
      return Promise.reject(
        new SharedStateUnavailableError(`${maxOutstanding} calls to the primary process are pending already`),
      );
    }
    const id = ++this.lastId;
    const { promise, resolve, reject } = Promise.withResolvers<StateResults[C["op"]]>();
    const expire = () =>
      this.fail(
        id,
        new SharedStateUnavailableError(`the primary process did not respond within ${timeoutMs} ms`),
      );
    this.pending.set(id, { resolve, reject, cancel: clock.after(timeoutMs, expire) });
    try {
      this.link.send({ "@framework": "shared-state", type: "call", id, call });
    } catch (cause) {
      this.fail(id, new SharedStateUnavailableError("the link to the primary process cannot send", cause));
    }
    return promise;
  }

  resolve(id: number, result: StateResults[keyof StateResults]): void {
    this.take(id)?.resolve(result as never); // `send` gave the id the type of its operation
  }

  fail(id: number, error: FrameworkError): void {
    this.take(id)?.reject(error);
  }

  /** Fails pending and later calls. */
  close(): void {
    this.closed = true;
    for (const id of this.pending.keys()) {
      this.fail(id, new SharedStateUnavailableError("the link to the primary process was closed"));
    }
  }

  /** Removes and returns a pending call; `undefined` for a late response. */
  private take(id: number): PendingCall | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    pending?.cancel();
    return pending;
  }
}
