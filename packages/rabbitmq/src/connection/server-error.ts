import { FrameworkError } from "@framework/core";
import { messageOf } from "@framework/core/feature";

/** Codes of AMQP 0-9-1 that a program can do something about. */
export const NOT_FOUND = 404;
export const DIFFERENT = 406;
export const FORBIDDEN = 403;

/** The reply code of the server in an error of amqplib; `null` without one. */
export const replyCode = (error: unknown): number | null => {
  if (!Error.isError(error)) return null;
  const { code } = error as { readonly code?: unknown };
  return typeof code === "number" ? code : null;
};

/** What the server or the network said, for operators. amqplib's messages have no credentials. */
export const reasonOf = (error: unknown): string => {
  if (!Error.isError(error)) return messageOf(error);
  const { message, name } = error;
  const said = /with message "(.*)"/s.exec(message)?.[1] ?? message;
  return said === "" ? name : said;
};

/** Why a connection was not opened. After the credentials the server looks at the virtual host alone, and amqplib does not pass its reason on. */
export const refusalOf = (error: unknown, url: string): string => {
  if (!reasonOf(error).startsWith("Expected ConnectionOpenOk; got <ConnectionClose")) return reasonOf(error);
  const host = decodeURIComponent(new URL(url).pathname.slice(1)) || "/";
  return `the server does not open the virtual host ${JSON.stringify(host)}; look whether it exists, the user may use it, and its limit of connections`;
};

/** An error for a call that needs the server. */
export const unavailable = (reason: string, cause?: unknown): FrameworkError =>
  new FrameworkError("RABBITMQ_UNAVAILABLE", `rabbitmq: the server is not available: ${reason}`, { cause });
