/**
 * A schema of any library that follows Standard Schema v1 (standardschema.dev), such as zod, valibot or arktype.
 *
 * The interface is written down here so that no schema library, and no package of types, is a dependency.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardProperties<Input, Output>;
}

/** What a schema carries under `~standard`. */
export interface StandardProperties<Input = unknown, Output = Input> {
  readonly version: 1;
  /** Name of the library. */
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  /** Never there at run time: what the compiler reads the schema's types from. */
  readonly types?: StandardTypes<Input, Output> | undefined;
}

/** The types before and after validation. */
export interface StandardTypes<Input = unknown, Output = Input> {
  readonly input: Input;
  readonly output: Output;
}

/** A value that passed, or what is wrong with it. */
export type StandardResult<Output> = StandardSuccess<Output> | StandardFailure;

export interface StandardSuccess<Output> {
  readonly value: Output;
  readonly issues?: undefined;
}

export interface StandardFailure {
  readonly issues: readonly StandardIssue[];
}

/** One thing that is wrong. Libraries add members of their own. */
export interface StandardIssue {
  readonly message: string;
  /** Place, outermost first. */
  readonly path?: readonly (PropertyKey | StandardPathSegment)[] | undefined;
}

export interface StandardPathSegment {
  readonly key: PropertyKey;
}

/** The type that a schema takes. */
export type InferInput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];

/** The type that a schema gives. */
export type InferOutput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];
