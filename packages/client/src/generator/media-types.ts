import { isJson } from "../api/request-body.ts";
import { LINES } from "../api/read-reply.ts";
import type { ReplyKind } from "../api/operation.ts";
import { child, isObject, type JsonObject, type OpenapiReader } from "./openapi-reader.ts";
import { typeOfSchema } from "./type-of-schema.ts";

/** How the bodies of a media type are read. */
export const kindOf = (type: string, schema: unknown): ReplyKind => {
  const plain = plainType(type);
  if (isJson(plain)) return "json";
  if (plain === "text/event-stream") return "events";
  if (LINES.test(plain)) return "lines";
  const isBinary = isObject(schema) && schema["format"] === "binary";
  return !isBinary && (plain.startsWith("text/") || plain === "application/xml" || plain.endsWith("+xml"))
    ? "text"
    : "bytes";
};

/** The type of a reply's body of this kind. */
export const typeOfReply = (kind: ReplyKind, schema: unknown, document: OpenapiReader): string => {
  if (kind === "json") return typeOfSchema(schema, document);
  if (kind === "lines") return `AsyncIterable<${typeOfSchema(itemOf(schema), document)}>`;
  const types = {
    events: "AsyncIterable<ServerSentEvent>",
    text: "string",
    bytes: "BytesReply",
    none: "undefined",
  };
  return types[kind];
};

/** A stream's schema may describe the list of its items. */
const itemOf = (schema: unknown): unknown =>
  isObject(schema) && schema["type"] === "array" ? schema["items"] : schema;

/** Type and media type of the request body: of JSON if it may be JSON, else of a form, else of the first type. */
export const requestContent = (
  body: JsonObject,
  document: OpenapiReader,
): { readonly mediaType: string; readonly type: string } | null => {
  const content = child(body, "content");
  const types = Object.keys(content);
  const wanted =
    types.find((type) => isJson(plainType(type))) ??
    types.find((type) => plainType(type) === "multipart/form-data") ??
    types.find((type) => plainType(type) === "application/x-www-form-urlencoded") ??
    types[0];
  if (wanted === undefined) return null;
  const mediaType = plainType(wanted);
  const { schema } = child(content, wanted);
  const isForm = mediaType === "multipart/form-data" || mediaType === "application/x-www-form-urlencoded";
  if (isJson(mediaType) || isForm) return { mediaType, type: typeOfSchema(schema, document) };
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mediaType))
    return { mediaType: "application/octet-stream", type: "BytesBody" };
  return { mediaType, type: kindOf(mediaType, schema) === "text" ? "string | BytesBody" : "BytesBody" };
};

/** A media type without parameters, in lower case. */
const plainType = (type: string): string => (type.split(";", 1)[0] ?? "").trim().toLowerCase();
