import { describeInvalid } from "@framework/core/feature";
import { eventError } from "../errors/event-error.ts";
import { MAX_NAME, MAX_STREAM_NAME } from "../limits.ts";

/** Control characters: invisible in logs, and PostgreSQL cannot store NUL. */
// oxlint-disable-next-line no-control-regex -- it searches for control characters
const CONTROL = /[\u0000-\u001F\u007F]/;

const problemOf = (value: unknown, maxLength: number): string | null => {
  if (typeof value !== "string") return `must be a string, not ${describeInvalid(value)}`;
  if (value === "") return "is empty";
  if (value.length > maxLength) return `is longer than ${maxLength} characters`;
  if (CONTROL.test(value)) return "contains a control character";
  return value.isWellFormed() ? null : "contains half of a surrogate pair"; // databases would store U+FFFD, so two names could become equal
};

const check = (subject: string, value: unknown, maxLength: number): void => {
  const problem = problemOf(value, maxLength);
  if (problem !== null) throw eventError("EVENTS_BAD_NAME", `the ${subject} ${problem}`);
};

/** @throws EVENTS_BAD_NAME */
export const checkStream = (stream: string): void => check("name of the stream", stream, MAX_STREAM_NAME);

/** Checks the id of an aggregate, which is part of a stream name. @throws EVENTS_BAD_NAME */
export const checkId = (id: string): void => check("id of an aggregate", id, MAX_STREAM_NAME);

/** A category may be as long as a stream name: it is the whole name of a stream without a dash. @throws EVENTS_BAD_NAME */
export const checkCategory = (category: string): void => check("category", category, MAX_STREAM_NAME);

/** @throws EVENTS_BAD_NAME */
export const checkTenant = (tenant: string): void => {
  if (tenant !== "") check("tenant", tenant, MAX_NAME);
};

/** @throws EVENTS_BAD_NAME */
export const checkName = (subject: string, name: string): void => check(subject, name, MAX_NAME);
