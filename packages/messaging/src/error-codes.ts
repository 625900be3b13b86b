import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const messagingErrors: ErrorCatalogue = {
  MESSAGING_BAD_CONFIG: {
    summary:
      "a subscription, broker, option or call is invalid, or the broker does not support it; at start, the app does not start",
    action: "correct the mistake that the message names",
  },
  MESSAGING_BAD_MESSAGE: {
    summary: "a message to send has an invalid member, does not fit its schema or is not JSON data",
    action: "correct the mistake that the message names",
  },
  MESSAGING_NOT_ENABLED: {
    summary:
      "`app.messaging` is used, but no broker is enabled, none has that name, or several are enabled and none is named",
    action: "call `enableMessaging`, or name an enabled broker with `broker`",
  },
  MESSAGING_TOO_LARGE: {
    summary: "the body or the headers of a message exceed the limits of the app or the broker",
    action: "store the content elsewhere and send a link to it",
  },
  MESSAGING_SEND_FAILED: {
    status: 503,
    summary:
      "the broker did not confirm a message in time or refused it, the app has stopped, or 10,000 requests wait for their replies",
    action: "send it again with the same id, or send with `tx`: the outbox retries",
  },
  MESSAGING_UNDECODABLE: {
    summary:
      "a delivery is not a CloudEvent, is not valid JSON or is nested too deeply; it becomes a dead letter at once",
    action: "correct the sender, or subscribe with `raw: true`",
  },
  MESSAGING_UNKNOWN_TYPE: {
    summary: "the subscription has no schema for the type of a delivery",
    action: "add the type to `schema`, or choose another `onUnknown`",
  },
  MESSAGING_INVALID_DATA: {
    summary: "the data of a delivery does not fit its schema; it becomes a dead letter at once",
    action: "correct the sender or the schema, then replay it",
  },
  MESSAGING_REJECTED: {
    summary: "a handler called `context.reject`, or `auth` or a guard rejected the sender",
    action: "inspect the dead letter; correct the cause, then replay or discard it",
  },
  MESSAGING_NO_DECISION: {
    summary:
      "a handler with `ack: 'manual'` returned without `ack`, `retry` or `reject`, a batch handler returned no verdict, or a middleware no outcome",
    action: "decide in every path of the handler; return the result of `next` from a middleware",
  },
  MESSAGING_TIMEOUT: {
    summary: "a handler took longer than `timeoutMs`; the abort reason of its signal",
    action: "make the handler observe its signal, or raise the limit",
  },
  MESSAGING_LOST: {
    summary:
      "the broker gave a delivery to another consumer, or the process is stopping (the abort reason of the signal), or the process of the last try of a message with the inbox died before it stored the result (then this is the cause of the dead letter)",
    action:
      "after an abort, let the handler end: the message is delivered again; if a dead letter has this code, check whether its handler kills the process",
  },
  MESSAGING_NO_REPLY: {
    status: 504,
    summary: "a request had no reply within its `timeoutMs`; its handler may still run",
    action: "raise the limit, or check the lag of the handler's subscription",
  },
  MESSAGING_REQUEST_FAILED: {
    status: 502,
    summary:
      "the message of a request became a dead letter, its handler threw after `ack` or is a batch handler, or the reply cannot be sent or does not fit the `schema` of the request",
    action: "inspect the dead letter; let the handler return JSON data that the requester expects",
  },
};
