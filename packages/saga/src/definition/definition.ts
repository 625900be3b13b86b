import type { StandardSchema } from "@framework/core";
import type { Step } from "./step.ts";

/** A built saga of any input and outputs: a versioned list of steps, as data. */
export interface AnySaga {
  /** Name of the saga. */
  readonly name: string;
  /** Version of its list of steps; an instance keeps the version with which it was started. */
  readonly version: number;
  /** Schema of the input; `undefined` for any JSON value. */
  readonly input: StandardSchema | undefined;
  /** Hash of the list of steps, without their code: a changed list needs a new version. */
  readonly hash: string;
  /** The steps in order. */
  readonly steps: readonly Step[];
  /** Mistakes in the definition, which the app's start reports. */
  readonly problems: readonly string[];
}

/** A built saga, with the types of its input and of the outputs of its steps. */
export interface SagaDefinition<Input = unknown, Outputs = unknown> extends AnySaga {
  /** For types only; absent at run time. */
  readonly "~types"?: { readonly input: Input; readonly outputs: Outputs };
}

/** Input that callers pass to `start`. */
export type StartInput<D extends AnySaga> =
  D extends SagaDefinition<infer Input, infer _Outputs> ? Input : unknown;
