import type { Handler, Invocation } from "@framework/core";
import { type Clock, createInvocation } from "@framework/core/feature";
import type { AnyCommand, InputOf, ResultOf } from "../definitions/command.ts";
import type { PlaceOf } from "../definitions/valid-input.ts";
import { CommandTimeoutError, tooBusy } from "../failures/command-errors.ts";
import type { HandlerRegistry } from "../handlers/handler-registry.ts";
import { MAX_RUNNING } from "../limits.ts";
import { Deadline } from "../time/deadline.ts";
import { type CommandOutcome, CommandRun } from "./command-run.ts";

/** Options of one call of a command. */
export interface ExecuteOptions {
  /** Makes the call happen once: further calls with the same key and input get the first result. @default none */
  readonly idempotencyKey?: string;
  /** Work on whose behalf it is, such as a request: its principal and headers are those that guards and the handler see. @default none */
  readonly from?: Invocation;
  /** Whether the guards of the command are skipped, for calls of the program on its own behalf. @default false */
  readonly skipGuards?: boolean;
  /** Tenant of the call. @default `CqrsConfig.tenantOf` */
  readonly tenant?: string;
  /** Rolls back and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What a command returned. */
export interface CommandResult<Value> {
  /** The result; `undefined` for a command without one. */
  readonly value: Value;
  /** Whether it is the result of an earlier call with the same idempotency key. */
  readonly isReplay: boolean;
}

/** A call of a command, from code or over HTTP. */
export interface CommandRequest extends ExecuteOptions {
  readonly placeOf?: PlaceOf;
}

/** What commands need. */
export interface CommandsParts {
  readonly registry: HandlerRegistry;
  readonly pipeline: Handler<CommandRun, CommandOutcome>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly tenantOf: (invocation: Invocation) => string;
}

/** Executes commands. */
export class Commands {
  private readonly parts: CommandsParts;
  private running = 0;

  constructor(parts: CommandsParts) {
    this.parts = parts;
  }

  async execute<C extends AnyCommand>(
    command: C,
    input: InputOf<C>,
    request: CommandRequest,
  ): Promise<CommandResult<ResultOf<C>>> {
    const run = this.runOf(command, input, request);
    if (this.running >= MAX_RUNNING) throw tooBusy(`${this.running} commands run`);
    this.running++;
    try {
      const outcome = await this.parts.pipeline(run);
      if (!outcome.ok) throw outcome.error;
      return { value: outcome.value as ResultOf<C>, isReplay: outcome.isReplay }; // the output of the command's schema
    } finally {
      this.running--;
    }
  }

  private runOf(command: AnyCommand, raw: unknown, request: CommandRequest): CommandRun {
    const { registry, clock, tenantOf } = this.parts;
    const { from, signal, idempotencyKey = null, skipGuards: isAllowed = false, placeOf = inInput } = request;
    const timeoutMs = command.timeoutMs ?? this.parts.timeoutMs;
    const deadline = new Deadline(
      clock,
      timeoutMs,
      () => new CommandTimeoutError(timeoutMs, "rolled-back"),
      signal,
    );
    const invocation = createInvocation({
      kind: "command",
      name: command.name,
      signal: deadline.signal,
      ...(from !== undefined && { headers: from.headers, context: from.context, params: from.params }),
    });
    const tenant = request.tenant ?? tenantOf(invocation);
    const handled = registry.of(command);
    return new CommandRun({ handled, raw, invocation, tenant, idempotencyKey, isAllowed, placeOf, deadline });
  }
}

const inInput: PlaceOf = () => "input";
