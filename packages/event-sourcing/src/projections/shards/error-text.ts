import { messageOf } from "@framework/core/feature";
import { failureOf } from "@framework/durable/feature";

/** Maximum length of a stored error, in characters. */
const MAX_ERROR = 4000;

/** Formats the error of a stopped shard for storage. */
export const errorText = (error: unknown): string => {
  const text = failureOf(error).stack ?? messageOf(error);
  return text.replaceAll("\u0000", "").slice(0, MAX_ERROR).toWellFormed();
};
