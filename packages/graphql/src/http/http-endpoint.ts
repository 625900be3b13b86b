import {
  type Awaitable,
  ForbiddenError,
  HttpError,
  type HttpRequest,
  Response,
  UnsupportedMediaTypeError,
} from "@framework/core";
import { addVary, isOwnOrigin, mapAwaitable, OriginAllowed } from "@framework/core/feature";
import type { Documents, OperationParams, Refusal } from "../documents/documents.ts";
import { refused } from "../documents/refused.ts";
import type { PresentError } from "../execution/present-error.ts";
import { settled } from "../execution/settled.ts";
import { hasMoreItems } from "./batch-size.ts";
import { JSON_TYPE, negotiate } from "./negotiate.ts";
import { multipart, partFormat, partsType } from "./parts.ts";
import {
  type Answer,
  type AnswerOperation,
  createProtocol,
  type ProtocolParts,
  type Wanted,
} from "./protocol.ts";
import { queryIn } from "./query-in-json.ts";
import { paramsOfBody, paramsOfGet } from "./read-params.ts";

/** Options of requests with several operations, and of results in parts. */
export interface HttpOptions {
  readonly batching: boolean;
  readonly maxBatch: number;
  readonly incremental: boolean;
}

/** Dependencies of the HTTP endpoint. */
export interface HttpEndpointParts extends ProtocolParts {
  readonly config: HttpOptions;
}

/** The endpoint over HTTP, by the GraphQL over HTTP draft. */
export class HttpEndpoint {
  private readonly config: HttpOptions;
  private readonly present: PresentError;
  private readonly documents: Documents;
  private readonly answer: AnswerOperation;
  private readonly longBatch: Refusal;
  /** Replies to refused documents and batches. Weak, because each refusal of a cycle is a new object, which names its fragment. */
  private readonly texts = new WeakMap<Refusal, string>();

  constructor(parts: HttpEndpointParts) {
    this.config = parts.config;
    this.present = parts.present;
    this.documents = parts.documents;
    const { maxBatch } = parts.config;
    this.longBatch = {
      errors: [refused(`A batch has at most ${maxBatch} operations`, { limit: "maxBatch" })],
    };
    this.answer = createProtocol(parts);
  }

  /** Answers a GET with a query. @throws ForbiddenError for a page of another site that CORS does not allow */
  async get(request: HttpRequest): Promise<Response> {
    if (isOfOtherSite(request) && !request.context.get(OriginAllowed))
      throw new ForbiddenError("Pages of other sites may not send queries with GET");
    const wanted = this.wantedBy(request);
    const answer = await this.answer(
      request,
      wanted,
      orMalformed(() => paramsOfGet(request)),
    );
    const reply = replyOf(answer, wanted);
    if (answer.status === 405) reply.headers.set("allow", "POST");
    addVary(reply.headers, "Accept");
    return reply;
  }

  /** Answers a POST with one operation, or a list of them when batching is on. */
  post(request: HttpRequest): Awaitable<Response> {
    requireJson(request.getHeader("content-type"));
    const wanted = this.wantedBy(request);
    if (Number(request.getHeader("content-length") ?? Infinity) <= SHORT_BODY)
      return this.answerBody(request, wanted);
    return request
      .body()
      .then((bytes) => this.refuseUnparsed(bufferOf(bytes), wanted) ?? this.answerBody(request, wanted));
  }

  private wantedBy(request: HttpRequest): Wanted {
    const accept = request.getHeader("accept");
    const parts = this.config.incremental ? partFormat(accept) : null;
    const type = negotiate(accept) ?? (parts === null ? null : JSON_TYPE);
    if (type !== null) return { type, parts };
    throw new HttpError(406, "Replies are application/graphql-response+json or application/json");
  }

  private answerBody(request: HttpRequest, wanted: Wanted): Awaitable<Response> {
    return mapAwaitable(bodyOf(request), (body) => {
      if (Array.isArray(body)) return this.batch(request, { ...wanted, parts: null }, body);
      return mapAwaitable(this.answer(request, wanted, paramsOf(body)), (answer) => replyOf(answer, wanted));
    });
  }

  /** Refuses a list that is too long, or a document whose text exceeds a limit, without parsing the body. */
  private refuseUnparsed(json: Uint8Array, wanted: Wanted): Response | null {
    const { batching, maxBatch } = this.config;
    if (hasMoreItems(json, batching ? maxBatch : 0)) return this.refuseBatch(wanted, Infinity);
    const query = queryIn(json);
    const refusal = query === -1 ? null : this.documents.refuseUnparsed(json, query);
    if (refusal === null) return null;
    const status = wanted.type === JSON_TYPE ? 200 : 400;
    return replyOf({ status, text: this.textOf(refusal) }, wanted);
  }

  private textOf(refusal: Refusal): string {
    let text = this.texts.get(refusal);
    if (text === undefined)
      this.texts.set(refusal, (text = JSON.stringify({ errors: refusal.errors.map(this.present) })));
    return text;
  }

  private async batch(request: HttpRequest, wanted: Wanted, body: readonly unknown[]): Promise<Response> {
    const { batching, maxBatch } = this.config;
    if (!batching || body.length === 0 || body.length > maxBatch)
      return this.refuseBatch(wanted, body.length);
    const answers = await Promise.all(body.map(async (item) => this.answer(request, wanted, paramsOf(item))));
    return replyOf({ status: 200, text: `[${answers.map(({ text }) => text).join(",")}]` }, wanted);
  }

  private refuseBatch(wanted: Wanted, items: number): Response {
    const refusal = !this.config.batching ? noBatches : items === 0 ? emptyBatch : this.longBatch;
    return replyOf({ status: 400, text: this.textOf(refusal) }, wanted);
  }
}

/** Whether a page of another site sent a request. Browsers send Sec-Fetch-Site to HTTPS and local addresses only, so elsewhere Origin decides. */
const isOfOtherSite = (request: HttpRequest): boolean => {
  const site = request.getHeader("sec-fetch-site");
  if (site !== null) return site === "cross-site";
  const origin = request.getHeader("origin");
  return origin !== null && !isOwnOrigin(origin, request);
};

const noBatches: Refusal = { errors: [refused("Batches are not enabled")] };
const emptyBatch: Refusal = { errors: [refused("A batch has at least one operation")] };

/** The same memory as a Buffer, which is searched 20 times as fast. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Bytes up to which a body is parsed as fast as it is scanned. */
const SHORT_BODY = 1024;

/** Reads JSON with core's limits: UTF-8, and at most 100 levels, since the coercion of variables is recursive. */
const bodyOf = (request: HttpRequest): Awaitable<unknown> =>
  settled(
    () => request.bodyValue(),
    (body) => body,
    malformedOrThrow,
  );

const paramsOf = (body: unknown): OperationParams | HttpError =>
  HttpError.is(body) ? body : orMalformed(() => paramsOfBody(body));

/** Returns the error of malformed parameters instead of throwing it. */
const orMalformed = (read: () => OperationParams): OperationParams | HttpError => {
  try {
    return read();
  } catch (error) {
    return malformedOrThrow(error);
  }
};

const malformedOrThrow = (error: unknown): HttpError => {
  if (HttpError.is(error) && error.status === 400) return error;
  throw error;
};

/** Pages of other sites can send types other than JSON. */
const requireJson = (contentType: string | null): void => {
  if (contentType === "application/json") return;
  if (contentType === null || !/^application\/json[ \t]*(?:;|$)/i.test(contentType))
    throw new UnsupportedMediaTypeError("Operations are sent as application/json in UTF-8");
};

const replyOf = ({ status, text, others }: Answer, { type, parts }: Wanted): Response => {
  if (others === undefined || parts === null) return new Response(text, { status, contentType: type });
  return Response.stream(multipart(text, others), { contentType: partsType(parts) });
};
