import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { memberOf, messageOf, textOf } from "@framework/core/feature";
import { redactText } from "../redaction/redact.ts";

/** Marks a span as failed, with the error as its `exception` event; credentials in its texts are redacted. */
export const recordError = (span: Span, error: Error): void => {
  const message = redactText(messageOf(error));
  const stack = memberOf(error, "stack");
  span.addEvent("exception", {
    "exception.type": textOf(memberOf(error, "name")),
    "exception.message": message,
    ...(typeof stack === "string" && { "exception.stacktrace": redactText(stack) }),
  });
  span.setStatus({ code: SpanStatusCode.ERROR, message });
};

/** Returns a low-cardinality type of an error: its code if it is a word, otherwise its name. */
export const errorType = (error: Error): string => {
  const code = memberOf(error, "code");
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? code : textOf(memberOf(error, "name"));
};
