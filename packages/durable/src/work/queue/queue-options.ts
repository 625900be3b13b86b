import type { Awaitable, DependenciesOf, Injections, InvocationKind, RetryPolicy } from "@framework/core";
import { retryPolicy } from "@framework/core";
import {
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  decimal,
  integer,
  oneOf,
} from "@framework/core/feature";
import { type Admission, admitAll } from "./admission.ts";
import { checkTogether } from "./check-together.ts";
import type { WorkItem } from "./work-item.ts";

/** Options of a queue. */
export interface QueueOptions<
  T,
  I extends Injections | undefined = undefined,
> extends ConfigInput<QueueLimits> {
  /** Name of the queue, the same in every process: 1 to 100 letters, digits and `. _ : / -`. */
  readonly name: string;
  /** Attempts and delays. @default 5 attempts, up to 1 s, 4 s, 16 s and 64 s apart */
  readonly retry?: ConfigInput<RetryPolicy> | undefined;
  /** Whether to retry after an error; not called for a `NonRetryableError`. @default always */
  readonly isRetryable?: ((error: unknown) => boolean) | undefined;
  /** Kind of each item's invocation. @default "work" */
  readonly kind?: InvocationKind | undefined;
  /** Limits how many items are claimed, in addition to `concurrency`, such as by a rate over all processes. @default no limit */
  readonly admission?: Admission | undefined;
  /** Whether the handler is called without an invocation and an operation, for features that create their own. @default false */
  readonly isPlain?: boolean | undefined;
  /** Whether items are also claimed during the drain, until the stop, and with `runWork: false`: for replies to requests of this process. @default false */
  readonly endsWithStop?: boolean | undefined;
  /** Dependencies of the handler. @default none */
  readonly inject?: I;
  /**
   * Does the work of one item. When it returns, the item is done and the returned value is its result; when it throws, the item is retried or
   * gives up. With `isPlain` it may return `untilEnded`.
   */
  handle: WorkHandler<T, I>;
}

/**
 * Handler of an item. The second argument has the dependencies, if there are any.
 *
 * Two complete function types, not an optional parameter: otherwise the compiler would not infer the type of `db = Depends(Db)`.
 */
export type WorkHandler<T, I extends Injections | undefined = undefined> = [NonNullable<I>] extends [never]
  ? (item: WorkItem<T>) => Awaitable<unknown>
  : (item: WorkItem<T>, dependencies: DependenciesOf<I>) => Awaitable<unknown>;

/** Limits of a queue. */
export interface QueueLimits {
  /** Maximum number of concurrent items in one process, 1 to 1,000. @default 10 */
  readonly concurrency: number;
  /** Time limit of one attempt in milliseconds, from 1 to a week. When it is reached, the signal aborts and the attempt has failed, even if the handler returns later. @default 60000 */
  readonly timeoutMs: number;
  /** How long done and cancelled items are kept with their results, in seconds; 0 removes done items at once. @default 0 */
  readonly keepSecs: number;
  /** How long items that gave up are kept, in seconds. @default 604800 */
  readonly keepFailedSecs: number;
  /** Treatment of an item that gave up: `park` moves it to the parked work, `keep` leaves it in the queue as failed. @default "park" */
  readonly onExhausted: "park" | "keep";
  /** The health check fails when items have been due, and no attempt has ended in this process, for this many seconds, at least 0.1. @default timeoutMs plus a minute */
  readonly stalledAfterSecs: number;
  /** The health check fails when more items than this gave up in this process in the past hour. @default 100 */
  readonly maxGaveUpPerHour: number;
}

/** Checked options of a queue, with defaults. */
export interface QueueDefinition extends QueueLimits {
  readonly name: string;
  readonly retry: RetryPolicy;
  readonly isRetryable: (error: unknown) => boolean;
  readonly kind: InvocationKind;
  readonly admission: Admission;
  readonly isPlain: boolean;
  readonly endsWithStop: boolean;
  readonly inject: Injections | undefined;
  readonly handle: (item: WorkItem<never>, dependencies: never) => Awaitable<unknown>;
}

const WEEK_MS = 604_800_000;
const YEAR_SECS = 31_536_000;
const DEFAULT_STALL_SECS = 60;

interface QueueRecord extends QueueLimits {
  readonly name: string;
}

const record: ConfigRecord<QueueRecord> = configRecord("QueueOptions", {
  name: checked(
    "",
    "1 to 100 letters, digits and . _ : / -",
    (value) => typeof value === "string" && /^[\w.:/-]{1,100}$/.test(value),
  ),
  concurrency: integer(10, { min: 1, max: 1000 }),
  timeoutMs: integer(60_000, { min: 1, max: WEEK_MS }),
  keepSecs: decimal(0, { min: 0, max: YEAR_SECS }),
  keepFailedSecs: decimal(604_800, { min: 0, max: YEAR_SECS }),
  onExhausted: oneOf("park", ["park", "keep"]),
  stalledAfterSecs: decimal(0, { min: 0.1, max: YEAR_SECS }),
  maxGaveUpPerHour: integer(100, { min: 0, max: 1_000_000_000 }),
});

const defaultRetry: ConfigInput<RetryPolicy> = {
  attempts: 5,
  delayMs: 1000,
  factor: 4,
  maxDelayMs: 3_600_000,
};

/** Checks the options of a queue and fills in defaults. @throws ConfigurationError CORE_BAD_CONFIG, all mistakes together */
export const queueDefinition = <T, I extends Injections | undefined>(
  options: QueueOptions<T, I>,
): QueueDefinition => {
  const { retry, isRetryable = () => true, kind = "work", ...others } = options;
  const { admission = admitAll, isPlain = false, endsWithStop = false, inject, ...rest } = others;
  const { handle: _handle, ...limits } = rest;
  const [checkedLimits, checkedRetry] = checkTogether(
    () => record.of(limits),
    () => retryPolicy(retry, defaultRetry),
  );
  return Object.freeze({
    ...checkedLimits,
    stalledAfterSecs: checkedLimits.stalledAfterSecs || checkedLimits.timeoutMs / 1000 + DEFAULT_STALL_SECS,
    retry: checkedRetry,
    isRetryable,
    kind,
    admission,
    isPlain,
    endsWithStop,
    inject,
    handle: options.handle.bind(options) as QueueDefinition["handle"],
  });
};
