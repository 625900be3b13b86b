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
import { refusalError } from "../documents/refusal-error.ts";
import { failure } from "../execution/failure.ts";
import type { PresentError } from "../execution/present-error.ts";
import { mapOutcome } from "../execution/map-outcome.ts";
import { hasMoreItems } from "./batch-size.ts";
import { JSON_TYPE, negotiate } from "./negotiate.ts";
import { multipart, partFormat, partsType } from "./parts.ts";
import {
  type OperationReply,
  type HandleOperation,
  createProtocol,
  type ProtocolParts,
  type AcceptedFormats,
} from "./protocol.ts";
import { queryIn } from "./query-in-json.ts";
import { paramsOfBody, paramsOfGet } from "./read-params.ts";

/** Options of batches and of results in parts. */
export interface HttpOptions {
  readonly batching: boolean;
  readonly maxBatch: number;
  readonly incremental: boolean;
}

/** Dependencies of the HTTP endpoint. */
export interface HttpEndpointParts extends ProtocolParts {
  readonly config: HttpOptions;
}

/** The endpoint over HTTP, which follows the GraphQL over HTTP draft. */
export class HttpEndpoint {
  private readonly config: HttpOptions;
  private readonly present: PresentError;
  private readonly documents: Documents;
  private readonly handle: HandleOperation;
  private readonly longBatch: Refusal;
  /** Serialized errors of refused documents and batches. Weak, because each refusal of a cycle is a new object, which names its fragment. */
  private readonly texts = new WeakMap<Refusal, string>();

  constructor(parts: HttpEndpointParts) {
    this.config = parts.config;
    this.present = parts.present;
    this.documents = parts.documents;
    const { maxBatch } = parts.config;
    this.longBatch = {
      errors: [refusalError(`A batch has at most ${maxBatch} operations`, { limit: "maxBatch" })],
    };
    this.handle = createProtocol(parts);
  }

  /**
   * Executes the query of a GET.
   *
   * @throws ForbiddenError for a cross-site request that CORS does not allow, HttpError 406 if no format of replies is acceptable
   */
  async get(request: HttpRequest): Promise<Response> {
    if (isCrossSite(request) && !request.context.get(OriginAllowed))
      throw new ForbiddenError("Pages of other sites may not send queries with GET");
    const formats = this.formatsOf(request);
    const outcome = await this.handle(
      request,
      formats,
      orMalformed(() => paramsOfGet(request)),
    );
    const reply = toResponse(outcome, formats);
    if (outcome.status === 405) reply.headers.set("allow", "POST");
    addVary(reply.headers, "Accept");
    return reply;
  }

  /**
   * Executes the operation of a POST, or a list of operations if `batching` is enabled.
   *
   * @throws HttpError 406 if no format of replies is acceptable, 415 unless the body is JSON
   */
  post(request: HttpRequest): Awaitable<Response> {
    requireJson(request.getHeader("content-type"));
    const formats = this.formatsOf(request);
    if (Number(request.getHeader("content-length") ?? Infinity) <= SHORT_BODY)
      return this.handleBody(request, formats);
    return request
      .body()
      .then((bytes) => this.refuseUnparsed(bufferOf(bytes), formats) ?? this.handleBody(request, formats));
  }

  private formatsOf(request: HttpRequest): AcceptedFormats {
    const accept = request.getHeader("accept");
    const parts = this.config.incremental ? partFormat(accept) : null;
    const type = negotiate(accept) ?? (parts === null ? null : JSON_TYPE);
    if (type !== null) return { type, parts };
    throw new HttpError(406, "Replies are application/graphql-response+json or application/json");
  }

  private handleBody(request: HttpRequest, formats: AcceptedFormats): Awaitable<Response> {
    return mapAwaitable(bodyOf(request), (body) => {
      if (Array.isArray(body)) return this.batch(request, { ...formats, parts: null }, body);
      return mapAwaitable(this.handle(request, formats, paramsOf(body)), (outcome) =>
        toResponse(outcome, formats),
      );
    });
  }

  /** Refuses a list that is too long or not allowed, or a document that exceeds a limit, without parsing the body; `null` for other bodies. */
  private refuseUnparsed(json: Uint8Array, formats: AcceptedFormats): Response | null {
    const { batching, maxBatch } = this.config;
    if (hasMoreItems(json, batching ? maxBatch : 0)) return this.refuseBatch(formats, Infinity);
    const query = queryIn(json);
    const refusal = query === -1 ? null : this.documents.refuseUnparsed(json, query);
    if (refusal === null) return null;
    const status = formats.type === JSON_TYPE ? 200 : 400;
    return toResponse({ status, text: this.textOf(refusal) }, formats);
  }

  private textOf(refusal: Refusal): string {
    let text = this.texts.get(refusal);
    if (text === undefined)
      this.texts.set(refusal, (text = JSON.stringify({ errors: refusal.errors.map(this.present) })));
    return text;
  }

  private async batch(
    request: HttpRequest,
    formats: AcceptedFormats,
    body: readonly unknown[],
  ): Promise<Response> {
    const { batching, maxBatch } = this.config;
    if (!batching || body.length === 0 || body.length > maxBatch)
      return this.refuseBatch(formats, body.length);
    const outcomes = await Promise.allSettled(
      body.map(async (item) => this.handle(request, formats, paramsOf(item))),
    );
    // The results of the others must not be lost: their mutations have run.
    const [first] = outcomes;
    if (first?.status === "rejected" && outcomes.every(({ status }) => status === "rejected"))
      throw first.reason;
    const texts = outcomes.map((outcome) =>
      outcome.status === "fulfilled"
        ? outcome.value.text
        : JSON.stringify({ errors: [this.present(failure(outcome.reason))] }),
    );
    return toResponse({ status: 200, text: `[${texts.join(",")}]` }, formats);
  }

  private refuseBatch(formats: AcceptedFormats, items: number): Response {
    const refusal = !this.config.batching ? noBatches : items === 0 ? emptyBatch : this.longBatch;
    return toResponse({ status: 400, text: this.textOf(refusal) }, formats);
  }
}

/** Whether a request is cross-site. Browsers send Sec-Fetch-Site only to HTTPS and local addresses; without it, Origin is compared. */
const isCrossSite = (request: HttpRequest): boolean => {
  const site = request.getHeader("sec-fetch-site");
  if (site !== null) return site === "cross-site";
  const origin = request.getHeader("origin");
  return origin !== null && !isOwnOrigin(origin, request);
};

const noBatches: Refusal = { errors: [refusalError("Batches are not enabled")] };
const emptyBatch: Refusal = { errors: [refusalError("A batch has at least one operation")] };

/** Returns a Buffer over the same memory: `indexOf` is 20 times as fast on it. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Maximum length in bytes of bodies that are parsed directly: scanning them would take as long. */
const SHORT_BODY = 1024;

/** Reads JSON with the limits of core: UTF-8, and at most 100 levels, because the coercion of variables is recursive. */
const bodyOf = (request: HttpRequest): Awaitable<unknown> =>
  mapOutcome(
    () => request.bodyValue(),
    (body) => body,
    malformedOrThrow,
  );

/** Returns the parameters, or the body itself if it is an HttpError: a real error, because clients may send an object with the members of an HttpError. */
const paramsOf = (body: unknown): OperationParams | HttpError =>
  Error.isError(body) && HttpError.is(body) ? body : orMalformed(() => paramsOfBody(body));

/** Returns the parameters, or the error of malformed ones. */
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

/** Requires JSON: pages of other sites can send other types without a CORS preflight. */
const requireJson = (contentType: string | null): void => {
  if (contentType === "application/json") return;
  if (contentType === null || !/^application\/json[ \t]*(?:;|$)/i.test(contentType))
    throw new UnsupportedMediaTypeError("Operations are sent as application/json in UTF-8");
};

const toResponse = ({ status, text, others }: OperationReply, { type, parts }: AcceptedFormats): Response => {
  if (others === undefined || parts === null) return new Response(text, { status, contentType: type });
  return Response.stream(multipart(text, others), { contentType: partsType(parts) });
};
