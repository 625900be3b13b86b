import { randomUUID } from "node:crypto";
import { escapedFormName, plainType } from "@framework/core/http";
import { isJson } from "./json-type.ts";
import { textOf } from "./serialise-parameter.ts";

/**
 * Returns a form with files (RFC 7578). Objects are JSON parts, as OpenAPI specifies, without a file name: `FormData` would add one, and services would
 * treat the parts as files.
 *
 * @param types media types of parts by field
 */
export const multipartBody = (
  fields: readonly (readonly [name: string, value: unknown])[],
  types: Readonly<Record<string, string>>,
): Blob => {
  const boundary = randomUUID();
  const parts = fields.flatMap(([name, value]) => {
    const { fileName, type, content } = partOf(value, Object.hasOwn(types, name) ? types[name] : undefined);
    const file = fileName === undefined ? "" : `; filename="${escapedFormName(fileName)}"`;
    const typeLine = type === undefined ? "" : `Content-Type: ${type}\r\n`;
    const disposition = `Content-Disposition: form-data; name="${escapedFormName(name)}"${file}\r\n`;
    return [`--${boundary}\r\n${disposition}${typeLine}\r\n`, content, "\r\n"];
  });
  return new Blob([...parts, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` });
};

interface Part {
  readonly content: string | Blob;
  readonly type?: string | undefined;
  readonly fileName?: string;
}

const BYTES = "application/octet-stream";

const partOf = (value: unknown, declared: string | undefined): Part => {
  if (value instanceof Uint8Array)
    return {
      content: new Blob([value as Uint8Array<ArrayBuffer>]),
      type: declared ?? BYTES,
      fileName: "blob",
    };
  if (value instanceof Blob)
    return {
      content: value,
      type: value.type === "" ? (declared ?? BYTES) : value.type,
      fileName: value instanceof File ? value.name : "blob",
    };
  const isObject = typeof value === "object" && value !== null && !(value instanceof Date);
  const type = declared ?? (isObject ? "application/json" : undefined);
  const isJsonPart = type !== undefined && isJson(plainType(type));
  return { content: isJsonPart ? JSON.stringify(value) : textOf(value), type };
};
