import { plainType } from "@framework/core/http";
import { testingError } from "../errors.ts";
import { isJson, type Json } from "./json-object.ts";
import { isJsonType } from "./media-type.ts";
import { parametersOf } from "./operation-parameters.ts";

/** One operation of an OpenAPI document, with references resolved. */
export interface ContractOperation {
  /** Method in upper case. */
  readonly method: string;
  /** Path with `{name}` for parameters. */
  readonly path: string;
  readonly parameters: readonly Json[];
  /** The body that is sent; `null` without one. */
  readonly body: ContractBody | null;
  readonly responses: Json;
}

/** A request body: JSON, a form with files, or a form without. */
export interface ContractBody {
  readonly schema: Json | boolean;
  readonly kind: "json" | "multipart" | "urlencoded";
  /** The media type as documented. */
  readonly type: string;
}

/** A parsed document. */
export interface ContractDocument {
  readonly operations: readonly ContractOperation[];
  /** Resolves a reference such as `#/components/schemas/Book`. */
  resolve(reference: string): unknown;
}

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
      .map(decodedToken)
      .reduce<unknown>(
        (at, name) =>
          typeof at === "object" && at !== null && Object.hasOwn(at, name) ? (at as Json)[name] : undefined,
        document,
      );
  const dereferenced = (value: unknown): Json => {
    let target = value;
    for (let followed = 0; followed < MAX_REFERENCES && isJson(target); followed++) {
      if (typeof target["$ref"] !== "string") return target;
      target = resolve(target["$ref"]);
    }
    return {};
  };
  const items = Object.entries(document["paths"]);
  const operations = methods.flatMap((method) =>
    items.flatMap(([path, reference]) => {
      const item = dereferenced(reference);
      const found = item[method];
      if (!isJson(found)) return [];
      const parameters = parametersOf(path, item, found, dereferenced);
      return [{ ...toOperation(method, found, dereferenced), path, parameters }];
    }),
  );
  return { operations, resolve };
};

/** Maximum number of references from one to the next, which may be circular. */
const MAX_REFERENCES = 20;

/** Decodes a token of a JSON Pointer in a URI fragment (RFC 6901, sections 4 and 6). */
const decodedToken = (token: string): string => {
  let plain = token;
  try {
    plain = decodeURIComponent(token);
  } catch {} // not percent-encoded: the token is literal
  return plain.replaceAll("~1", "/").replaceAll("~0", "~");
};

const toOperation = (
  method: string,
  operation: Json,
  dereferenced: (value: unknown) => Json,
): Omit<ContractOperation, "path" | "parameters"> => {
  const { responses } = operation;
  return {
    method: method.replace("x-", "").toUpperCase(),
    body: bodyOf(dereferenced(operation["requestBody"])),
    responses: Object.fromEntries(
      Object.entries(isJson(responses) ? responses : {}).map(([status, reply]) => [
        status,
        dereferenced(reply),
      ]),
    ),
  };
};

/** Kinds of bodies in the order of preference, with their media types. */
const kinds: readonly (readonly [ContractBody["kind"], (plain: string) => boolean])[] = [
  ["json", isJsonType],
  ["multipart", (plain) => plain === "multipart/form-data"],
  ["urlencoded", (plain) => plain === "application/x-www-form-urlencoded"],
];

const bodyOf = ({ content }: Json): ContractBody | null => {
  const documented = Object.entries(isJson(content) ? content : {});
  for (const [kind, isOfKind] of kinds)
    for (const [type, media] of documented) {
      if (!isJson(media) || !isOfKind(plainType(type))) continue;
      const { schema } = media;
      return { kind, type, schema: isJson(schema) || typeof schema === "boolean" ? schema : true };
    }
  return null;
};
