import {
  ForbiddenError,
  HttpError,
  type HttpRequest,
  Response,
  UnsupportedMediaTypeError,
} from "@framework/core";
import { OriginAllowed } from "@framework/core/feature";
import { type ExecutionResult, GraphQLError } from "graphql";
import {
  createHandler,
  type Handler,
  type Request as RequestOfLibrary,
  type Response as ReplyOfLibrary,
} from "graphql-http";
import type { Documents, OperationParams } from "../documents/documents.ts";
import { refused } from "../documents/refused.ts";
import type { Executor } from "../execution/executor.ts";
import type { PresentError } from "../execution/present-error.ts";
import { placedQuery, readBody } from "./read-params.ts";

/** Limits of requests with several operations. */
export interface BatchLimits {
  readonly batching: boolean;
  readonly maxBatch: number;
}

/** Dependencies of the HTTP endpoint. */
export interface HttpDoorParts {
  readonly config: BatchLimits;
  readonly documents: Documents;
  readonly executor: Executor;
  readonly present: PresentError;
}

type Operation = RequestOfLibrary<HttpRequest, unknown>;

/** The endpoint over HTTP, by the GraphQL over HTTP draft: graphql-http reads parameters, negotiates and formats; the operation is ours. */
export class HttpDoor {
  private readonly parts: HttpDoorParts;
  private readonly handler: Handler<HttpRequest>;

  constructor(parts: HttpDoorParts) {
    this.parts = parts;
    this.handler = createHandler<HttpRequest>({
      onSubscribe: (operation, params) => this.run(operation, params as OperationParams),
      // The library writes what it gets as JSON, so an error may be formatted already.
      formatError: (error) => parts.present(error) as unknown as Error,
    });
  }

  /** Answers a GET with a query. @throws ForbiddenError for a page of another site that CORS does not allow */
  async get(request: HttpRequest): Promise<Response> {
    if (request.getHeader("sec-fetch-site") === "cross-site" && !request.context.get(OriginAllowed))
      throw new ForbiddenError("Pages of other sites may not send queries with GET");
    return replyOf(await this.handler(operationOf(request, undefined, placedQuery(request.url))));
  }

  /** Answers a POST with one operation, or a list of them when batching is on. */
  async post(request: HttpRequest): Promise<Response> {
    const body = await readBody(request);
    if (!Array.isArray(body)) return replyOf(await this.handler(operationOf(request, body)));
    const refusal = this.refuseBatch(body);
    if (refusal !== null) return Response.json({ errors: [this.parts.present(refusal)] }, { status: 400 });
    const replies = await Promise.all(body.map((item) => this.handler(operationOf(request, item))));
    const negotiated = replies.find(([, { status }]) => status === 406 || status === 415) ?? replies[0];
    if (negotiated === undefined || negotiated[0] === null)
      return replyOf(negotiated ?? [null, { status: 400, statusText: "" }]);
    const contentType = negotiated[1].headers?.["content-type"] ?? "application/json; charset=utf-8";
    return new Response(`[${replies.map(([text]) => text ?? "null").join(",")}]`, { contentType });
  }

  private refuseBatch(body: readonly unknown[]): GraphQLError | null {
    const { batching, maxBatch } = this.parts.config;
    if (!batching) return refused("Batches are not enabled");
    if (body.length === 0) return refused("A batch has at least one operation");
    return body.length > maxBatch
      ? refused(`A batch has at most ${maxBatch} operations`, { limit: "maxBatch" })
      : null;
  }

  private async run(
    { method, raw: request }: Operation,
    params: OperationParams,
  ): Promise<ExecutionResult | readonly GraphQLError[] | ReplyOfLibrary> {
    const { documents, executor } = this.parts;
    const prepared = await documents.prepare(withId(params));
    if (!("document" in prepared)) return prepared;
    const { operation } = prepared.operation;
    if (operation === "subscription") return [refused("Subscriptions need a WebSocket connection")];
    if (operation === "mutation" && method === "GET") return this.mutationByGet();
    const result = await executor.execute(prepared, { request, signal: request.signal });
    // Without data the request itself was refused, by its variables: the status says so.
    return "data" in result ? result : (result.errors ?? [new GraphQLError("The operation has no result")]);
  }

  private mutationByGet(): ReplyOfLibrary {
    const body = JSON.stringify({
      errors: [this.parts.present(refused("GET executes queries only; send mutations with POST"))],
    });
    const headers = { allow: "POST", "content-type": "application/json; charset=utf-8" };
    return [body, { status: 405, statusText: "Method Not Allowed", headers }];
  }
}

/** The library drops a `documentId`; `readBody` and `placedQuery` put it into the extensions. */
const withId = (params: OperationParams): OperationParams => {
  const { documentId } = params.extensions ?? {};
  return typeof documentId === "string"
    ? { ...params, documentId, query: params.query === "" ? null : params.query }
    : params;
};

const operationOf = (request: HttpRequest, body: unknown, url: string = request.url): Operation => ({
  method: request.method === "HEAD" ? "GET" : request.method,
  url,
  headers: { get: (name: string) => request.getHeader(name) },
  body: body as string | Record<string, unknown> | null,
  raw: request,
  context: undefined,
});

const replyOf = ([body, { status, headers = {} }]: ReplyOfLibrary): Response => {
  if (body !== null) return new Response(body, { status, headers });
  if (status === 415) throw new UnsupportedMediaTypeError("Operations are sent as application/json in UTF-8");
  throw new HttpError(status, "Replies are application/graphql-response+json or application/json");
};
