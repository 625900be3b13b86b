import type { Awaitable } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import {
  type DocumentNode,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { withoutSuggestion } from "../graphql-js/versions.ts";
import { DocumentCache } from "./document-cache.ts";
import {
  type AcceptedDocument,
  checkDocument,
  fragmentCycle,
  type DocumentLimits,
  limitExceeded,
} from "./document-limits.ts";
import { neededRules } from "./needed-rules.ts";
import { costOf } from "./query-cost.ts";
import { refusalError } from "./refusal-error.ts";
import { isLonger } from "./json-string.ts";
import { isWithin } from "./levels.ts";
import { maxErrorsOf } from "./max-errors.ts";
import { MAX_LEVELS } from "./outline.ts";
import { excessInJson, excessOf, type TextExcess } from "./text-limits.ts";
import { findDocument, type TrustedDocuments } from "./trusted-documents.ts";

/** The parameters of an operation as a client sent them. */
export interface OperationParams {
  readonly query?: string | null | undefined;
  readonly documentId?: string | null | undefined;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A document that may be executed, and its selected operation. */
export interface PreparedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly params: OperationParams;
}

/** Options that apply to documents, with `introspection` resolved. */
export interface DocumentRules extends DocumentLimits {
  readonly documents: TrustedDocuments | undefined;
  readonly onlyDocuments: boolean;
  readonly introspection: boolean;
  readonly maxTokens: number;
  readonly maxDocumentLength: number;
  readonly maxComplexity: number | undefined;
}

/** Errors that refuse an operation. */
export interface Refusal {
  readonly errors: readonly GraphQLError[];
}

const TOO_DEEP = "The document is nested too deeply";

/** Converts parameters to a document to execute: finds or parses it, applies the limits and validates it. Shared by HTTP and WebSocket. */
export class Documents {
  private readonly schema: GraphQLSchema;
  private readonly rules: DocumentRules;
  private readonly onRefused: () => void;
  private readonly cache = new DocumentCache();
  /** Cached refusals by limit: they are the same for every document. */
  private readonly refusals = new Map<string, Refusal>();

  constructor(schema: GraphQLSchema, rules: DocumentRules, onRefused: () => void = () => {}) {
    this.schema = schema;
    this.rules = rules;
    this.onRefused = onRefused;
  }

  /** Returns the operation to execute, or the errors that refuse it. Throws or rejects only if the function `documents` does. */
  prepare(sent: OperationParams): Awaitable<PreparedOperation | readonly GraphQLError[]> {
    // Some clients send "" if they name no operation.
    const params = sent.operationName === "" ? { ...sent, operationName: null } : sent;
    return mapAwaitable(this.textOf(params), (text) => {
      const prepared = this.check(text, params);
      if (!("document" in prepared)) this.onRefused();
      return prepared;
    });
  }

  private check(
    text: string | GraphQLError,
    params: OperationParams,
  ): PreparedOperation | readonly GraphQLError[] {
    if (text instanceof GraphQLError) return [text];
    if (!isWithin(params.variables, MAX_LEVELS))
      return [refusalError(`Variables have at most ${MAX_LEVELS} levels`)];
    const read = this.read(text);
    if ("errors" in read) return read.errors;
    const { document } = read;
    const operation = getOperationAST(document, params.operationName);
    if (!operation) return [refusalError(noOperation(params))];
    const refusal = this.excessCost(document, operation, params);
    return refusal === null ? { document, operation, params } : [refusal];
  }

  /** Parses and checks a text; a valid document is cached. */
  read(text: string): { readonly document: DocumentNode } | Refusal {
    if (text.length > this.rules.maxDocumentLength) return this.refusalOf("maxDocumentLength");
    const known = this.cache.get(text);
    if (known !== undefined) return { document: known };
    const excess = excessOf(text, this.rules);
    if (excess !== null) return this.refusalOf(excess);
    const parsed = this.parse(text);
    if (parsed instanceof GraphQLError) return { errors: [parsed] };
    const { introspection } = this.rules;
    const checked = checkDocument(parsed, this.rules, introspection);
    if (checked instanceof GraphQLError) return { errors: [checked] };
    const errors = this.validate(text, parsed, checked);
    if (errors.length > 0) return { errors: introspection ? errors : errors.map(withoutSuggestion) };
    this.cache.set(text, parsed);
    return { document: parsed };
  }

  /**
   * Returns the refusal if the document in a JSON body exceeds a limit, so that the body is never parsed; otherwise `null`, and `prepare` must check it. All
   * refusals of one limit are the same object.
   *
   * @param from index after the opening quote of the text's string
   */
  refuseUnparsed(json: Uint8Array, from: number): Refusal | null {
    const { documents, onlyDocuments } = this.rules;
    if (onlyDocuments || documents !== undefined) return null; // the request may name a trusted document, which replaces its text
    const isTooLong = isLonger(json, from, this.rules.maxDocumentLength);
    const excess = isTooLong ? "maxDocumentLength" : excessInJson(json, from, this.rules);
    if (excess === null) return null;
    this.onRefused();
    return this.refusalOf(excess);
  }

  private refusalOf(excess: TextExcess | "maxDocumentLength"): Refusal {
    if (typeof excess === "object") return { errors: [fragmentCycle(excess.fragment)] };
    let refusal = this.refusals.get(excess);
    if (refusal === undefined) {
      const error = excess === "levels" ? refusalError(TOO_DEEP) : limitExceeded(excess, this.rules);
      this.refusals.set(excess, (refusal = { errors: [error] }));
    }
    return refusal;
  }

  private validate(
    text: string,
    document: DocumentNode,
    { hasRepeats }: AcceptedDocument,
  ): readonly GraphQLError[] {
    const rules = neededRules(text, document.definitions.length, hasRepeats);
    try {
      return validate(this.schema, document, rules, {
        maxErrors: maxErrorsOf(document),
        hideSuggestions: !this.rules.introspection,
      });
    } catch (error) {
      if (error instanceof GraphQLError) return [error]; // thrown for a subscription with a directive whose argument has the wrong type
      throw error;
    }
  }

  private parse(text: string): DocumentNode | GraphQLError {
    const { maxTokens } = this.rules;
    try {
      return parse(text, { maxTokens });
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      if (error instanceof RangeError) return refusalError(TOO_DEEP); // the parser is recursive
      throw error;
    }
  }

  private textOf(params: OperationParams): Awaitable<string | GraphQLError> {
    const { query, documentId, extensions } = params;
    const { documents, onlyDocuments } = this.rules;
    const id = typeof documentId === "string" ? documentId : hashOf(extensions);
    if (id !== null)
      return mapAwaitable(findDocument(documents, id), (text) => text ?? this.resolveUnknown(params));
    if (onlyDocuments) return refusalError("Only registered documents are executed", {}, 403);
    return query ?? refusalError("Missing query");
  }

  /** Automatic persisted queries: Apollo clients first send only the hash, and repeat the request with the text if the hash is unknown. */
  private resolveUnknown({ query, documentId }: OperationParams): string | GraphQLError {
    const { documents, onlyDocuments } = this.rules;
    if (documentId == null && query && !onlyDocuments) return query;
    const code = documents === undefined ? "PERSISTED_QUERY_NOT_SUPPORTED" : "PERSISTED_QUERY_NOT_FOUND";
    return refusalError("Unknown document", { code }, 404);
  }

  private excessCost(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    { variables }: OperationParams,
  ): GraphQLError | null {
    const { maxComplexity } = this.rules;
    if (maxComplexity === undefined) return null;
    const cost = costOf({ schema: this.schema, document, operation, variables: variables ?? {} });
    return cost <= maxComplexity ? null : limitExceeded("maxComplexity", this.rules); // the cost of an infinite list without a cost is NaN
  }
}

/** Returns the hash of an automatic persisted query, as Apollo clients send it. */
const hashOf = (extensions: OperationParams["extensions"]): string | null => {
  const query = extensions?.["persistedQuery"];
  if (typeof query !== "object" || query === null || !("sha256Hash" in query)) return null;
  return typeof query.sha256Hash === "string" ? query.sha256Hash : null;
};

const noOperation = ({ operationName }: OperationParams): string =>
  operationName == null
    ? "The document must have exactly one operation, or operationName must name one"
    : "The document has no operation with this name";
