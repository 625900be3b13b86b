import { type HttpRequest, ValueError } from "@framework/core";
import type { OperationParams } from "../documents/documents.ts";

/** Returns the parameters in the query of a GET. @throws ValueError */
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
  try {
    return JSON.parse(text);
  } catch {
    throw new ValueError(`The parameter "${name}" is no JSON`);
  }
};

/** Returns the parameters in the body of a POST, or in one item of a batch. @throws ValueError */
export const paramsOfBody = (body: unknown): OperationParams => {
  if (!isRecord(body)) throw new ValueError("The JSON body must be an object");
  const { query, documentId, operationName, operation_name: alias, variables, extensions } = body;
  return checkParams({ query, documentId, operationName: operationName ?? alias, variables, extensions });
};

/** What clients may send in each parameter. */
const checks = {
  query: (value: unknown) => typeof value === "string",
  documentId: (value: unknown) => typeof value === "string",
  operationName: (value: unknown) => typeof value === "string",
  variables: (value: unknown) => isRecord(value),
  extensions: (value: unknown) => isRecord(value),
} satisfies Record<keyof OperationParams, (value: unknown) => boolean>;

const checkParams = (params: Readonly<Record<keyof OperationParams, unknown>>): OperationParams => {
  for (const [name, isValid] of Object.entries(checks)) {
    const value = params[name as keyof OperationParams];
    if (value !== undefined && value !== null && !isValid(value)) throw new ValueError(`Invalid ${name}`);
  }
  const checked = params as OperationParams; // just checked
  if (checked.query == null && checked.documentId == null && !hasHash(checked))
    throw new ValueError("Missing query");
  return checked;
};

const hasHash = ({ extensions }: OperationParams): boolean => isRecord(extensions?.["persistedQuery"]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
