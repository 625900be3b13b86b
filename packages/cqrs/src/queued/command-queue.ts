import { randomBytes, timingSafeEqual } from "node:crypto";
import { type Handler, HttpError, type Invocation } from "@framework/core";
import type { Transaction } from "@framework/database";
import type { Kernel, WorkItem, WorkQueue } from "@framework/durable/feature";
import type { AnyCommand } from "../definitions/command.ts";
import { laneOf } from "../commands/in-lane.ts";
import { type CommandCall, CommandRun } from "../commands/command-run.ts";
import type { HandledOperation } from "../handlers/handler-types.ts";
import type { HandlerRegistry } from "../handlers/handler-registry.ts";
import { fingerprintOf } from "../idempotency/key-id.ts";
import { MAX_TIMEOUT_MS } from "../limits.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import {
  type CommandStatus,
  failureBody,
  type QueuedCommand,
  statusOf,
  type StoredOutcome,
} from "./command-status.ts";
import { restoreCaller, storedCaller, storedParams } from "./stored-caller.ts";

/** Added to the maximum time limit of a command, so that the command's limit is reached first. */
const SLACK_MS = 60_000;

/** Dependencies of `CommandQueue`. */
export interface CommandQueueParts {
  readonly kernel: Kernel;
  readonly registry: HandlerRegistry;
  /** Pipeline of commands. */
  readonly pipeline: Handler<CommandRun, Outcome>;
  /** Prepares the call of a work item. */
  readonly callOf: (command: AnyCommand, input: unknown, item: WorkItem<QueuedCommand>) => CommandCall;
  readonly callerOf: (invocation: Invocation) => string;
  /** Seconds for which finished commands are kept. */
  readonly keepSecs: number;
}

/** A queued command, found by its id. */
export interface FoundCommand {
  readonly status: CommandStatus;
  /** The command with its handler; `null` if this version of the app has none. */
  readonly handled: HandledOperation<AnyCommand> | null;
  /** Path parameters of the request that enqueued it. */
  readonly params: Readonly<Record<string, string>>;
  /** Returns whether this caller enqueued it. */
  readonly isOwnedBy: (caller: Invocation) => boolean;
}

/** Queue of commands on the kernel's work queue: each takes effect exactly once, even after a crash. */
export class CommandQueue {
  private readonly parts: CommandQueueParts;
  private readonly queue: WorkQueue<QueuedCommand>;

  constructor(parts: CommandQueueParts) {
    this.parts = parts;
    this.queue = parts.kernel.queue<QueuedCommand>({
      name: "cqrs.commands",
      timeoutMs: MAX_TIMEOUT_MS + SLACK_MS,
      keepSecs: parts.keepSecs,
      keepFailedSecs: parts.keepSecs,
      onExhausted: "keep",
      handle: (item) => this.handle(item),
    });
  }

  /** Adds a command in a transaction. Returns its id, which cannot be guessed: it contains a secret, of which only a hash is stored. */
  async enqueue(run: CommandRun, tx: Transaction): Promise<string> {
    const { call, operation } = run;
    const { raw, invocation, tenant } = call;
    const secret = randomBytes(16).toString("base64url");
    const lane = laneOf(run);
    const stored = { secret: fingerprintOf(secret), tenant };
    const headers = { ...stored, caller: this.callerHash(invocation), ...storedCaller(invocation) };
    const payload: QueuedCommand = { command: operation.name, input: raw };
    const key = lane === null ? undefined : fingerprintOf(tenant, lane);
    const [added] = await this.queue.enqueue({ payload, headers, key }, { tx });
    if (added === undefined) throw new Error("the queue returned no item");
    return `${added.id}-${secret}`;
  }

  /** Returns a command with its status; `null` for an unknown id. */
  async find(id: string): Promise<FoundCommand | null> {
    const [, work = "", secret = ""] = /^(\d{1,18})-([\w-]{22})$/.exec(id) ?? [];
    const info = work === "" ? null : await this.queue.get(work);
    if (info === null || !isSame(info.headers["secret"] ?? "", fingerprintOf(secret))) return null;
    const status = statusOf(info);
    return {
      status,
      handled: this.parts.registry.command(status.command),
      params: storedParams(info.headers),
      isOwnedBy: (caller) => isSame(info.headers["caller"] ?? "", this.callerHash(caller)),
    };
  }

  private callerHash(invocation: Invocation): string {
    return fingerprintOf(this.parts.callerOf(invocation));
  }

  /** Executes a command. Its result is stored in the transaction of its changes. A rejection is also stored as the outcome, because retrying it is pointless. */
  private async handle(item: WorkItem<QueuedCommand>): Promise<StoredOutcome> {
    const { command: name, input } = item.payload;
    const handled = this.parts.registry.command(name);
    if (handled === null) throw new Error(`cqrs: command ${name} has no handler in this version of the app`);
    const call = this.parts.callOf(handled.operation, input, item);
    restoreCaller(call.invocation, item.headers);
    const outcome = await this.parts.pipeline(new CommandRun(call));
    if (outcome.ok) return { value: outcome.value, token: outcome.position };
    if (outcome.kind === "rejection" && HttpError.is(outcome.error))
      return { failure: failureBody(outcome.error) };
    throw outcome.error;
  }
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
