import type { Problem } from "@framework/core";
import { isGuard } from "@framework/core";
import { MAX_TIMEOUT_MS } from "../limits.ts";
import type { AnyCommand } from "./command.ts";
import { endpointProblems } from "./endpoint-problems.ts";
import type { AnyQuery } from "./query.ts";

/** A command or a query. */
export type AnyOperation = AnyCommand | AnyQuery;

/** Whether a value has the `kind` and `name` of a command or query. */
export const isOperation = (value: unknown): value is AnyOperation =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  (value.kind === "command" || value.kind === "query") &&
  "name" in value &&
  typeof value.name === "string";

/** Returns the errors in a definition that types cannot prevent. */
export const operationProblems = (operation: AnyOperation): readonly Problem[] => {
  const { kind, name, input, output, timeoutMs, guards } = operation;
  const problems: string[] = [...operation.unknown];
  if (!/^[A-Za-z][\w.-]{0,99}$/.test(name))
    problems.push("its name must begin with a letter and have at most 100 letters, digits, dots, _ and -");
  if (!isSchema(input)) problems.push("input must be a Standard Schema");
  if (!isSchema(output) && (kind === "query" || output !== null))
    problems.push("output must be a Standard Schema");
  if (timeoutMs !== null && !(Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS))
    problems.push(`timeoutMs must be an integer from 1 to ${MAX_TIMEOUT_MS}`);
  if (!Array.isArray(guards) || !guards.every(isGuard)) problems.push("guards must be a list of guards");
  problems.push(...endpointProblems(operation));
  if (kind === "command") problems.push(...commandProblems(operation));
  if (kind === "query") problems.push(...queryProblems(operation));
  return problems.map((problem) => ({ code: "CQRS_BAD_OPERATION", message: `${kind} ${name}: ${problem}` }));
};

const queryProblems = ({ coalesce, projections, cache, http }: AnyQuery): string[] => {
  const problems: string[] = [];
  if (typeof coalesce !== "boolean") problems.push("coalesce must be true or false");
  if (
    projections !== null &&
    !(Array.isArray(projections) && projections.every((name) => typeof name === "string"))
  )
    problems.push("projections must be a list of names");
  if (cache !== null && !(Array.isArray(cache.invalidatedBy) && cache.invalidatedBy.every(isEventType)))
    problems.push("cache.invalidatedBy must be a list of event types");
  if (cache !== null && http === null) problems.push("cache stores the replies of an endpoint: add `http`");
  return problems;
};

const commandProblems = ({ key, idempotency, mode, http }: AnyCommand): string[] => {
  const problems: string[] = [];
  if (key !== null && typeof key !== "function") problems.push("key must be a function of the input");
  if (!["required", "optional", "none"].includes(idempotency))
    problems.push("idempotency must be required, optional or none");
  if (mode !== "direct" && mode !== "queued") problems.push("mode must be direct or queued");
  if (http?.method !== undefined && !["POST", "PUT", "PATCH", "DELETE"].includes(http.method))
    problems.push("http.method must be POST, PUT, PATCH or DELETE");
  if (http?.status !== undefined && ![200, 201, 202].includes(http.status))
    problems.push("http.status must be 200, 201 or 202");
  if (mode === "queued" && http?.status !== undefined && http.status !== 202)
    problems.push("http.status of a queued command must be 202");
  return problems;
};

const isEventType = (value: unknown): boolean =>
  value !== null &&
  (typeof value === "object" || typeof value === "function") &&
  "type" in value &&
  typeof value.type === "string";

const isSchema = (value: unknown): boolean =>
  value !== null && (typeof value === "object" || typeof value === "function") && "~standard" in value;
