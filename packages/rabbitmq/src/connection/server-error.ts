import { unescape } from "node:querystring"; // as amqplib does: never throws
import { FrameworkError } from "@framework/core";
import { messageOf } from "@framework/core/feature";

/** Reply codes of AMQP 0-9-1. */
export const NOT_FOUND = 404;
export const PRECONDITION_FAILED = 406;
export const ACCESS_REFUSED = 403;

/** Returns the server's reply code in an error of amqplib; `null` if there is none. */
export const replyCode = (error: unknown): number | null => {
  if (!Error.isError(error)) return null;
  const { code } = error as { readonly code?: unknown };
  return typeof code === "number" ? code : null;
};

/** Returns the server's or network's reason, for operators. amqplib's messages contain no credentials. */
export const reasonOf = (error: unknown): string => {
  if (!Error.isError(error)) return messageOf(error);
  const { message, name } = error;
  const reason = /with message "(.*)"/s.exec(message)?.[1] ?? message;
  return reason === "" ? name : reason;
};

/** Returns why a connection was not opened. amqplib loses the server's reason for refusing a virtual host, which is the only check after authentication. */
export const refusalOf = (error: unknown, url: string): string => {
  if (!reasonOf(error).startsWith("Expected ConnectionOpenOk; got <ConnectionClose")) return reasonOf(error);
  const host = unescape(new URL(url).pathname.slice(1)) || "/";
  return `the server refused the virtual host ${JSON.stringify(host)}; check that it exists, that the user may use it, and its connection limit`;
};

/** Creates the error of a call that needs the server. */
export const unavailable = (reason: string, cause?: unknown): FrameworkError =>
  new FrameworkError("RABBITMQ_UNAVAILABLE", `rabbitmq: the server is not available: ${reason}`, { cause });
