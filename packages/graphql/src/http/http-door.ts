import {
  type Awaitable,
  ForbiddenError,
  HttpError,
  type HttpRequest,
  Response,
  UnsupportedMediaTypeError,
} from "@framework/core";
import { addVary, mapAwaitable, OriginAllowed } from "@framework/core/feature";
import type { ExecutionResult, GraphQLError } from "graphql";
import type { Documents, OperationParams, Prepared } from "../documents/documents.ts";
import { refused } from "../documents/refused.ts";
import type { Caller } from "../execution/caller.ts";
import type { Executor } from "../execution/executor.ts";
import type { PresentError } from "../execution/present-error.ts";
import { settled } from "../execution/settled.ts";
import { JSON_TYPE, negotiate } from "./negotiate.ts";
import { paramsOfBody, paramsOfGet } from "./read-params.ts";

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

/** The reply to one operation. */
interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The endpoint over HTTP, by the GraphQL over HTTP draft. */
export class HttpDoor {
  private readonly parts: HttpDoorParts;

  constructor(parts: HttpDoorParts) {
    this.parts = parts;
  }

  /** Answers a GET with a query. @throws ForbiddenError for a page of another site that CORS does not allow */
  get(request: HttpRequest): Awaitable<Response> {
    if (request.getHeader("sec-fetch-site") === "cross-site" && !request.context.get(OriginAllowed))
      throw new ForbiddenError("Pages of other sites may not send queries with GET");
    const type = typeOf(request);
    return mapAwaitable(
      this.answer(request, type, () => paramsOfGet(request)),
      (answer) => {
        const reply = replyOf(answer, type);
        if (answer.status === 405) reply.headers.set("allow", "POST");
        addVary(reply.headers, "Accept");
        return reply;
      },
    );
  }

  /** Answers a POST with one operation, or a list of them when batching is on. */
  post(request: HttpRequest): Awaitable<Response> {
    requireJson(request.getHeader("content-type"));
    const type = typeOf(request);
    return mapAwaitable(bodyOf(request), (body) => {
      if (isMalformed(body)) return replyOf(this.refuse(400, [refused(body.detail)]), type);
      if (Array.isArray(body)) return this.batch(request, type, body);
      return mapAwaitable(
        this.answer(request, type, () => paramsOfBody(body)),
        (answer) => replyOf(answer, type),
      );
    });
  }

  private async batch(request: HttpRequest, type: string, body: readonly unknown[]): Promise<Response> {
    const refusal = this.refuseBatch(body);
    if (refusal !== null) return replyOf(this.refuse(400, [refusal]), type);
    const answers = await Promise.all(
      body.map(async (item) => await this.answer(request, type, () => paramsOfBody(item))), // a throw of one rejects, as the others do
    );
    return replyOf({ status: 200, text: `[${answers.map(({ text }) => text).join(",")}]` }, type);
  }

  /** Executes one operation; a malformed one is a 400 of either type. */
  private answer(request: HttpRequest, type: string, read: () => OperationParams): Awaitable<Answer> {
    let params: OperationParams;
    try {
      params = read();
    } catch (error) {
      if (isMalformed(error)) return this.refuse(400, [refused(error.detail)]);
      throw error;
    }
    return mapAwaitable(this.parts.documents.prepare(params), (prepared) =>
      this.execute(request, prepared, type),
    );
  }

  private execute(
    request: HttpRequest,
    prepared: Prepared | readonly GraphQLError[],
    type: string,
  ): Awaitable<Answer> {
    // A refused operation: by the older media type, clients read the errors of a 200.
    const refusedStatus = type === JSON_TYPE ? 200 : 400;
    if (!("document" in prepared)) return this.refuse(refusedStatus, prepared);
    const { operation } = prepared.operation;
    if (operation === "subscription")
      return this.refuse(refusedStatus, [refused("Subscriptions need a WebSocket connection")]);
    if (operation === "mutation" && request.method !== "POST")
      return this.refuse(405, [refused("GET executes queries only; send mutations with POST")]);
    return mapAwaitable(this.parts.executor.execute(prepared, new HttpCaller(request)), (result) =>
      this.answerOf(result, refusedStatus),
    );
  }

  private answerOf(result: ExecutionResult, refusedStatus: number): Answer {
    const { errors } = result;
    if (errors === undefined) return { status: 200, text: JSON.stringify(result) };
    // Without data the request itself was refused, by its variables: the status says so.
    if (!("data" in result)) return this.refuse(refusedStatus, errors);
    return { status: 200, text: JSON.stringify({ ...result, errors: errors.map(this.parts.present) }) };
  }

  private refuse(status: number, errors: readonly GraphQLError[]): Answer {
    return { status, text: JSON.stringify({ errors: errors.map(this.parts.present) }) };
  }

  private refuseBatch(body: readonly unknown[]): GraphQLError | null {
    const { batching, maxBatch } = this.parts.config;
    if (!batching) return refused("Batches are not enabled");
    if (body.length === 0) return refused("A batch has at least one operation");
    return body.length > maxBatch
      ? refused(`A batch has at most ${maxBatch} operations`, { limit: "maxBatch" })
      : null;
  }
}

/** The client of a request; its signal is made on access. */
class HttpCaller implements Caller {
  readonly request: HttpRequest;

  constructor(request: HttpRequest) {
    this.request = request;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }
}

/** Reads JSON with core's limits: UTF-8, and at most 100 levels, since the coercion of variables is recursive. */
const bodyOf = (request: HttpRequest): Awaitable<unknown> =>
  settled(
    () => request.bodyValue(),
    (body) => body,
    (error) => {
      if (isMalformed(error)) return error;
      throw error;
    },
  );

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

const replyOf = ({ status, text }: Answer, contentType: string): Response =>
  new Response(text, { status, contentType });
