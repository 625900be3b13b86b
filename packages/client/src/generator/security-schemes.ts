import { inert, objectKey } from "./inert-text.ts";
import { child, isObject, type JsonObject, type OpenapiReader } from "./openapi-reader.ts";

const isToken = (name: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(name);

/** Returns the lines of the supported security schemes: HTTP basic and bearer, OAuth 2, OpenID Connect, API keys. */
export const securityLines = (document: OpenapiReader): string[] =>
  schemesOf(document).flatMap(([name, scheme]) => {
    const place = placeOf(scheme);
    return place === null ? [] : [`${objectKey(name)}: [${place.map(inert).join(", ")}],`];
  });

const schemesOf = (document: OpenapiReader): [string, JsonObject][] =>
  Object.entries(child(child(document.root, "components"), "securitySchemes")).map(([name, value]) => [
    name,
    document.resolve(value),
  ]);

const placeOf = ({ type, scheme, in: where, name }: JsonObject): [string, string, string] | null => {
  if (type === "http" && String(scheme).toLowerCase() === "basic")
    return ["header", "authorization", "Basic "];
  if (type === "http" && String(scheme).toLowerCase() === "bearer")
    return ["header", "authorization", "Bearer "];
  if (type === "oauth2" || type === "openIdConnect") return ["header", "authorization", "Bearer "];
  if (type !== "apiKey" || typeof name !== "string" || name === "") return null;
  if (where === "query") return [where, name, ""]; // encoded when it is sent
  return (where === "header" || where === "cookie") && isToken(name) ? [where, name, ""] : null;
};

/** Returns the security alternatives of an operation, or by default of the document; each is a list of names. */
export const securityOf = (operation: JsonObject, document: OpenapiReader): string[] => {
  const own = operation["security"] ?? document.root["security"];
  if (!Array.isArray(own)) return [];
  return own
    .filter(isObject)
    .map((alternative) => Object.keys(alternative))
    .filter((names) => names.length > 0)
    .map((names) => `[${names.map(inert).join(", ")}]`);
};
