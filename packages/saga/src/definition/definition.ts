import type { StandardSchema } from "@framework/core";
import type { Step } from "./step.ts";

/** A saga that was built, of any input and outputs: a list of steps as data, with its version. */
export interface AnySaga {
  /** Name of the saga. */
  readonly name: string;
  /** Version of its list of steps; instances keep the one they were started with. */
  readonly version: number;
  /** Schema of the input; `undefined` for any JSON value. */
  readonly input: StandardSchema | undefined;
  /** Hash of the list of steps, without the code inside: a list that changes needs a new version. */
  readonly hash: string;
  /** The steps in order. */
  readonly steps: readonly Step[];
  /** Mistakes of the definition, which the start reports. */
  readonly problems: readonly string[];
}

/** A saga that was built, with the types of its input and of the outputs of its steps. */
export interface SagaDefinition<Input = unknown, Outputs = unknown> extends AnySaga {
  /** Only types; absent at run time. */
  readonly "~types"?: { readonly input: Input; readonly outputs: Outputs };
}

/** Input that callers pass to `start`. */
export type StartInput<D extends AnySaga> =
  D extends SagaDefinition<infer Input, infer _Outputs> ? Input : unknown;
