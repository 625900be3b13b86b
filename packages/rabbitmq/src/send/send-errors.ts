import { FrameworkError } from "@framework/core";
import type { Link } from "../connection/link.ts";
import { reasonOf } from "../connection/server-error.ts";

/** Creates the error of a message that the server refused. */
export const refused = (reason: string, cause: unknown): FrameworkError =>
  new FrameworkError("RABBITMQ_REFUSED", `rabbitmq: the server refused the message: ${reason}`, { cause });

/** Creates the error of a message that reached its time limit. @param last error of the last attempt */
export const timedOut = ({ blockedReason }: Link, last: unknown): FrameworkError => {
  const blocked = blockedReason === null ? "" : `: the server blocks publishers (${blockedReason})`;
  const why = last === null || last === undefined ? blocked : `: ${reasonOf(last)}`;
  return new FrameworkError("RABBITMQ_TIMEOUT", `rabbitmq: the message was not confirmed in time${why}`);
};
