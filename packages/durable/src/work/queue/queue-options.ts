import type { Awaitable, DependenciesOf, Injections, InvocationKind, RetryPolicy } from "@framework/core";
import { retryPolicy } from "@framework/core";
import {
  type ConfigInput,
  type ConfigRecord,
  checked,
  configRecord,
  decimal,
  integer,
  oneOf,
} from "@framework/core/feature";
import { admitAll, type Admission } from "./admission.ts";
import type { WorkItem } from "./work-item.ts";

/** Options of a queue. */
export interface QueueOptions<
  T,
  I extends Injections | undefined = undefined,
> extends ConfigInput<QueueLimits> {
  /** Name, the same in every process that uses the queue: 1 to 100 letters, digits and `. _ : / -`. */
  readonly name: string;
  /** Attempts and delays. @default 5 attempts, about 1 s, 4 s, 16 s and 64 s apart */
  readonly retry?: ConfigInput<RetryPolicy> | undefined;
  /** Whether another attempt makes sense after an error; never asked about a `NonRetryableError`. @default always */
  readonly isRetryable?: ((error: unknown) => boolean) | undefined;
  /** Kind of the invocation of each item. @default "work" */
  readonly kind?: InvocationKind | undefined;
  /** Limits how many items are claimed, beside `concurrency`: by a rate over all processes, say. @default no limit */
  readonly admission?: Admission | undefined;
  /** Calls the handler without an invocation and an operation of its own: for features that make them. @default false */
  readonly isPlain?: boolean | undefined;
  /** Claims during the drain too, until the stop, and with `runWork: false`: for replies to what this process itself asked. @default false */
  readonly endsWithStop?: boolean | undefined;
  /** Dependencies of the handler. @default none */
  readonly inject?: I;
  /**
   * Does the work of one item. When it returns, the item is done, with the returned value as its result; when it throws, there is another attempt or the item
   * gives up. With `isPlain` it may return `untilEnded`.
   */
  handle: WorkHandler<T, I>;
}

/** Does the work of one item: its dependencies are the last argument, if there are any. */
export type WorkHandler<T, I extends Injections | undefined = undefined> = [NonNullable<I>] extends [never] // between whole functions, so that `db = Depends(Db)` has the type of its default
  ? (item: WorkItem<T>) => Awaitable<unknown>
  : (item: WorkItem<T>, dependencies: DependenciesOf<I>) => Awaitable<unknown>;

/** Limits of a queue. */
export interface QueueLimits {
  /** Items that run in one process at a time, 1 to 1,000. @default 10 */
  readonly concurrency: number;
  /** Limit of one attempt in milliseconds, 1 to a week. Then its signal aborts, and the attempt has failed whatever the handler does. @default 60000 */
  readonly timeoutMs: number;
  /** How long done and cancelled items are kept, with their results, in seconds; 0 removes done ones at once. @default 0 */
  readonly keepSecs: number;
  /** How long items that gave up are kept, in seconds. @default 604800 */
  readonly keepFailedSecs: number;
  /** What becomes of an item that gave up: `park` moves it to the parked work, `keep` leaves it in the queue as failed. @default "park" */
  readonly onExhausted: "park" | "keep";
  /** The health check fails when items are due, and no attempt has ended in this process, for so long; in seconds. @default timeoutMs and a minute */
  readonly stalledAfterSecs: number;
  /** The health check fails when more items gave up in this process in the past hour. @default 100 */
  readonly maxGaveUpPerHour: number;
}

/** A checked queue. */
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
  stalledAfterSecs: decimal(0, { min: 0, max: YEAR_SECS }),
  maxGaveUpPerHour: integer(100, { min: 0, max: 1_000_000_000 }),
});

const defaultRetry: ConfigInput<RetryPolicy> = {
  attempts: 5,
  delayMs: 1000,
  factor: 4,
  maxDelayMs: 3_600_000,
};

/** Checks the options of a queue and fills in defaults. @throws ConfigurationError CORE_BAD_CONFIG, all mistakes in one message */
export const queueDefinition = <T, I extends Injections | undefined>(
  options: QueueOptions<T, I>,
): QueueDefinition => {
  const { retry, isRetryable = () => true, kind = "work", ...others } = options;
  const { admission = admitAll, isPlain = false, endsWithStop = false, inject, ...rest } = others;
  const { handle: _handle, ...limits } = rest;
  const checkedLimits = record.of(limits);
  return Object.freeze({
    ...checkedLimits,
    stalledAfterSecs: checkedLimits.stalledAfterSecs || checkedLimits.timeoutMs / 1000 + DEFAULT_STALL_SECS,
    retry: retryPolicy(retry, defaultRetry),
    isRetryable,
    kind,
    admission,
    isPlain,
    endsWithStop,
    inject,
    handle: options.handle.bind(options) as QueueDefinition["handle"],
  });
};
