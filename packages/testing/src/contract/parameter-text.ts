import { isJson, type Json } from "./json-object.ts";

/**
 * Serialises a value as a query parameter in its documented style (OpenAPI 3.1, 4.8.12): `name=value` strings, none for an empty list or object. Names
 * and values are percent-encoded; the comma between items is not. With `explode` or `deepObject`, the name of a list member is repeated for each
 * item; any other nested value is JSON.
 */
export const queryTexts = (parameter: Json, value: unknown): readonly string[] => {
  const name = String(parameter["name"]);
  const { style = "form", explode = style === "form" } = parameter;
  const pair = (key: string, item: unknown): string => `${encoded(key)}=${encoded(toText(item))}`;
  if (parameter["content"] !== undefined) return [`${encoded(name)}=${encoded(jsonText(value))}`];
  if (!Array.isArray(value) && !isJson(value)) return [pair(name, value)];
  if (style === "deepObject" && isJson(value))
    return fieldsOf(value).map(([key, item]) => pair(`${name}[${key}]`, item));
  if (explode === true) return fieldsOf(value, name).map(([key, item]) => pair(key, item));
  const parts = partsOf(value);
  const delimiter = delimiters[String(style)] ?? ",";
  return parts.length === 0 ? [] : [`${encoded(name)}=${parts.map(encoded).join(delimiter)}`];
};

/** Serialises a value in the style `simple`, for paths and header fields. */
export const simpleText = ({ explode }: Json, value: unknown): string => {
  if (explode === true && isJson(value))
    return Object.entries(value)
      .map(([key, item]) => `${key}=${toText(item)}`)
      .join();
  return Array.isArray(value) || isJson(value) ? partsOf(value).join() : toText(value);
};

const delimiters: Readonly<Record<string, string>> = { spaceDelimited: "%20", pipeDelimited: "%7C" };

/** Returns names and values of an exploded value. @param name name of the parameter, which each item of a list has */
const fieldsOf = (value: Json | readonly unknown[], name = ""): (readonly [string, unknown])[] =>
  Array.isArray(value)
    ? value.map((item: unknown) => [name, item] as const)
    : Object.entries(value).flatMap(([key, member]) =>
        (Array.isArray(member) ? member : [member]).map((item: unknown) => [key, item] as const),
      );

/** Returns the items of a list, or the names and values of an object, alternating. */
const partsOf = (value: Json | readonly unknown[]): readonly string[] =>
  (Array.isArray(value) ? value : Object.entries(value).flat()).map(toText);

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const toText = (value: unknown): string =>
  (typeof value === "string" ? value : jsonText(value)).toWellFormed();

const jsonText = (value: unknown): string => JSON.stringify(value) ?? "";
