import { type Awaitable, HttpError, type HttpRequest } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import type { ExecutionResult, GraphQLError, GraphQLFormattedError, GraphQLSchema } from "graphql";
import { createHandler, type Response as ProtocolReply } from "graphql-http";
import type { Documents, OperationParams, PreparedOperation } from "../documents/documents.ts";
import { refusalError } from "../documents/refusal-error.ts";
import type { Caller } from "../execution/caller.ts";
import type { Executor } from "../execution/executor.ts";
import type { PresentError } from "../execution/present-error.ts";
import { presentPart } from "../execution/present-part.ts";
import type { PartFormat, ResultPart } from "../graphql-js/in-parts.ts";
import { JSON_TYPE } from "./negotiate.ts";

/** The reply to one operation. */
export interface OperationReply {
  readonly status: number;
  readonly text: string;
  /** Texts of the parts after the first, if the result is delivered in parts. */
  readonly others?: AsyncIterator<string>;
}

/** Dependencies of `createProtocol`. */
export interface ProtocolParts {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly executor: Executor;
  readonly present: PresentError;
}

/** The reply formats that a client accepts. */
export interface AcceptedFormats {
  /** Media type of a reply in one part. */
  readonly type: string;
  /** Format of a result in parts; `null` if the client does not accept parts. */
  readonly parts: PartFormat | null;
}

/** Executes or refuses an operation and returns its reply. For malformed parameters `params` is an `HttpError`. */
export type HandleOperation = (
  request: HttpRequest,
  formats: AcceptedFormats,
  params: OperationParams | HttpError,
) => Awaitable<OperationReply>;

/** An operation that is refused, or is not allowed with its HTTP method. */
interface RefusedOperation {
  readonly type: string;
  readonly outcome: HttpError | PreparedOperation | readonly GraphQLError[];
}

/**
 * Implements GraphQL over HTTP. Accepted operations are executed, synchronously if their resolvers are; graphql-http decides the reply to a refused operation by
 * method, operation and media type. Documents and execution are shared with WebSocket.
 *
 * @see https://graphql.github.io/graphql-over-http/draft/
 */
export const createProtocol = ({ documents, executor, present }: ProtocolParts): HandleOperation => {
  const refuse = createRefusal(present);
  const replyOf = (type: string, result: ExecutionResult): OperationReply => {
    const { errors } = result;
    if (errors === undefined) return { status: 200, text: JSON.stringify(result) };
    // Without `data` the request was refused because of its variables: 400, but 200 for application/json.
    const status = "data" in result || type === JSON_TYPE ? 200 : 400;
    return { status, text: JSON.stringify({ ...result, errors: errors.map(present) }) };
  };
  const execute = (
    prepared: PreparedOperation,
    caller: Caller,
    { type, parts }: AcceptedFormats,
  ): Awaitable<OperationReply> =>
    parts === null
      ? mapAwaitable(executor.execute(prepared, caller), (result) => replyOf(type, result))
      : executor.executeInParts(prepared, caller, parts).then((result) => {
          if (!("first" in result)) return replyOf(type, result);
          const { first, others } = result;
          return { status: 200, text: textOfPart(first, present), others: textsOf(others, present) };
        });
  return (request, formats, params) => {
    const { type } = formats;
    if (HttpError.is(params)) return refuse(request, { type, outcome: params });
    return mapAwaitable(documents.prepare(params), (prepared) =>
      isExecutable(prepared, request.method)
        ? execute(prepared, new HttpCaller(request), formats)
        : refuse(request, { type, outcome: prepared }),
    );
  };
};

/** Whether an operation was accepted and is allowed with its HTTP method. */
const isExecutable = (
  prepared: PreparedOperation | readonly GraphQLError[],
  method: string,
): prepared is PreparedOperation => {
  if (!("document" in prepared)) return false;
  const type = prepared.operation.operation;
  return type === "query" || (type === "mutation" && method === "POST");
};

const createRefusal = (
  present: PresentError,
): ((request: HttpRequest, operation: RefusedOperation) => Promise<OperationReply>) => {
  const formatError = (error: Error): GraphQLFormattedError & Error =>
    present(HttpError.is(error) ? refusalError(error.detail, error.extras) : error) as GraphQLFormattedError &
      Error; // graphql-http only serialises it
  const handle = createHandler<HttpRequest, RefusedOperation>({
    parseRequestParams({ context: { outcome } }) {
      if (HttpError.is(outcome)) throw outcome;
      return { query: "" };
    },
    onSubscribe({ context: { outcome } }) {
      if (HttpError.is(outcome)) throw outcome;
      if (!("document" in outcome)) return outcome;
      if (outcome.operation.operation === "mutation") return mutationOverGet(present);
      return [refusalError("Subscriptions need a WebSocket connection")];
    },
    formatError,
  });
  return async (request, context) => {
    const { method, path } = request;
    const headers = context.type === JSON_TYPE ? acceptsJson : acceptsResponse;
    const [text, { status }] = await handle({
      method,
      url: path,
      headers,
      body: null,
      raw: request,
      context,
    });
    return { status, text: text ?? "" };
  };
};

/** The type is already negotiated, including weights, which graphql-http ignores. */
const acceptsJson = { accept: "application/json" };
const acceptsResponse = { accept: "application/graphql-response+json" };

const mutationOverGet = (present: PresentError): ProtocolReply => [
  JSON.stringify({ errors: [present(refusalError("GET executes queries only; send mutations with POST"))] }),
  { status: 405, statusText: "Method Not Allowed" },
];

const textOfPart = (part: ResultPart, present: PresentError): string =>
  JSON.stringify(presentPart(part, present));

const textsOf = (parts: AsyncIterator<ResultPart, void>, present: PresentError): AsyncIterator<string> => ({
  async next() {
    const step = await parts.next();
    return step.done === true ? { done: true, value: undefined } : { value: textOfPart(step.value, present) };
  },
  async return() {
    await parts.return?.();
    return { done: true, value: undefined };
  },
});

/** The caller of an HTTP request; its signal is created on access. */
class HttpCaller implements Caller {
  readonly request: HttpRequest;

  constructor(request: HttpRequest) {
    this.request = request;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }
}
