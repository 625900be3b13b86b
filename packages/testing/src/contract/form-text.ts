import { escapedFormName } from "@framework/core/http";
import { isJson, type Json } from "./json-object.ts";

const BOUNDARY = "contract-test-7f3b1c";

/** Media type of the forms that `formText` writes. */
export const formType: string = `multipart/form-data; boundary=${BOUNDARY}`;

/** Writes an object as the text of a multipart form: files where its schema has `format: "binary"`, a list as several parts, everything else as text. */
export const formText = (
  value: unknown,
  schema: unknown,
  resolve: (reference: string) => unknown,
): string => {
  const properties = memberOf(dereferenced(schema, resolve), "properties");
  const parts = fieldsOf(value).map(([name, item]) =>
    part(name, item, fileType(memberOf(properties, name), resolve)),
  );
  return `${parts.join("")}--${BOUNDARY}--\r\n`;
};

/** Writes an object as an urlencoded form: a list as several fields, everything else as text. */
export const urlencodedText = (value: unknown): string =>
  new URLSearchParams(fieldsOf(value).map(([name, item]) => [name, textOf(item)])).toString();

/** Returns names and values of fields; a list has several. */
const fieldsOf = (value: unknown): (readonly [name: string, item: unknown])[] =>
  Object.entries(isJson(value) ? value : {}).flatMap(([name, member]) =>
    (Array.isArray(member) ? member : [member]).map((item: unknown) => [name, item] as const),
  );

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

const part = (name: string, value: unknown, type: string | null): string => {
  const file = type === null ? "" : `; filename="file"\r\nContent-Type: ${type}`;
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${escapedFormName(name)}"${file}\r\n\r\n${textOf(value)}\r\n`;
};

/** Returns the media type of a file's schema or of a list of files; `null` for any other. */
const fileType = (schema: unknown, resolve: (reference: string) => unknown): string | null => {
  const own = dereferenced(schema, resolve);
  const one = own["type"] === "array" ? dereferenced(own["items"], resolve) : own;
  if (one["format"] !== "binary") return null;
  const [choice] = Array.isArray(one["anyOf"]) ? (one["anyOf"] as unknown[]) : [];
  const type = one["contentMediaType"] ?? memberOf(choice, "contentMediaType");
  return typeof type === "string" ? type : "application/octet-stream";
};

const dereferenced = (schema: unknown, resolve: (reference: string) => unknown): Json => {
  const reference = memberOf(schema, "$ref");
  const target = typeof reference === "string" ? resolve(reference) : schema;
  return isJson(target) ? target : {};
};

const memberOf = (holder: unknown, name: string): unknown =>
  isJson(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
