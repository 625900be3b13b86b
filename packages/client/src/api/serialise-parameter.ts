/** Serialisation style of a parameter, with a `*` at the end for `explode`. */
export type Style = string;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Returns a value as a string: dates in ISO 8601, objects and lists as JSON. */
export const textOf = (value: unknown): string =>
  value instanceof Date
    ? value.toISOString()
    : isRecord(value) || isList(value)
      ? JSON.stringify(value)
      : String(value);

const encode = (value: unknown): string =>
  encodeURIComponent(textOf(value)).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Returns names and values of the members that are not `undefined`. */
export const definedMembers = (record: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(record).filter(([, value]) => value !== undefined);

/**
 * Returns name and value of each query parameter for one value: `form*` is the default style (RFC 6570, OpenAPI 3.1 4.8.12). An empty list or record has none
 * (RFC 6570 2.3).
 */
export const queryPairs = (name: string, value: unknown, style: Style = "form*"): [string, string][] => {
  const key = encode(name);
  if (value === undefined) return [];
  if (style === "json") return [[key, encode(JSON.stringify(value))]];
  if (style.startsWith("deepObject") && isRecord(value))
    return definedMembers(value).map(([member, each]) => [`${key}%5B${encode(member)}%5D`, encode(each)]);
  const explodes = style.endsWith("*");
  if (isList(value) && explodes) return value.map((each) => [key, encode(each)]);
  if (isRecord(value) && explodes)
    return definedMembers(value).map(([member, each]) => [encode(member), encode(each)]);
  const separator = style.startsWith("space") ? "%20" : style.startsWith("pipe") ? "%7C" : ",";
  if (!isList(value) && !isRecord(value)) return [[key, encode(value)]];
  const items = isList(value) ? value : definedMembers(value).flat();
  return items.length === 0 ? [] : [[key, items.map(encode).join(separator)]];
};

/** Returns name and value of each cookie for one value: `form*` is the default style, with a cookie for each member. */
export const cookiePairs = (name: string, value: unknown, style: Style = "form*"): [string, string][] =>
  queryPairs(name, value, style).map(([key, text]) => [decodeURIComponent(key), text]); // names of cookies are not encoded

/** Serialises a value for a path: `simple` is the default style. */
export const pathText = (name: string, value: unknown, style: Style = "simple"): string => {
  if (style === "json") return encode(JSON.stringify(value));
  const explodes = style.endsWith("*");
  const isMatrix = style.startsWith("matrix");
  const start = isMatrix ? ";" : style.startsWith("label") ? "." : "";
  const between = explodes && start !== "" ? start : ",";
  const withName = (text: string): string => (isMatrix ? `${encode(name)}=${text}` : text);
  if (isList(value))
    return (
      start +
      (explodes
        ? value.map((each) => withName(encode(each))).join(between)
        : withName(value.map(encode).join(",")))
    );
  if (isRecord(value) && explodes)
    return (
      start +
      definedMembers(value)
        .map(([member, each]) => `${encode(member)}=${encode(each)}`)
        .join(between)
    );
  if (isRecord(value)) return start + withName(definedMembers(value).flat().map(encode).join(","));
  return start + withName(encode(value));
};

/** Serialises a value for a header field: the style `simple`, not percent-encoded. */
export const headerText = (value: unknown, style: Style = "simple"): string => {
  if (style === "json") return JSON.stringify(value);
  if (isList(value)) return value.map(textOf).join(",");
  if (!isRecord(value)) return textOf(value);
  return definedMembers(value)
    .map(([member, each]) => `${member}${style.endsWith("*") ? "=" : ","}${textOf(each)}`)
    .join(",");
};
