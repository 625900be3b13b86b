import type { FieldUse, ImpliedReply } from "@framework/core/feature";
import type { AnyOperation } from "../definitions/operation.ts";

const replayed: FieldUse = {
  name: "Idempotent-Replayed",
  in: "reply",
  description: "`true` when it repeats the reply to an earlier request with the same idempotency key.",
  type: "string",
};
const token: FieldUse = {
  name: "Consistency-Token",
  in: "reply",
  description: "Stands for the events of the command. A query that gets it sees them.",
  type: "string",
};
const after: FieldUse = {
  name: "Consistency-Token",
  in: "request",
  description: "Token of a command: the answer contains its events.",
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

/** Header fields of a route that has idempotency keys. */
export const keyFields = (rule: "required" | "optional" | false | undefined): readonly FieldUse[] => {
  if (rule === undefined || rule === false) return [];
  const key: FieldUse = {
    name: "Idempotency-Key",
    in: "request",
    description: "Unique for each operation: a repeated request with the same key happens once.",
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

/** The fields of these that a reply has, for the API document. */
export const replyHeaders = (fields: readonly FieldUse[]): ImpliedReply["headers"] & object =>
  Object.fromEntries(
    fields
      .filter((field) => field.in === "reply")
      .map(({ name, description, type }) => [name, { description, type }]),
  );
