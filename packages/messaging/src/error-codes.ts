import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const messagingErrors: ErrorCatalogue = {
  MESSAGING_BAD_CONFIG: {
    summary: "a subscription, broker or option is wrong, or the broker cannot do it; the app does not start",
    action: "the message says which; correct it",
  },
  MESSAGING_BAD_MESSAGE: {
    summary: "a message to send has a bad member, does not fit its schema or is not JSON data",
    action: "the message says which; correct it",
  },
  MESSAGING_NOT_ENABLED: {
    summary: "`app.messaging` is used and no broker is enabled, or none of that name",
    action: "call `enableMessaging`, or correct the name",
  },
  MESSAGING_TOO_LARGE: {
    summary: "a message has a larger body or larger headers than the limits or the broker allow",
    action: "store the content elsewhere and send its address",
  },
  MESSAGING_SEND_FAILED: {
    status: 503,
    summary: "the broker did not confirm a message in time, or refused it",
    action: "send it again with the same id, or send with `tx`, so that the outbox does",
  },
  MESSAGING_UNDECODABLE: {
    summary: "a delivery is no CloudEvent, no JSON, or too deep; it becomes a dead letter at once",
    action: "correct the sender, or subscribe with `raw: true`",
  },
  MESSAGING_UNKNOWN_TYPE: {
    summary: "a delivery has a type that the subscription does not know",
    action: "add the type to `schemas`, or choose another `onUnknown`",
  },
  MESSAGING_INVALID_DATA: {
    summary: "the data of a delivery does not fit its schema; it becomes a dead letter at once",
    action: "correct the sender or the schema, then replay it",
  },
  MESSAGING_REJECTED: {
    summary: "a handler called `context.reject`, or `auth` or a guard refused the sender",
    action: "inspect the dead letter; correct the cause, then replay or discard it",
  },
  MESSAGING_NO_DECISION: {
    summary:
      "a handler with `ack: 'manual'` returned without `ack`, `retry` or `reject`, a batch handler without a verdict, or a middleware without an outcome",
    action: "decide in every path of the handler; let a middleware return what `next` returned",
  },
  MESSAGING_TIMEOUT: {
    summary: "a handler took longer than `timeoutMs`; the reason of its signal",
    action: "make the handler observe its signal, or raise the limit",
  },
  MESSAGING_LOST: {
    summary: "the broker gave a delivery to another consumer, or the process stops; the reason of the signal",
    action: "nothing: it is delivered again",
  },
  MESSAGING_NO_REPLY: {
    status: 504,
    summary: "a request had no reply within its `timeoutMs`; its handler may still run",
    action: "raise the limit, or look at the lag of the handler's subscription",
  },
  MESSAGING_REQUEST_FAILED: {
    status: 502,
    summary:
      "the message of a request became a dead letter, its handler threw after `ack` or is one of `subscribeBatch`, or what it returned cannot be sent or does not fit the `schema` of the request",
    action: "inspect the dead letter; let the handler return JSON data that the requester expects",
  },
};
