import type { Transaction } from "@framework/database";
import {
  failureOf,
  type Kernel,
  TryLaterError,
  type WorkItem,
  type WorkQueue,
} from "@framework/durable/feature";
import type { Logger } from "@framework/core";
import { unknownSaga } from "../errors/saga-errors.ts";
import type { Cancellations } from "./cancellations.ts";
import type { RunClaim, SagaRef, RunQueue } from "./run-queue.ts";

/** Payload of a queue item: the instance to run. */
interface RunPayload {
  readonly id: string;
}

/** Options of the queue of a saga's version. */
export interface RunQueueOptions {
  readonly name: string;
  readonly version: number;
  /** Maximum concurrent runs in this process; 0 for a process that runs none. */
  readonly concurrency: number;
  /** Maximum duration of a run in milliseconds, for the health check of the queue. */
  readonly maxRunMs: number;
  run(claim: RunClaim): Promise<void>;
}

const WEEK_MS = 604_800_000;
const MINUTE_MS = 60_000;
/** Pause after a failure of the infrastructure, such as an unavailable database. */
const PAUSE_MS = 1000;

/**
 * Run queue on the kernel's work queues. Each version of a saga has its own queue, so that processes that do not define it never claim its runs. An instance
 * has at most one unfinished item, because its id is the unique key.
 */
export class KernelRunQueue implements RunQueue {
  private readonly kernel: Kernel;
  private readonly cancellations: Cancellations;
  private readonly log: () => Logger;
  private readonly queues = new Map<string, WorkQueue<RunPayload>>();

  constructor(kernel: Kernel, cancellations: Cancellations, log: () => Logger) {
    this.kernel = kernel;
    this.cancellations = cancellations;
    this.log = log;
  }

  /** Opens the queue of a version. */
  open({ name, version, concurrency, maxRunMs, run }: RunQueueOptions): void {
    const queue = queueOf(name, version);
    const workQueue = this.kernel.queue<RunPayload>({
      name: queue,
      kind: "saga",
      isPlain: true,
      concurrency: Math.max(concurrency, 1),
      timeoutMs: WEEK_MS, // a run has many steps, each with its own limit
      stalledAfterSecs: (maxRunMs + MINUTE_MS) / 1000,
      retry: { attempts: 1000, delayMs: PAUSE_MS },
      ...(concurrency === 0 && {
        admission: () => ({ permits: 0, retryInMs: MINUTE_MS, async giveBack() {} }),
      }),
      handle: (item) => this.handle(item, run),
    });
    this.queues.set(queue, workQueue);
  }

  async add(tx: Transaction, saga: SagaRef, delayMs: number): Promise<void> {
    await this.queue(saga).enqueue({ payload: { id: saga.id }, uniqueKey: saga.id, delayMs }, { tx });
  }

  async replace(tx: Transaction, saga: SagaRef): Promise<void> {
    await this.queue(saga).cancel({ uniqueKey: saga.id }, { tx });
    await this.add(tx, saga, 0);
  }

  async interrupt(tx: Transaction, saga: SagaRef): Promise<void> {
    await this.queue(saga).cancel({ uniqueKey: saga.id }, { tx, keepRunning: true });
    await this.add(tx, saga, 0);
    this.cancellations.announce(tx);
  }

  private queue({ name, version }: SagaRef): WorkQueue<RunPayload> {
    const queue = this.queues.get(queueOf(name, version));
    if (queue === undefined) throw unknownSaga(name, version);
    return queue;
  }

  /** Errors that reach this method are not failures of the saga: the item is released without counting the attempt, and is claimed again. */
  private async handle(item: WorkItem<RunPayload>, run: (claim: RunClaim) => Promise<void>): Promise<void> {
    try {
      await run(this.claimOf(item));
    } catch (error) {
      if (!item.signal.aborted && !isStale(error))
        this.log().warn("saga: a run failed and will be repeated", { id: item.payload.id, error });
      throw new TryLaterError(isStale(error) ? 0 : PAUSE_MS, { isCounted: false });
    }
  }

  private claimOf(item: WorkItem<RunPayload>): RunClaim {
    const { id } = item.payload;
    const queue = this.queues.get(item.queue);
    return {
      sagaId: id,
      attempt: item.attempt,
      signal: item.signal,
      onCancelled: (cancelled) => this.cancellations.watch(id, cancelled),
      held: item.held,
      end: (tx) => item.complete(tx),
      async again(tx, delayMs) {
        await item.complete(tx);
        await queue?.enqueue({ payload: { id }, uniqueKey: id, delayMs }, { tx });
      },
    };
  }
}

const queueOf = (name: string, version: number): string => `saga:${name}:${version}`;
const isStale = (error: unknown): boolean => failureOf(error).code === "SAGA_STALE";
