import type { Guard, InferInput, InferOutput, StandardSchema } from "@framework/core";
import { type CommandEndpoint, commandEndpointNames } from "./endpoint.ts";
import { unknownOptions } from "./unknown-options.ts";

/** Whether calls of a command must, may or must not have an idempotency key. */
export type IdempotencyRule = "required" | "optional" | "none";

/** Options of a command. `Output` is `undefined` for a command without a result. */
export interface CommandOptions<
  Input extends StandardSchema,
  Output extends StandardSchema | undefined = undefined,
> {
  /** Schema of the input. */
  readonly input: Input;
  /** Schema of the result: JSON data, because it is stored with an idempotency key. @default no result */
  readonly output?: Output;
  /** Returns a key, such as an order id: commands of a tenant with the same key run one at a time. `null` for none. @default none */
  readonly key?: (input: InferOutput<Input>) => string | null;
  /** Whether an idempotency key is required, optional, or refused. @default "optional" */
  readonly idempotency?: IdempotencyRule;
  /** Time limit in milliseconds, 1 to 3,600,000. @default `CqrsConfig.commandTimeoutMs` */
  readonly timeoutMs?: number;
  /**
   * `"queued"`: the endpoint replies with 202 at once, and a process of the app executes the command later; `enqueue` does the same from code. @default "direct"
   */
  readonly mode?: "direct" | "queued";
  /** Guards that decide whether a caller may execute the command. @default none */
  readonly guards?: readonly Guard[];
  /** An HTTP endpoint, `POST` by default. @default none */
  readonly http?: CommandEndpoint;
}

/** A command with any input and result. */
export interface AnyCommand {
  /** Distinguishes commands from queries. */
  readonly kind: "command";
  /** Name of the command. */
  readonly name: string;
  /** Schema of the input. */
  readonly input: StandardSchema;
  /** Schema of the result; `null` without a result. */
  readonly output: StandardSchema | null;
  /** Returns the key that serialises commands; `null` for none. */
  readonly key: ((input: never) => string | null) | null;
  /** Whether an idempotency key is required, optional, or refused. */
  readonly idempotency: IdempotencyRule;
  /** Time limit in milliseconds; `null` for the default of `CqrsConfig`. */
  readonly timeoutMs: number | null;
  /** Whether it is executed at once or queued. */
  readonly mode: "direct" | "queued";
  /** Guards that decide whether a caller may execute the command. */
  readonly guards: readonly Guard[];
  /** Its HTTP endpoint; `null` for none. */
  readonly http: CommandEndpoint | null;
  /** Messages about unknown options, reported at start. */
  readonly unknown: readonly string[];
}

/** The definition of a command: its name, input and result. */
export interface Command<
  Input extends StandardSchema,
  Output extends StandardSchema | undefined = undefined,
> extends AnyCommand {
  /** Schema of the input. */
  readonly input: Input;
  /** Schema of the result; `null` without a result. */
  readonly output: Output extends StandardSchema ? Output : null;
}

/** Input of a command or query as callers pass it. */
export type InputOf<O extends { readonly input: StandardSchema }> = InferInput<O["input"]>;

/** Input as handlers get it: the output of the schema. */
export type HandlerInputOf<O extends { readonly input: StandardSchema }> = InferOutput<O["input"]>;

/** Return value of handlers: the input of the result schema. */
export type HandlerResultOf<O extends { readonly output: StandardSchema | null }> =
  O["output"] extends StandardSchema ? InferInput<O["output"]> : void;

/** Result as callers get it: the output of the schema, `undefined` if there is none. */
export type ResultOf<O extends { readonly output: StandardSchema | null }> =
  O["output"] extends StandardSchema ? InferOutput<O["output"]> : undefined;

/**
 * Defines a command: a change that exactly one handler makes. Registers nothing; errors in the definition are reported at the app's start.
 *
 * @param name unique among the commands and queries of an app: at most 100 letters, digits, `.`, `_` and `-`, starting with a letter
 * @example
 * const PlaceOrder = command("PlaceOrder", {
 *   input: z.object({ orderId: z.string(), book: z.string() }),
 *   output: z.object({ total: z.number() }),
 *   key: ({ orderId }) => orderId,
 *   idempotency: "required",
 *   http: { path: "/orders" },
 * });
 */
export const command = <Input extends StandardSchema, Output extends StandardSchema | undefined = undefined>(
  name: string,
  options: CommandOptions<Input, Output>,
): Command<Input, Output> => {
  const {
    input,
    output,
    key,
    idempotency = "optional",
    timeoutMs,
    mode = "direct",
    guards = [],
    http,
  } = options;
  return Object.freeze({
    kind: "command" as const,
    name,
    input,
    output: (output ?? null) as Command<Input, Output>["output"], // the conditional type of the same value
    key: key ?? null,
    idempotency,
    timeoutMs: timeoutMs ?? null,
    mode,
    guards,
    http: http ?? null,
    unknown: unknownOptions(options, { options: names, http: commandEndpointNames }),
  });
};

const names: Readonly<Record<keyof CommandOptions<StandardSchema>, true>> = {
  input: true,
  output: true,
  key: true,
  idempotency: true,
  timeoutMs: true,
  mode: true,
  guards: true,
  http: true,
};
