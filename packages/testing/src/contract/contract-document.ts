import { testingError } from "../errors.ts";

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** One operation of an OpenAPI document, with references resolved. */
export interface ContractOperation {
  /** Method in upper case. */
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly parameters: readonly Json[];
  /** Schema of the body and whether it is sent as JSON or as a form; `null` without one. */
  readonly body: { readonly schema: Json | boolean; readonly kind: "json" | "form" } | null;
  readonly responses: Json;
}

/** A parsed document. */
export interface ContractDocument {
  readonly operations: readonly ContractOperation[];
  /** Resolves a reference such as `#/components/schemas/Book`. */
  resolve(reference: string): unknown;
}

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Safe methods first: they do not change the state. */
const methods = ["get", "head", "options", "x-query", "post", "put", "patch", "delete"];

/** Parses an OpenAPI 3.1 document. @throws TESTING_BAD_OPTION when it is not one */
export const readDocument = (document: unknown): ContractDocument => {
  if (!isJson(document) || !isJson(document["paths"])) {
    throw testingError("TESTING_BAD_OPTION", "contractTest needs an OpenAPI document with paths");
  }
  const resolve = (reference: string): unknown =>
    reference
      .split("/")
      .slice(1)
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>(
        (at, name) => (isJson(at) && Object.hasOwn(at, name) ? at[name] : undefined),
        document,
      );
  const followed = (value: unknown): Json => {
    const target = isJson(value) && typeof value["$ref"] === "string" ? resolve(value["$ref"]) : value;
    return isJson(target) ? target : {};
  };
  const items = Object.entries(document["paths"]);
  const operations = methods.flatMap((method) =>
    items.flatMap(([path, item]) => {
      const found = isJson(item) ? item[method] : undefined;
      return isJson(found) ? [toOperation(method, path, found, followed)] : [];
    }),
  );
  return { operations, resolve };
};

const toOperation = (
  method: string,
  path: string,
  operation: Json,
  followed: (value: unknown) => Json,
): ContractOperation => {
  const { parameters, responses } = operation;
  return {
    method: method.replace("x-", "").toUpperCase(),
    path,
    parameters: (Array.isArray(parameters) ? parameters : []).map(followed),
    body: bodyOf(followed(operation["requestBody"])),
    responses: Object.fromEntries(
      Object.entries(isJson(responses) ? responses : {}).map(([status, reply]) => [status, followed(reply)]),
    ),
  };
};

const bodyOf = ({ content }: Json): ContractOperation["body"] => {
  const media = isJson(content) ? content : {};
  const kind = isJson(media["application/json"]) ? "json" : "form";
  const used = media[kind === "json" ? "application/json" : "multipart/form-data"];
  if (!isJson(used)) return null;
  const { schema } = used;
  return { kind, schema: isJson(schema) || typeof schema === "boolean" ? schema : true };
};
