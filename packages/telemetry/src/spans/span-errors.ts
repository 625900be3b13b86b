import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { redactText } from "../redaction/redact.ts";

/** Marks a span as failed, with the error as its `exception` event; credentials in texts are redacted. */
export const recordError = (span: Span, error: Error): void => {
  const message = redactText(error.message);
  span.addEvent("exception", {
    "exception.type": error.name,
    "exception.message": message,
    ...(error.stack !== undefined && { "exception.stacktrace": redactText(error.stack) }),
  });
  span.setStatus({ code: SpanStatusCode.ERROR, message });
};

/** Returns a low-cardinality type of an error: its code if it is a word, else its name. */
export const errorType = (error: Error): string => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? code : error.name;
};
