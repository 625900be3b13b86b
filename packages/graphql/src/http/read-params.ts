import { type HttpRequest, ValueError } from "@framework/core";
import type { OperationParams } from "../documents/documents.ts";
import { isWithin } from "../documents/levels.ts";
import { MAX_LEVELS } from "../documents/outline.ts";

/** Returns the parameters in the query of a GET. @throws ValueError for malformed ones */
export const paramsOfGet = ({ query }: HttpRequest): OperationParams =>
  checkParams({
    query: query.get("query"),
    documentId: query.get("documentId"),
    operationName: query.get("operationName") ?? query.get("operation_name"),
    variables: jsonOf("variables", query.get("variables")),
    extensions: jsonOf("extensions", query.get("extensions")),
  });

const jsonOf = (name: string, text: string | null): unknown => {
  if (text === null || text === "") return null;
  const value = parseJson(name, text);
  // `isWithin` does not count the value itself.
  if (isWithin(value, MAX_LEVELS - 1)) return value;
  throw new ValueError(`The parameter "${name}" is nested deeper than ${MAX_LEVELS} levels`);
};

const parseJson = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new ValueError(`The parameter "${name}" is not valid JSON`);
  }
};

/** Returns the parameters in the body of a POST, or in one item of a batch. @throws ValueError for malformed ones */
export const paramsOfBody = (body: unknown): OperationParams => {
  if (!isRecord(body)) throw new ValueError("The JSON body must be an object");
  const { query, documentId, operationName, operation_name: alias, variables, extensions } = body;
  return checkParams({ query, documentId, operationName: operationName ?? alias, variables, extensions });
};

const checkParams = (params: Readonly<Record<keyof OperationParams, unknown>>): OperationParams => {
  const { query, documentId, operationName, variables, extensions } = params;
  if (!isAbsent(query) && typeof query !== "string") throw invalid("query");
  if (!isAbsent(documentId) && typeof documentId !== "string") throw invalid("documentId");
  if (!isAbsent(operationName) && typeof operationName !== "string") throw invalid("operationName");
  if (!isAbsent(variables) && !isRecord(variables)) throw invalid("variables");
  if (!isAbsent(extensions) && !isRecord(extensions)) throw invalid("extensions");
  if (isAbsent(query) && isAbsent(documentId) && !isRecord(extensions?.["persistedQuery"]))
    throw new ValueError("Missing query");
  return { query, documentId, operationName, variables, extensions };
};

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

const invalid = (name: keyof OperationParams): ValueError => new ValueError(`Invalid ${name}`);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
