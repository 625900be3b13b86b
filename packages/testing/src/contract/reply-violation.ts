import { type ContractDocument, type ContractOperation, isJson, type Json } from "./contract-document.ts";
import { schemaViolation } from "./schema-violation.ts";

/** What a reply has that the document does not say of its operation, or `null`. */
export const replyViolation = (
  { method, responses }: ContractOperation,
  status: number,
  contentType: string | null,
  text: string,
  { resolve }: ContractDocument,
): string | null => {
  const documented = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses["default"];
  if (!isJson(documented)) {
    return `answered ${status}, but documents ${Object.keys(responses).join(", ") || "no reply at all"}`;
  }
  if (method === "HEAD") return null;
  const { content } = documented;
  if (!isJson(content)) return textWithoutContent(responses, status, text);
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? null;
  if (type === null || !Object.hasOwn(content, type)) {
    return `answered ${status} with ${type ?? "no content type"}, but documents ${Object.keys(content).join(", ")}`;
  }
  if (!/^application\/(?:[\w.+-]+\+)?json$/.test(type)) return null;
  const problem = jsonProblem(content[type] as Json, text, resolve);
  return problem === null ? null : `answered ${status} with a body that its schema refuses: ${problem}`;
};

/** A range such as `2XX` without content leaves the body open; a single status says that there is none. */
const textWithoutContent = (responses: Json, status: number, text: string): string | null =>
  Object.hasOwn(responses, status) && text !== ""
    ? `answered ${status} with a body, but documents none`
    : null;

const jsonProblem = ({ schema }: Json, text: string, resolve: ContractDocument["resolve"]): string | null => {
  try {
    return schemaViolation(schema, JSON.parse(text), resolve);
  } catch (error) {
    if (error instanceof SyntaxError) return "it is no JSON";
    throw error;
  }
};
