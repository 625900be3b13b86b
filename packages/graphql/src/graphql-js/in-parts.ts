/** Results in parts (incremental delivery), which graphql has since 17. */
import type { Awaitable } from "@framework/core";
import * as library from "graphql";
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLDirective,
  type GraphQLError,
  GraphQLSchema,
  visit,
} from "graphql";
import type { Cancellation } from "./versions.ts";

const {
  experimentalExecuteIncrementally,
  legacyExecuteIncrementally,
  GraphQLDeferDirective,
  GraphQLStreamDirective,
}: Partial<typeof library> = library;

/** Whether the library delivers results in parts. */
export const hasParts: boolean = experimentalExecuteIncrementally !== undefined;

/** A member of a part, which may have its own errors. */
export interface PartMember {
  readonly errors?: readonly GraphQLError[];
}

/** A part of a result. */
export interface ResultPart extends ExecutionResult {
  readonly hasNext: boolean;
  readonly incremental?: readonly PartMember[];
  readonly completed?: readonly PartMember[];
}

/** A result in parts: its other parts are executed while the first is sent. */
export interface PartialResults {
  readonly initialResult: ResultPart;
  readonly subsequentResults: AsyncGenerator<ResultPart, void, void>;
}

/** Formats of parts: the current draft of the specification, and the draft of August 2022, which some clients use. */
export type PartFormat = "draft" | "2022";

/** Executes an operation of a schema with `@defer` and `@stream`. Rejects if the signal aborts first. */
export const executeInParts = (
  args: ExecutionArgs,
  { signal }: Cancellation,
  format: PartFormat,
): Awaitable<ExecutionResult | PartialResults> => {
  const execute = format === "draft" ? experimentalExecuteIncrementally : legacyExecuteIncrementally;
  return execute?.({ ...args, abortSignal: signal }) as Awaitable<ExecutionResult | PartialResults>; // defined, because only graphql 17 has such schemas
};

/** Executes an operation in one part, for a schema with `@defer` and `@stream`: `execute` of the library refuses such schemas. */
export const executeInOnePart = (args: ExecutionArgs, until: Cancellation): Awaitable<ExecutionResult> =>
  executeInParts(
    { ...args, document: withoutParts(args.document) },
    until,
    "draft",
  ) as Awaitable<ExecutionResult>; // without the directives the result has one part

/** Returns the schema with `@defer` and `@stream`. */
export const withPartDirectives = (schema: GraphQLSchema): GraphQLSchema => {
  const added = [GraphQLDeferDirective, GraphQLStreamDirective].filter(
    (directive): directive is GraphQLDirective =>
      directive !== undefined && schema.getDirective(directive.name) == null,
  );
  if (added.length === 0) return schema;
  return new GraphQLSchema({ ...schema.toConfig(), directives: [...schema.getDirectives(), ...added] });
};

/** Documents without the directives, by the original: cached documents are rewritten once. */
const documentsWithoutParts = new WeakMap<DocumentNode, DocumentNode>();

const withoutParts = (document: DocumentNode): DocumentNode => {
  const known = documentsWithoutParts.get(document);
  if (known !== undefined) return known;
  const whole = visit(document, {
    Directive: ({ name: { value } }) => (value === "defer" || value === "stream" ? null : undefined),
  });
  documentsWithoutParts.set(document, whole);
  return whole;
};
