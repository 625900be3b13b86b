import { plainType } from "@framework/core/http";
import type { ContractOperation } from "./contract-document.ts";
import { isJson, type Json } from "./json-object.ts";
import { contentFor, isJsonType } from "./media-type.ts";
import type { SchemaValidator } from "./schema-validator.ts";

/** Describes how a reply deviates from its operation's documentation; `null` if it conforms. */
export const replyViolation = (
  { method, responses }: ContractOperation,
  status: number,
  contentType: string | null,
  text: string,
  validate: SchemaValidator,
): string | null => {
  const documented = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses["default"];
  if (!isJson(documented)) {
    return `answered ${status}, but documents ${Object.keys(responses).join(", ") || "no reply at all"}`;
  }
  if (method === "HEAD") return null;
  const { content } = documented;
  if (!isJson(content) || Object.keys(content).length === 0) return undocumentedBody(responses, status, text);
  const type = contentType === null ? null : plainType(contentType);
  const media = type === null ? null : contentFor(content, type);
  if (type === null || media === null) {
    return `answered ${status} with ${type ?? "no content type"}, but documents ${Object.keys(content).join(", ")}`;
  }
  const problem = isJsonType(type) ? jsonProblem(media, text, validate) : null;
  return problem === null ? null : `answered ${status} with a body that ${problem}`;
};

/** Returns the problem of a body without documented content: a single status without content means no body; a range such as `2XX`, and `default`, allow any. */
const undocumentedBody = (responses: Json, status: number, text: string): string | null =>
  Object.hasOwn(responses, status) && text !== ""
    ? `answered ${status} with a body, but documents none`
    : null;

const jsonProblem = ({ schema }: Json, text: string, validate: SchemaValidator): string | null => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "is not JSON"; // the only error of JSON.parse
  }
  const violations = schema === undefined ? null : validate(schema, value);
  return violations === null ? null : `violates its schema: ${violations}`;
};
