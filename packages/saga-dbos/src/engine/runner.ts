import { dbos, dbosSdk } from "../driver/dbos-sdk.ts";
import { FrameworkError } from "@framework/core";
import { markHandled } from "@framework/core/feature";
import type {
  Decision,
  DeliveryResult,
  SagaFilter,
  SagaInfo,
  SagaMessage,
  SagaPage,
  SagaRunner,
  StartResult,
  StartOptions,
  TimelineEntry,
} from "@framework/saga";
import {
  type AnySaga,
  checkedInput,
  checkedMessage,
  checkKey,
  isEnd,
  MAX_MESSAGES,
  notPossible,
  type RunLimits,
  type SagaRegistry,
  storedTrace,
  unknownSaga,
  type Verb,
} from "@framework/saga/feature";
import { decide } from "./decide.ts";
import { hasDeliveries, wasDelivered } from "./delivery.ts";
import { instanceId, workflowOf } from "../names/ids.ts";
import type { RunSaga } from "./performer.ts";
import type { SagaInput } from "../script/effect.ts";
import type { SagaStart } from "../script/progress.ts";
import type { DbosSession } from "./session.ts";
import { list } from "../view/list.ts";
import { findSaga, infoOf, readSaga, type SagaView } from "../view/saga-view.ts";

/** Dependencies of `DbosRunner`. */
export interface DbosRunnerParts {
  readonly registry: SagaRegistry;
  readonly limits: RunLimits;
  /** Returns the current `traceparent`; `undefined` outside a trace. */
  readonly trace: () => string | undefined;
  /** Returns the running session. @throws SAGA_DBOS_NOT_STARTED, SAGA_DBOS_UNAVAILABLE */
  readonly session: () => Pick<DbosSession, "workflow" | "deliver">;
}

/** Runs sagas on DBOS. */
export class DbosRunner implements SagaRunner {
  private readonly parts: DbosRunnerParts;

  constructor(parts: DbosRunnerParts) {
    this.parts = parts;
  }

  start(definition: AnySaga, input: unknown, options: StartOptions): Promise<StartResult> {
    return markHandled(this.startOne(definition, input, options));
  }

  deliver(
    definition: AnySaga,
    message: SagaMessage,
    { tx }: { readonly tx?: object | undefined } = {},
  ): Promise<DeliveryResult> {
    return markHandled(this.deliverOne(definition, message, tx));
  }

  async get(id: string): Promise<SagaInfo | null> {
    const view = await this.find(id);
    return view === null ? null : infoOf(view);
  }

  async list(filter: SagaFilter = {}): Promise<SagaPage> {
    this.parts.session();
    return await list(this.parts.registry, filter);
  }

  async timeline(id: string): Promise<readonly TimelineEntry[]> {
    return (await this.find(id))?.progress.timeline ?? [];
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
    { key, trace, tx }: StartOptions,
  ): Promise<StartResult> {
    const currentTrace = trace ?? this.parts.trace(); // read before the first await
    const run = this.runOf(definition);
    if (tx !== undefined) throw noTransaction("start");
    checkKey(key);
    const start: SagaStart = {
      key,
      input: await checkedInput(definition, input),
      hash: definition.hash,
      trace: storedTrace(currentTrace),
      limits: this.parts.limits,
    };
    const workflowID = instanceId(definition.name, key);
    try {
      const queueName = workflowOf(definition);
      await dbos().startWorkflow(run, { workflowID, queueName, workflowIDReusePolicy: "reject" })(start);
      return { id: workflowID, isNew: true };
    } catch (error) {
      if (dbosSdk().Error.isWorkflowIDInUseError(error)) return { id: workflowID, isNew: false };
      throw error;
    }
  }

  private async deliverOne(
    definition: AnySaga,
    { key, name, id: messageId, data = null }: SagaMessage,
    tx: object | undefined,
  ): Promise<DeliveryResult> {
    this.runOf(definition);
    if (tx !== undefined) throw noTransaction("deliver");
    checkKey(key);
    checkKey(messageId, "the id of a message");
    const id = instanceId(definition.name, key);
    const workflow = await dbos().getWorkflowStatus(id);
    const found = workflow === null ? null : await readSaga(this.parts.registry, workflow);
    const text = await checkedMessage(found?.definition ?? definition, name, data);
    if (workflow === null) return "unknown";
    // If only other processes define the instance's version, as during a rolling deployment, DBOS stores the message.
    const saga = found?.progress.saga ?? null;
    if (saga === null ? workflow.status === "SUCCESS" : isEnd(saga.status)) return "ended";
    if (found !== null) this.parts.registry.checkWait(found.definition, name);
    if (await hasDeliveries(id, MAX_MESSAGES)) {
      if (await wasDelivered(id, messageId)) return "repeated";
      throw notPossible(`The saga has ${MAX_MESSAGES} messages already`);
    }
    const input: SagaInput = { kind: "message", name, data: text };
    if (!(await this.parts.session().deliver(id, { messageId, input }))) return "repeated";
    return saga?.status === "waiting" && saga.waitsFor === name ? "resumed" : "kept";
  }

  private async decide(id: string, verb: Verb, decision: Decision): Promise<boolean> {
    const view = await this.find(id);
    if (view === null) return false;
    await decide(view, verb, decision);
    return true;
  }

  private async find(id: string): Promise<SagaView | null> {
    this.parts.session();
    return await findSaga(this.parts.registry, id);
  }

  /** Returns the workflow of a definition. @throws SAGA_UNKNOWN */
  private runOf({ name, version }: AnySaga): RunSaga {
    const run = this.parts.session().workflow({ name, version });
    if (run === null) throw unknownSaga(name, version);
    return run;
  }
}

const noTransaction = (verb: string): FrameworkError =>
  new FrameworkError(
    "SAGA_DBOS_NO_TRANSACTION",
    `saga-dbos: ${verb} cannot join a transaction of the app; send a message in it and ${verb} in the message's handler, or use the local runner`,
  );
