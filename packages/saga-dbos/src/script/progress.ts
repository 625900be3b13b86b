import type { SagaStatus, TimelineEntry } from "@framework/saga";
import {
  type AnySaga,
  type BranchState,
  type Change,
  type Instance,
  MAX_LOST_WORKERS,
  type RunLimits,
  statusAfter,
  withBranches,
} from "@framework/saga/feature";
import type { SagaInput } from "./effect.ts";

/** Stored start parameters of an instance. */
export interface SagaStart {
  readonly key: string;
  /** Input as JSON. */
  readonly input: string;
  readonly hash: string;
  readonly trace: string | null;
  /** Limits of the process that started it. They apply until the instance ends. */
  readonly limits: RunLimits;
}

type Message = Extract<SagaInput, { readonly kind: "message" }>;

/** State of an instance in the script. */
export class Progress {
  readonly definition: AnySaga;
  readonly limits: RunLimits;
  readonly timeline: TimelineEntry[];
  /** Messages that no wait has consumed. */
  readonly inbox: Message[] = [];
  /** Active time of the forward steps in milliseconds: attempts and the pauses between them, without waits. */
  activeMs = 0;
  /** Active time of the undos in milliseconds, since compensation began or an operator last decided. */
  undoMs = 0;
  /** Number of consecutive processes lost during attempts. */
  losses = 0;
  /**
   * Index of the last step whose conditions held, which are not evaluated again. After an operator's `skip` or `settle`, the conditions of the next step are
   * still to be evaluated.
   */
  arrivedAt: number | null = null;
  saga: Instance;
  /** Time of the last record in Unix milliseconds, for views. */
  at: number;
  private effects = 0;

  constructor(definition: AnySaga, id: string, { limits, ...start }: SagaStart, createdAt: number) {
    const { name, version } = definition;
    this.definition = definition;
    this.limits = limits;
    this.at = createdAt;
    this.timeline = [{ number: 1, at: createdAt, event: "start", status: "ready", step: null, note: null }];
    this.saga = { ...newInstance, ...start, id, name, version };
  }

  /** Applies a change of the table of transitions. */
  change({ event, step = null, note = null, ...change }: Change): void {
    const { saga } = this;
    const status = statusAfter(saga.status, event);
    if (status === null) throw new Error(`saga-dbos: a saga that is ${saga.status} cannot ${event}`);
    const { branches = [], position = saga.position, isFinal = saga.isFinal, wait } = change;
    const revision = saga.revision + 1;
    this.timeline.push({ number: revision, at: this.at, event, status, step, note });
    this.saga = {
      ...saga,
      status,
      position,
      isFinal,
      revision,
      error: change.error === undefined ? saga.error : change.error,
      ...(wait !== undefined && { waitsFor: wait?.message ?? null, waitUntil: null }),
      branches: withBranches(saga.branches, branches),
    };
  }

  /** Records branches whose attempts begin, without an entry in the timeline. */
  begin(branches: readonly BranchState[]): void {
    this.saga = { ...this.saga, branches: withBranches(this.saga.branches, branches) };
  }

  waitUntil(until: number): void {
    this.saga = { ...this.saga, waitUntil: until };
  }

  /** Remaining active time in milliseconds; unlimited after the pivot. */
  get remainingMs(): number {
    return this.saga.isFinal ? Infinity : this.limits.timeoutMs - this.activeMs;
  }

  /** Counts a process lost during attempts. Returns whether another process may run them. */
  countLoss(): boolean {
    return ++this.losses < MAX_LOST_WORKERS;
  }

  /** Consumes the first message with a name. Returns its data as JSON; `null` if there is none. */
  take(name: string): string | null {
    const at = this.inbox.findIndex((message) => message.name === name);
    return at < 0 ? null : (this.inbox.splice(at, 1)[0]?.data ?? null);
  }

  /** Returns the name of the next effect: unique, and the same in every run of the script. */
  nextEffectName(label: string): string {
    return `${++this.effects}: ${label}`;
  }
}

const newInstance = {
  status: "ready" satisfies SagaStatus as SagaStatus,
  position: 0,
  revision: 1,
  isFinal: false,
  waitsFor: null,
  waitUntil: null,
  activeMs: 0,
  undoSince: null,
  error: null,
  now: 0,
  branches: [],
} satisfies Partial<Instance>;
