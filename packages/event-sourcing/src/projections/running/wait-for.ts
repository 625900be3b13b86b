import { HttpError } from "@framework/core";
import { type Clock, keepAliveDuring } from "@framework/core/feature";
import { WakeSignal } from "../../base/wake-signal.ts";
import type { StoreBase } from "../../base/store-base.ts";
import { eventError, shownValue } from "../../errors/event-error.ts";
import { fromPosition } from "../../events/position.ts";
import { SingleFlight } from "../../global-order/single-flight.ts";
import { progressOf, type VersionProgress } from "../versions/progress.ts";

/** Options of `waitFor`. */
export interface WaitOptions {
  /** Names of projections to wait for. @default all of this process */
  readonly projections?: readonly string[] | undefined;
  /** Maximum wait in milliseconds, 0 to 600,000; 0 checks once. @default 5000 */
  readonly timeoutMs?: number | undefined;
  /** Cancels the wait, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of concurrent waits of a process. */
export const MAX_WAITS = 10_000;
/** Maximum wait, in milliseconds. */
export const MAX_TIMEOUT_MS = 600_000;
const DEFAULT_TIMEOUT_MS = 5000;
/** Pauses between two checks. A signal of progress, from any process, ends a pause early. */
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 200;

/** Dependencies of `Waits`. */
export interface WaitNeeds {
  readonly base: StoreBase;
  readonly clock: Clock;
  /** Names of the projections of this process. */
  readonly names: readonly string[];
  /** Calls back when a projection has advanced; returns a function that unsubscribes. */
  readonly onProgress: (listener: () => void) => () => void;
}

/** Waits until views contain a position. Concurrent waits share their queries. */
export class Waits {
  private readonly needs: WaitNeeds;
  private readonly progress: SingleFlight<readonly VersionProgress[]>;
  private open = 0;

  constructor(needs: WaitNeeds) {
    this.needs = needs;
    this.progress = new SingleFlight(() => progressOf(needs.base));
  }

  /**
   * Resolves to `true` once the views of the projections contain every event up to a position; `false` after the timeout.
   *
   * @throws EVENTS_BAD_POSITION 400, EVENTS_UNKNOWN_PROJECTION, EVENTS_BAD_READ; HttpError 503 (EVENTS_BUSY) if 10,000 calls are waiting; the reason of `signal`
   */
  async until(position: string, { projections, timeoutMs, signal }: WaitOptions = {}): Promise<boolean> {
    const wanted = fromPosition(position);
    const names = projections ?? this.needs.names;
    this.check(names, timeoutMs);
    signal?.throwIfAborted();
    if (this.open >= MAX_WAITS) throw tooBusy();
    this.open++;
    try {
      return await keepAliveDuring(() => this.wait(wanted, names, timeoutMs ?? DEFAULT_TIMEOUT_MS, signal));
    } finally {
      this.open--;
    }
  }

  private async wait(
    wanted: number,
    names: readonly string[],
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { clock, onProgress } = this.needs;
    const wakeSignal = new WakeSignal(clock);
    const end = onProgress(() => wakeSignal.notify());
    const deadline = clock.now() + timeoutMs;
    try {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
        const progress = names.length === 0 ? [] : await orAborted(this.progress.run(), signal);
        if (names.every((name) => viewPosition(name, progress) >= wanted)) return true;
        const leftMs = deadline - clock.now();
        if (leftMs <= 0) return false;
        await wakeSignal.wait(Math.min(pauseMs, leftMs), signal);
        signal?.throwIfAborted();
      }
    } finally {
      end();
    }
  }

  private check(names: readonly string[], timeoutMs: number | undefined): void {
    const unknown = names.find((name) => !this.needs.names.includes(name));
    if (unknown !== undefined)
      throw eventError(
        "EVENTS_UNKNOWN_PROJECTION",
        `${unknown} is not in the option \`projections\`, which has ${this.needs.names.join(", ") || "none"}`,
      );
    const ms: unknown = timeoutMs ?? DEFAULT_TIMEOUT_MS; // a string would be concatenated with the time
    if (typeof ms !== "number" || !(ms >= 0 && ms <= MAX_TIMEOUT_MS))
      throw eventError(
        "EVENTS_BAD_READ",
        `\`timeoutMs\` must be from 0 to ${MAX_TIMEOUT_MS}, not ${shownValue(ms)}`,
      );
  }
}

/** Settles like a query, unless the signal aborts first: a query may take longer than the caller waits. @throws the reason of the signal */
const orAborted = async <T>(query: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return await query;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([query, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
};

/** Returns the position of the view that programs read: of the live version, or of the first one while it is built. */
const viewPosition = (name: string, progress: readonly VersionProgress[]): number => {
  const versions = progress.filter((each) => each.name === name);
  const shown = versions.find(({ status }) => status === "live") ?? versions[0];
  if (shown === undefined) return -1;
  return shown.status === "live" && shown.is_inline === 1 ? Infinity : shown.position;
};

const tooBusy = (): HttpError =>
  new HttpError(503, "Too many requests wait for a view", {
    code: "EVENTS_BUSY",
    headers: { "retry-after": "1" },
    cause: new Error(`event-sourcing: ${MAX_WAITS} calls of waitFor are open`),
  });
