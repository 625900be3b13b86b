import { FrameworkError } from "@framework/core";
import type { Link } from "../connection/link.ts";
import { reasonOf } from "../connection/server-error.ts";

/** The server refused a message. */
export const refused = (reason: string, cause: unknown): FrameworkError =>
  new FrameworkError("RABBITMQ_REFUSED", `rabbitmq: the server refused the message: ${reason}`, { cause });

/** A message passed its time limit. @param last why the last attempt failed */
export const timedOut = ({ blockedReason }: Link, last: unknown): FrameworkError => {
  const blocked = blockedReason === null ? "" : `: the server blocks publishers (${blockedReason})`;
  const why = last === null || last === undefined ? blocked : `: ${reasonOf(last)}`;
  return new FrameworkError("RABBITMQ_TIMEOUT", `rabbitmq: the message was not confirmed in time${why}`);
};
