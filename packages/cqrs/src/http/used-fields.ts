import type { FieldUse, ImpliedReply } from "@framework/core/feature";
import type { AnyOperation } from "../definitions/operation.ts";

const replayed: FieldUse = {
  name: "Idempotent-Replayed",
  in: "reply",
  description: "`true` if this repeats the reply to an earlier request with the same idempotency key.",
  type: "string",
};
const token: FieldUse = {
  name: "Consistency-Token",
  in: "reply",
  description: "Position of the command's events. Send it with a query to read your own write.",
  type: "string",
};
const after: FieldUse = {
  name: "Consistency-Token",
  in: "request",
  description: "Token of a command: the reply contains its events.",
  type: "string",
};

const retryAfter: FieldUse = {
  name: "Retry-After",
  in: "refusal",
  description: "Seconds until the request may be repeated.",
  type: "integer",
};
const location: FieldUse = {
  name: "Location",
  in: "reply",
  description: "URL of the status.",
  type: "string",
};

/** Header fields of a route with idempotency keys. */
export const keyFields = (rule: "required" | "optional" | false | undefined): readonly FieldUse[] => {
  if (rule === undefined || rule === false) return [];
  const key: FieldUse = {
    name: "Idempotency-Key",
    in: "request",
    description: "Unique for each operation: repeated requests with the same key take effect once.",
    type: "string",
    required: rule === "required",
  };
  return [key, replayed, retryAfter];
};

/** Header fields of the endpoint of an operation. @param hasTokens whether commands return tokens */
export const endpointFields = (operation: AnyOperation, hasTokens: boolean): readonly FieldUse[] => {
  if (operation.kind === "query") return hasTokens ? [after, retryAfter] : [];
  const { idempotency, mode } = operation;
  return [
    ...keyFields(idempotency === "none" ? false : idempotency),
    ...(hasTokens && mode === "direct" ? [token] : []),
    ...(mode === "queued" ? [location] : []),
    retryAfter,
  ];
};

/** Returns the header fields of replies among `fields`, for the API document. */
export const replyHeaders = (fields: readonly FieldUse[]): ImpliedReply["headers"] & object =>
  Object.fromEntries(
    fields
      .filter((field) => field.in === "reply")
      .map(({ name, description, type }) => [name, { description, type }]),
  );
