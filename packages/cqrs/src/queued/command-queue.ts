import { randomBytes, timingSafeEqual } from "node:crypto";
import { type Handler, HttpError, type Invocation } from "@framework/core";
import type { Transaction } from "@framework/database";
import type { Kernel, WorkItem, WorkQueue } from "@framework/durable/feature";
import type { AnyCommand } from "../definitions/command.ts";
import { storedJson } from "../definitions/stored-json.ts";
import { laneOf } from "../commands/in-lane.ts";
import { type CommandCall, CommandRun } from "../commands/command-run.ts";
import type { Handled } from "../handlers/handler-types.ts";
import type { HandlerRegistry } from "../handlers/handler-registry.ts";
import { fingerprintOf } from "../idempotency/key-id.ts";
import { MAX_TIMEOUT_MS } from "../limits.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import {
  type CommandStatus,
  failureBody,
  type QueuedCommand,
  type StoredOutcome,
  statusOf,
} from "./command-status.ts";
import { restoreCaller, storedCaller, storedParams } from "./stored-caller.ts";

/** Added to the longest time limit of a command, which ends first. */
const SLACK_MS = 60_000;

/** Parts of `CommandQueue`. */
export interface CommandQueueParts {
  readonly kernel: Kernel;
  readonly registry: HandlerRegistry;
  /** The way of a command. */
  readonly pipeline: Handler<CommandRun, Outcome>;
  /** Prepares the call of an item. */
  readonly callOf: (command: AnyCommand, input: unknown, item: WorkItem<QueuedCommand>) => CommandCall;
  readonly callerOf: (invocation: Invocation) => string;
  /** How long finished commands are kept. */
  readonly keepSecs: number;
}

/** A queued command, for those that ask for its status. */
export interface FoundCommand {
  readonly status: CommandStatus;
  /** The command with its handler; `null` when this version of the app has none. */
  readonly handled: Handled<AnyCommand> | null;
  /** Path parameters of the request that sent it. */
  readonly params: Readonly<Record<string, string>>;
  /** Whether it is the command of this caller. */
  readonly isOf: (caller: Invocation) => boolean;
}

/** Commands that run later, on the kernel's work queue: in some process, once, also after a crash. */
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

  /** Adds a command in a transaction, and returns the id for its status, which cannot be guessed: the work has a hash of its secret. */
  async enqueue(run: CommandRun, tx: Transaction): Promise<string> {
    const { call, operation } = run;
    const { raw, invocation, tenant } = call;
    const secret = randomBytes(16).toString("base64url");
    const lane = laneOf(run);
    const stored = { secret: fingerprintOf(secret), tenant };
    const headers = { ...stored, caller: this.callerHash(invocation), ...storedCaller(invocation) };
    const payload: QueuedCommand = { command: operation.name, input: raw };
    if (raw !== undefined) storedJson(`the input of command ${operation.name}`, raw, "CQRS_BAD_INPUT");
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
      isOf: (caller) => isSame(info.headers["caller"] ?? "", this.callerHash(caller)),
    };
  }

  private callerHash(invocation: Invocation): string {
    return fingerprintOf(this.parts.callerOf(invocation));
  }

  /** Runs a command. Its result is stored in the transaction of its changes; a rejection is a result too, because another attempt is pointless. */
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
