import { plainType } from "@framework/core/http";
import { isJson } from "../api/json-type.ts";
import { MULTIPART, URLENCODED } from "../api/request-body.ts";
import { isText, LINES } from "../api/read-reply.ts";
import type { ReplyKind } from "../api/operation.ts";
import { child, isObject, type JsonObject, type OpenapiReader } from "./openapi-reader.ts";
import { serialisation } from "./parameters.ts";
import { typeOfSchema } from "./type-of-schema.ts";

/** Kinds and type of a reply's body. */
export interface ReplyContent {
  readonly kinds: readonly ReplyKind[];
  readonly type: string;
}

/** Content of an undeclared body: the reply's Content-Type determines its kind. */
export const openContent: ReplyContent = { kinds: ["json", "text", "bytes", "none"], type: "unknown" };

/** Returns the content of a reply, merged over all its media types. */
export const contentsOf = (content: JsonObject, document: OpenapiReader): ReplyContent => {
  const schemas = Object.entries(content).map(
    ([type, holder]) => [type, isObject(holder) ? holder["schema"] : undefined] as const,
  );
  const bodies = mergeJson(schemas).map(([type, schema]) => contentOf(type, schema, document));
  return {
    kinds: [...new Set(bodies.flatMap(({ kinds }) => kinds))],
    type: [...new Set(bodies.map(({ type }) => type))].join(" | "),
  };
};

type TypedSchema = readonly [mediaType: string, schema: unknown];

/** Merges several JSON types, so that a shared alternative occurs once. */
const mergeJson = (schemas: readonly TypedSchema[]): readonly TypedSchema[] => {
  const json = schemas.filter(([type]) => isJson(plainType(type)));
  if (json.length < 2) return schemas;
  const anyOf = json.flatMap(([, schema]) => alternativesOf(schema));
  return [["application/json", { anyOf }], ...schemas.filter((typed) => !json.includes(typed))];
};

const alternativesOf = (schema: unknown): readonly unknown[] => {
  if (!isObject(schema)) return [schema];
  const { anyOf, ...others } = schema;
  return Array.isArray(anyOf) && Object.keys(others).length === 0 ? anyOf : [schema];
};

/** Returns the content of one media type. */
const contentOf = (mediaType: string, schema: unknown, document: OpenapiReader): ReplyContent => {
  const plain = plainType(mediaType);
  if (jsonRanges.has(plain)) return rangeContent(schema, document);
  const kind = kindOf(plain, schema);
  return { kinds: [kind], type: typeOfReply(kind, schema, document) };
};

/** Media ranges that include JSON (RFC 9110 12.5.1); springdoc writes the first if the application sets no type. */
const jsonRanges: ReadonlySet<string> = new Set(["*/*", "application/*"]);

/** Returns the content of a media range by its schema. Everything except strings and bytes is JSON, which the client's `Accept` prefers. */
const rangeContent = (schema: unknown, document: OpenapiReader): ReplyContent => {
  const resolved = document.resolve(schema);
  if (isBinary(resolved)) return { kinds: ["anyBytes"], type: "BytesReply" };
  if (typeOfSchema(resolved, document) === "unknown") return openContent;
  const mayBeText = [resolved["type"]].flat().includes("string");
  return { kinds: mayBeText ? ["json", "text"] : ["json"], type: typeOfSchema(schema, document) };
};

const isJsonOnly = (plain: string, schema: unknown, document: OpenapiReader): boolean =>
  jsonRanges.has(plain) && rangeContent(schema, document).kinds.every((kind) => kind === "json");

const isBinary = (schema: unknown): boolean => isObject(schema) && schema["format"] === "binary";

const kindOf = (plain: string, schema: unknown): ReplyKind => {
  if (isJson(plain)) return "json";
  if (plain === "text/event-stream") return "events";
  if (LINES.test(plain)) return "lines";
  return !isBinary(schema) && isText(plain) ? "text" : "bytes";
};

/** Returns the type of a reply's body of this kind. */
const typeOfReply = (kind: ReplyKind, schema: unknown, document: OpenapiReader): string => {
  if (kind === "json") return typeOfSchema(schema, document);
  if (kind === "lines") return `AsyncIterable<${typeOfSchema(itemOf(schema), document)}>`;
  const types = {
    events: "AsyncIterable<ServerSentEvent>",
    text: textType(schema, document),
    bytes: "BytesReply",
    anyBytes: "BytesReply",
    none: "undefined",
  };
  return types[kind];
};

/** Returns the type of a text body: the listed values of a string schema, otherwise `string`, because a schema may describe the parsed content, such as XML. */
const textType = (schema: unknown, document: OpenapiReader): string => {
  const { type, enum: values, const: value } = document.resolve(schema);
  const isListed = type === "string" && (Array.isArray(values) || typeof value === "string");
  return isListed ? typeOfSchema(schema, document) : "string";
};

/** Returns the schema of the items of a stream: a stream's schema may describe the list of its items. */
const itemOf = (schema: unknown): unknown =>
  isObject(schema) && schema["type"] === "array" ? schema["items"] : schema;

/** Media type and type of a request body. */
export interface RequestContent {
  readonly mediaType: string;
  readonly type: string;
  /** Media types of the parts of a multipart body, by field. */
  readonly parts?: readonly (readonly [name: string, mediaType: string])[];
  /** Declared serialisation styles of the fields of a urlencoded body, by field. */
  readonly styles?: readonly (readonly [name: string, style: string])[];
}

/** Returns type and media type of the request body: JSON if allowed, otherwise a form, otherwise the first type; `null` if the body declares none. */
export const requestContent = (body: JsonObject, document: OpenapiReader): RequestContent | null => {
  const content = child(body, "content");
  const types = Object.keys(content);
  const preferred =
    types.find((type) => isJson(plainType(type))) ??
    types.find((type) => plainType(type) === MULTIPART) ??
    types.find((type) => plainType(type) === URLENCODED) ??
    types[0];
  if (preferred === undefined) return null;
  const { schema, encoding } = child(content, preferred);
  const plain = plainType(preferred);
  const mediaType = isJsonOnly(plain, schema, document) ? "application/json" : plain;
  if (mediaType === MULTIPART)
    return { mediaType, type: typeOfSchema(schema, document), parts: partTypes(encoding) };
  if (mediaType === URLENCODED)
    return { mediaType, type: typeOfSchema(schema, document), styles: fieldStyles(encoding) };
  if (isJson(mediaType)) return { mediaType, type: typeOfSchema(schema, document) };
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mediaType))
    return { mediaType: "application/octet-stream", type: "BytesBody" };
  return { mediaType, type: kindOf(mediaType, schema) === "text" ? "string | BytesBody" : "BytesBody" };
};

/** Returns the declared types of parts, except lists and ranges of types. */
const partTypes = (encoding: unknown): [name: string, mediaType: string][] =>
  Object.entries(isObject(encoding) ? encoding : {}).flatMap(([name, part]): [string, string][] => {
    const type = isObject(part) ? part["contentType"] : undefined;
    return typeof type === "string" && PART_TYPE.test(type) ? [[name, type]] : [];
  });

/** Returns the declared styles of fields. By default a list is several fields and an object is JSON. */
const fieldStyles = (encoding: unknown): [name: string, style: string][] =>
  Object.entries(isObject(encoding) ? encoding : {}).flatMap(([name, field]): [string, string][] =>
    isObject(field) && (field["style"] !== undefined || field["explode"] !== undefined)
      ? [[name, serialisation("query", field)]]
      : [],
  );

const PART_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; *[\w-]+=[\w-]+)*$/;
