import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import { FailedWith } from "@framework/core/feature";
import type { HttpRequest } from "@framework/core";
import { RecordedSpan } from "../tracing/recorded-span.ts";
import { clientAttributes, requestAttributes } from "./request-attributes.ts";
import type { RequestTemplates } from "./request-templates.ts";
import { errorType, recordError } from "./span-errors.ts";

/** Ends the span of a request: a 5xx reply and a lost connection are errors, 4xx replies are not. @param status 0 without a reply */
export const finishRequest = (
  span: Span,
  request: HttpRequest,
  status: number,
  isAborted: boolean,
  templates: RequestTemplates,
): void => {
  const failure = request.context.get(FailedWith);
  const isSuccess = failure === null && status > 0 && status < 500 && !isAborted;
  if (isSuccess && span instanceof RecordedSpan) {
    const template = templates.of(request, status);
    if (template !== null) return span.end(undefined, clientAttributes(request), template);
  }
  finishInFull(span, request, status, isAborted);
};

const finishInFull = (span: Span, request: HttpRequest, status: number, isAborted: boolean): void => {
  const isOwn = span instanceof RecordedSpan;
  const attributes = isOwn ? requestAttributes(request) : {};
  if (status !== 0) attributes["http.response.status_code"] = status;
  fail(span, attributes, request.context.get(FailedWith), status, isAborted);
  if (isOwn) span.end(undefined, attributes);
  else span.setAttributes(attributes).end();
};

const fail = (
  span: Span,
  attributes: Attributes,
  failure: Error | null,
  status: number,
  isAborted: boolean,
): void => {
  if (failure !== null) {
    attributes["error.type"] = errorType(failure);
    recordError(span, failure);
  } else if (status >= 500 || isAborted) {
    attributes["error.type"] = isAborted ? "aborted" : String(status);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
};
