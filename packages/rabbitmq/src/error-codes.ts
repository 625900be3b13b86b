import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const rabbitmqErrors: ErrorCatalogue = {
  RABBITMQ_UNAVAILABLE: {
    summary: "there is no connection to the server, or it broke before the server confirmed the message",
    action:
      "check the server and its address; the message may have been stored, so send it again with its id",
  },
  RABBITMQ_TIMEOUT: {
    summary: "the server did not confirm a message in time, or blocks publishers because of an alarm",
    action: "check memory and disk of the server; the message may have been stored",
  },
  RABBITMQ_REFUSED: {
    summary:
      "the server refused a message: a queue is full or cannot store it safely, or the user may not write to the topic",
    action: "check the lengths and the state of the queues of the topic, and the permissions of the user",
  },
  RABBITMQ_UNROUTABLE: {
    summary: "no group has a queue for the topic, or the topic does not exist; nothing was stored",
    action: "start a subscriber first, or declare its queue",
  },
};
