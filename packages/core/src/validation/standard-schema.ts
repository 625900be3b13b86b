/**
 * A schema of any library that follows Standard Schema v1 (standardschema.dev), such as zod, valibot or arktype.
 *
 * Declared here to avoid a dependency on a schema library or a types package.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The interface of Standard Schema, version 1. */
  readonly "~standard": StandardProperties<Input, Output>;
}

/** Whether a value is a Standard Schema; untyped programs may pass JSON Schemas or plain objects instead. */
export const isStandardSchema = (value: unknown): value is StandardSchema => {
  const { "~standard": standard } = Object(value) as { "~standard"?: { validate?: unknown } | null };
  return typeof standard?.validate === "function";
};

/** The properties of a schema under `~standard`. */
export interface StandardProperties<Input = unknown, Output = Input> {
  readonly version: 1;
  /** Name of the library. */
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  /** Types of the schema for the compiler; absent at run time. */
  readonly types?: StandardTypes<Input, Output> | undefined;
}

/** The types before and after validation. */
export interface StandardTypes<Input = unknown, Output = Input> {
  readonly input: Input;
  readonly output: Output;
}

/** The validated value, or the issues. */
export type StandardResult<Output> = StandardSuccess<Output> | StandardFailure;

export interface StandardSuccess<Output> {
  readonly value: Output;
  readonly issues?: undefined;
}

export interface StandardFailure {
  readonly issues: readonly StandardIssue[];
}

/** One validation issue. Libraries add their own members. */
export interface StandardIssue {
  readonly message: string;
  /** Path of the invalid value, outermost key first. */
  readonly path?: readonly (PropertyKey | StandardPathSegment)[] | undefined;
}

export interface StandardPathSegment {
  readonly key: PropertyKey;
}

/** The input type of a schema. */
export type InferInput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];

/** The output type of a schema. */
export type InferOutput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];
