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
import type { Turn, SagaRef, Turns } from "./turns.ts";

/** Payload of a queue item: a turn of an instance. */
interface TurnPayload {
  readonly id: string;
}

/** Options of the queue of a saga's version. */
export interface TurnQueueOptions {
  readonly name: string;
  readonly version: number;
  /** Maximum concurrent instances in this process; 0 for a process that runs none. */
  readonly concurrency: number;
  /** Longest turn in milliseconds, for the health check of the queue. */
  readonly longestTurnMs: number;
  run(turn: Turn): Promise<void>;
}

const WEEK_MS = 604_800_000;
const MINUTE_MS = 60_000;
/** Pause after a failure of the infrastructure, such as an unavailable database. */
const PAUSE_MS = 1000;

/**
 * Turns as items of the kernel's queues. Each version of a saga has its own queue, so that processes that do not define it never claim its turns. An instance
 * has at most one unfinished item, by its unique key.
 */
export class KernelTurns implements Turns {
  private readonly kernel: Kernel;
  private readonly cancellations: Cancellations;
  private readonly log: () => Logger;
  private readonly queues = new Map<string, WorkQueue<TurnPayload>>();

  constructor(kernel: Kernel, cancellations: Cancellations, log: () => Logger) {
    this.kernel = kernel;
    this.cancellations = cancellations;
    this.log = log;
  }

  /** Opens the queue of a version. */
  open({ name, version, concurrency, longestTurnMs, run }: TurnQueueOptions): void {
    const queue = queueOf(name, version);
    const opened = this.kernel.queue<TurnPayload>({
      name: queue,
      kind: "saga",
      isPlain: true,
      concurrency: Math.max(concurrency, 1),
      timeoutMs: WEEK_MS, // a turn has many steps, each with its own limit
      stalledAfterSecs: (longestTurnMs + MINUTE_MS) / 1000,
      retry: { attempts: 1000, delayMs: PAUSE_MS },
      ...(concurrency === 0 && {
        admission: () => ({ permits: 0, retryInMs: MINUTE_MS, async giveBack() {} }),
      }),
      handle: (item) => this.handle(item, run),
    });
    this.queues.set(queue, opened);
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

  private queue({ name, version }: SagaRef): WorkQueue<TurnPayload> {
    const queue = this.queues.get(queueOf(name, version));
    if (queue === undefined) throw unknownSaga(name, version);
    return queue;
  }

  /** An infrastructure error is not a failure of the saga: the turn is given back, and does not count. */
  private async handle(item: WorkItem<TurnPayload>, run: (turn: Turn) => Promise<void>): Promise<void> {
    try {
      await run(this.turnOf(item));
    } catch (error) {
      if (!item.signal.aborted && !isStale(error))
        this.log().warn("saga: a turn failed and is repeated", { id: item.payload.id, error });
      throw new TryLaterError(isStale(error) ? 0 : PAUSE_MS, { isCounted: false });
    }
  }

  private turnOf(item: WorkItem<TurnPayload>): Turn {
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
