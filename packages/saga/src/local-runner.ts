import { randomUUID } from "node:crypto";
import { markHandled } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { AnySaga } from "./definition/definition.ts";
import type { SagaRegistry } from "./definition/registry.ts";
import { unknownSaga } from "./errors/saga-errors.ts";
import { deliver, type DeliveryResult, type SagaMessage } from "./messages/deliver.ts";
import { listSagas, readSaga, timelineOf } from "./operate/reading.ts";
import type { SagaFilter, SagaInfo, SagaPage, TimelineEntry } from "./operate/saga-info.ts";
import { decide, type Decision, type Verb } from "./operate/verbs.ts";
import type { SagaRunner } from "./port/saga-runner.ts";
import {
  checkedInput,
  checkKey,
  startIn,
  type StartResult,
  type StartOptions,
  storedTrace,
} from "./start/start.ts";
import type { RunTransaction } from "./store/run-transaction.ts";
import type { SagaStore } from "./store/saga-store.ts";
import type { RunQueue } from "./run-queue/run-queue.ts";

/** Dependencies of `LocalRunner`. */
export interface LocalRunnerParts {
  readonly store: SagaStore;
  readonly queue: RunQueue;
  readonly registry: SagaRegistry;
  readonly transaction: RunTransaction;
  /** Creates ids of instances. @default random UUIDs */
  readonly newId?: () => string;
  /** Returns the current `traceparent`. @default no traces */
  readonly trace?: () => string | undefined;
}

/** Runs sagas on the app's database. */
export class LocalRunner implements SagaRunner {
  private readonly parts: LocalRunnerParts & { readonly newId: () => string };

  constructor(parts: LocalRunnerParts) {
    this.parts = { newId: randomUUID, ...parts };
  }

  start(definition: AnySaga, input: unknown, { tx, ...options }: StartOptions): Promise<StartResult> {
    return markHandled(this.startOne(definition, input, options, tx));
  }

  deliver(
    definition: AnySaga,
    message: SagaMessage,
    { tx }: { readonly tx?: Transaction | undefined } = {},
  ): Promise<DeliveryResult> {
    return markHandled(this.deliverOne(definition, message, tx));
  }

  async get(id: string): Promise<SagaInfo | null> {
    return await readSaga(this.parts.store, this.parts.registry, id);
  }

  async list(filter: SagaFilter = {}): Promise<SagaPage> {
    return await listSagas(this.parts.store, filter);
  }

  async timeline(id: string): Promise<readonly TimelineEntry[]> {
    return await timelineOf(this.parts.store, id);
  }

  cancel(id: string, decision: Decision): Promise<boolean> {
    return this.decide(id, "cancel", decision);
  }

  retry(id: string, decision: Decision): Promise<boolean> {
    return this.decide(id, "retry", decision);
  }

  skip(id: string, decision: Decision): Promise<boolean> {
    return this.decide(id, "skip", decision);
  }

  settle(id: string, decision: Decision): Promise<boolean> {
    return this.decide(id, "settle", decision);
  }

  private async startOne(
    definition: AnySaga,
    input: unknown,
    { key, trace }: StartOptions,
    tx: Transaction | undefined,
  ): Promise<StartResult> {
    this.check(definition);
    checkKey(key);
    const text = await checkedInput(definition, input);
    const saga = { key, input: text, trace: storedTrace(trace ?? this.parts.trace?.()) };
    return await this.within(tx, (own) => startIn(this.parts, own, definition, saga));
  }

  private async deliverOne(
    definition: AnySaga,
    message: SagaMessage,
    tx: Transaction | undefined,
  ): Promise<DeliveryResult> {
    this.check(definition);
    checkKey(message.key);
    checkKey(message.id, "the id of a message");
    return await this.within(tx, (own) => deliver(this.parts, own, definition, message));
  }

  private async decide(id: string, verb: Verb, decision: Decision): Promise<boolean> {
    return await this.parts.transaction((tx) => decide(this.parts, tx, id, verb, decision));
  }

  private within<T>(tx: Transaction | undefined, run: (own: Transaction) => Promise<T>): Promise<T> {
    return tx === undefined ? this.parts.transaction(run) : run(tx);
  }

  /** Rejects a saga that this process does not define, because perhaps no process would ever run it. @throws SAGA_UNKNOWN */
  private check({ name, version }: AnySaga): void {
    if (!this.parts.registry.has(name, version)) throw unknownSaga(name, version);
  }
}
