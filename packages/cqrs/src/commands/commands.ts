import { randomUUID } from "node:crypto";
import { FrameworkError, type Handler } from "@framework/core";
import type { WorkItem } from "@framework/durable/feature";
import type { AnyCommand, InputOf, ResultOf } from "../definitions/command.ts";
import { CommandTimeoutError } from "../failures/command-errors.ts";
import type { CallOptions, CallRequest, CallSources } from "../pipeline/call-options.ts";
import { Calls } from "../pipeline/calls.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { type CommandCall, CommandRun, type SyncMode } from "./command-run.ts";

/** Options of one call of a command. */
export interface ExecuteOptions extends CallOptions {
  /** Makes the call idempotent: further calls with the same key and input get the first result. @default none */
  readonly idempotencyKey?: string;
  /**
   * How the caller can read its own writes: `"token"` returns a token for `after` of queries; `"wait"` also waits, up to the command's time limit and at most
   * 10 minutes, until all projections of the process contain the events; `"none"` does neither. @default "token"; always "none" with `enableEventSync: false`
   */
  readonly sync?: SyncMode;
}

/** Options of `enqueue`. */
export interface EnqueueOptions extends CallOptions {
  /** Makes the call idempotent: further calls with the same key and input get the same id. @default none */
  readonly idempotencyKey?: string;
}

/** A command in the queue. */
export interface EnqueuedCommand {
  /** Id for `status`, and the last segment of the status URL. Over HTTP, only the caller that sent the command gets its status. */
  readonly id: string;
  /** Whether an earlier call with the same idempotency key had added it. */
  readonly isReplay: boolean;
}

/** Result of a command. */
export interface CommandResult<Value> {
  /** The result; `undefined` for a command without one. */
  readonly value: Value;
  /** Position of the events that the command appended: pass it as `after` to queries. `null` if it appended none, and with `sync: "none"`. */
  readonly token: string | null;
  /** Whether it is the result of an earlier call with the same idempotency key. */
  readonly isReplay: boolean;
}

/** Dependencies of `Commands`. */
export interface CommandsParts extends CallSources {
  readonly pipeline: Handler<CommandRun, Outcome>;
  /** Pipeline that adds a command to the queue. */
  readonly enqueue: Handler<CommandRun, Outcome>;
  /** Whether calls return tokens. */
  readonly hasTokens: boolean;
}

/** Executes commands. */
export class Commands {
  private readonly parts: CommandsParts;
  private readonly calls: Calls<AnyCommand>;

  constructor(parts: CommandsParts) {
    this.parts = parts;
    this.calls = new Calls(parts, { plural: "commands", timeoutError });
  }

  async execute<C extends AnyCommand>(
    command: C,
    input: InputOf<C>,
    request: ExecuteOptions & CallRequest,
  ): Promise<CommandResult<ResultOf<C>>> {
    const { pipeline, hasTokens } = this.parts;
    const sync = hasTokens ? (request.sync ?? "token") : "none";
    const run = this.newRun(command, input, request, sync);
    const { value, position, isReplay } = await this.calls.run(pipeline, run);
    const token = sync === "none" ? null : position;
    return { value: value as ResultOf<C>, token, isReplay }; // the output of the command's schema
  }

  /** Adds a command to the queue. @throws CQRS_NOT_QUEUED */
  async enqueue<C extends AnyCommand>(
    command: C,
    input: InputOf<C>,
    request: EnqueueOptions & CallRequest,
  ): Promise<EnqueuedCommand> {
    if (command.mode !== "queued") throw notQueued(command.name);
    const run = this.newRun(command, input, request, "none");
    const { value, isReplay } = await this.calls.run(this.parts.enqueue, run);
    return { id: value as string, isReplay }; // the value of the queue's pipeline
  }

  /** Prepares the execution of a queued command. */
  readonly callOf = (command: AnyCommand, input: unknown, item: WorkItem<unknown>): CommandCall => {
    const { tenant = "" } = item.headers;
    const request = { from: item.invocation, skipGuards: true, tenant, signal: item.signal };
    const call = this.calls.of(command, input, request);
    return { ...call, id: item.id, idempotencyKey: null, sync: "token", item };
  };

  private newRun(
    command: AnyCommand,
    input: unknown,
    request: EnqueueOptions & CallRequest,
    sync: SyncMode,
  ): CommandRun {
    const { idempotencyKey = null } = request;
    const call = this.calls.of(command, input, request);
    return new CommandRun({ ...call, id: randomUUID(), idempotencyKey, sync, item: null });
  }
}

const notQueued = (name: string): FrameworkError =>
  new FrameworkError("CQRS_NOT_QUEUED", `cqrs: command ${name} is not queued; define it with mode: "queued"`);

const timeoutError = (timeoutMs: number): Error => new CommandTimeoutError(timeoutMs, "rolled-back");
