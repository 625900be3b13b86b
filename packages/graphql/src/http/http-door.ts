import {
  type Awaitable,
  ForbiddenError,
  HttpError,
  type HttpRequest,
  Response,
  UnsupportedMediaTypeError,
} from "@framework/core";
import { addVary, OriginAllowed } from "@framework/core/feature";
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
import { negotiate } from "./negotiate.ts";
import { type CheckedParams, paramsOfBody, paramsOfGet } from "./read-params.ts";

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

/** One operation of a request, with the media type of its reply. */
interface Asked {
  readonly request: HttpRequest;
  readonly type: string;
  /** Returns the parameters. @throws HttpError 400 for a malformed request */
  readonly read: () => Awaitable<CheckedParams>;
}

type Operation = RequestOfLibrary<Asked, unknown>;

/**
 * The endpoint over HTTP, by the GraphQL over HTTP draft: graphql-http chooses status and body by what an operation gives. Parameters are read here, since
 * it cuts a URL at a second `?` and knows no ids of documents; so is `Accept`, whose weights it ignores.
 */
export class HttpDoor {
  private readonly parts: HttpDoorParts;
  private readonly handler: Handler<Asked>;

  constructor(parts: HttpDoorParts) {
    this.parts = parts;
    this.handler = createHandler<Asked>({
      parseRequestParams: ({ raw }) => this.paramsOf(raw) as never, // its type of parameters has no `null`
      onSubscribe: (operation, params) => this.run(operation, params as OperationParams),
      // The library writes what it gets as JSON, so an error may be formatted already.
      formatError: (error) => parts.present(error) as unknown as Error,
    });
  }

  /** Answers a GET with a query. @throws ForbiddenError for a page of another site that CORS does not allow */
  async get(request: HttpRequest): Promise<Response> {
    if (request.getHeader("sec-fetch-site") === "cross-site" && !request.context.get(OriginAllowed))
      throw new ForbiddenError("Pages of other sites may not send queries with GET");
    const reply = replyOf(await this.answer(request, () => paramsOfGet(request)));
    addVary(reply.headers, "Accept");
    return reply;
  }

  /** Answers a POST with one operation, or a list of them when batching is on. */
  async post(request: HttpRequest): Promise<Response> {
    requireJson(request.getHeader("content-type"));
    const body = await this.bodyOf(request);
    if (isMalformed(body)) return replyOf(await this.answer(request, () => Promise.reject(body)));
    if (!Array.isArray(body)) return replyOf(await this.answer(request, () => paramsOfBody(body)));
    const refusal = this.refuseBatch(body);
    if (refusal !== null) return Response.json({ errors: [this.parts.present(refusal)] }, { status: 400 });
    const replies = await Promise.all(body.map((item) => this.answer(request, () => paramsOfBody(item))));
    return new Response(`[${replies.map(([text]) => text ?? "null").join(",")}]`, {
      contentType: typeOf(request),
    });
  }

  /** Reads JSON with core's limits: UTF-8, and at most 100 levels, since the coercion of variables is recursive. */
  private async bodyOf(request: HttpRequest): Promise<unknown> {
    try {
      return await request.json();
    } catch (error) {
      if (isMalformed(error)) return error;
      throw error;
    }
  }

  private async answer(request: HttpRequest, read: Asked["read"]): Promise<ReplyOfLibrary> {
    return await this.handler(operationOf({ request, type: typeOf(request), read }));
  }

  /** A malformed request is a 400 in the type that the client accepts. */
  private async paramsOf({ read, type }: Asked): Promise<CheckedParams | ReplyOfLibrary> {
    try {
      return await read();
    } catch (error) {
      if (!isMalformed(error)) throw error;
      const body = JSON.stringify({ errors: [this.parts.present(refused(error.detail))] });
      return [body, { status: 400, statusText: "Bad Request", headers: { "content-type": type } }];
    }
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
    { method, raw: { request, type } }: Operation,
    params: OperationParams,
  ): Promise<ExecutionResult | readonly GraphQLError[] | ReplyOfLibrary> {
    const { documents, executor } = this.parts;
    const prepared = await documents.prepare(params);
    if (!("document" in prepared)) return prepared;
    const { operation } = prepared.operation;
    if (operation === "subscription") return [refused("Subscriptions need a WebSocket connection")];
    if (operation === "mutation" && method === "GET") return this.mutationByGet(type);
    const result = await executor.execute(prepared, { request, signal: request.signal });
    // Without data the request itself was refused, by its variables: the status says so.
    return "data" in result ? result : (result.errors ?? [new GraphQLError("The operation has no result")]);
  }

  private mutationByGet(type: string): ReplyOfLibrary {
    const body = JSON.stringify({
      errors: [this.parts.present(refused("GET executes queries only; send mutations with POST"))],
    });
    const headers = { allow: "POST", "content-type": type };
    return [body, { status: 405, statusText: "Method Not Allowed", headers }];
  }
}

const isMalformed = (value: unknown): value is HttpError => HttpError.is(value) && value.status === 400;

/** Other types than JSON can be sent by pages of other sites. */
const requireJson = (contentType: string | null): void => {
  if (contentType === null || !/^application\/json[ \t]*(?:;|$)/i.test(contentType))
    throw new UnsupportedMediaTypeError("Operations are sent as application/json in UTF-8");
};

const typeOf = (request: HttpRequest): string => {
  const type = negotiate(request.getHeader("accept"));
  if (type !== null) return type;
  throw new HttpError(406, "Replies are application/graphql-response+json or application/json");
};

const operationOf = (asked: Asked): Operation => ({
  method: asked.request.method === "HEAD" ? "GET" : asked.request.method,
  url: asked.request.url,
  headers: { get: (name: string) => (name === "accept" ? asked.type : null) },
  body: null,
  raw: asked,
  context: undefined,
});

const replyOf = ([body, { status, headers = {} }]: ReplyOfLibrary): Response =>
  new Response(body, { status, headers });
