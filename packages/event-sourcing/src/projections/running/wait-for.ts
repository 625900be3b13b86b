import { HttpError } from "@framework/core";
import { type Clock, keptAlive } from "@framework/core/feature";
import { Bell } from "../../base/bell.ts";
import type { StoreBase } from "../../base/store-base.ts";
import { mistake } from "../../errors/event-error.ts";
import { fromPosition } from "../../events/position.ts";
import { SharedLook } from "../../global-order/shared-look.ts";
import { progressOf, type VersionProgress } from "../versions/progress.ts";

/** What to wait for. */
export interface WaitOptions {
  /** Names of projections. @default all of this process */
  readonly projections?: readonly string[] | undefined;
  /** Longest wait in milliseconds, 0 to 600,000; 0 only looks. @default 5000 */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Waits that one process has at a time. */
export const MAX_WAITS = 10_000;
/** Longest wait, in milliseconds. */
export const MAX_TIMEOUT_MS = 600_000;
const DEFAULT_TIMEOUT_MS = 5000;
/** Pauses between two looks; progress in this or another process that signals it ends them. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/** What waits need. */
export interface WaitNeeds {
  readonly base: StoreBase;
  readonly clock: Clock;
  /** Names of the projections of this process. */
  readonly names: readonly string[];
  /** Calls back whenever a projection advanced; returns a function that ends it. */
  readonly onProgress: (listener: () => void) => () => void;
}

/** Waits until views contain a position. All waits share their looks. */
export class Waits {
  private readonly needs: WaitNeeds;
  private readonly looks: SharedLook<readonly VersionProgress[]>;
  private open = 0;

  constructor(needs: WaitNeeds) {
    this.needs = needs;
    this.looks = new SharedLook(() => progressOf(needs.base));
  }

  /**
   * Resolves to whether the views of the projections contain every event up to a position; `false` after the timeout.
   *
   * @throws EVENTS_BAD_POSITION 400, EVENTS_UNKNOWN_PROJECTION, EVENTS_BAD_READ; HttpError 503 (EVENTS_BUSY) when 10,000 wait
   */
  async until(position: string, { projections, timeoutMs, signal }: WaitOptions = {}): Promise<boolean> {
    const wanted = fromPosition(position);
    const names = projections ?? this.needs.names;
    this.check(names, timeoutMs);
    signal?.throwIfAborted();
    if (this.open >= MAX_WAITS) throw tooBusy();
    this.open++;
    try {
      return await keptAlive(() => this.wait(wanted, names, timeoutMs ?? DEFAULT_TIMEOUT_MS, signal));
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
    const bell = new Bell(clock);
    const end = onProgress(() => bell.ring());
    const deadline = clock.now() + timeoutMs;
    try {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
        const progress = names.length === 0 ? [] : await this.looks.get();
        signal?.throwIfAborted();
        if (names.every((name) => reached(name, progress) >= wanted)) return true;
        const leftMs = deadline - clock.now();
        if (leftMs <= 0) return false;
        await bell.wait(Math.min(pauseMs, leftMs), signal);
        signal?.throwIfAborted();
      }
    } finally {
      end();
    }
  }

  private check(names: readonly string[], timeoutMs: number | undefined): void {
    const unknown = names.find((name) => !this.needs.names.includes(name));
    if (unknown !== undefined)
      throw mistake(
        "EVENTS_UNKNOWN_PROJECTION",
        `${unknown} is not in the option \`projections\`, which has ${this.needs.names.join(", ") || "none"}`,
      );
    if (timeoutMs !== undefined && !(timeoutMs >= 0 && timeoutMs <= MAX_TIMEOUT_MS))
      throw mistake("EVENTS_BAD_READ", `\`timeoutMs\` is from 0 to ${MAX_TIMEOUT_MS}, not ${timeoutMs}`);
  }
}

/** How far the view that programs read is: the live version, or the one that will be the first. */
const reached = (name: string, progress: readonly VersionProgress[]): number => {
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
