import { inert, memberName } from "./inert-text.ts";
import { child, type JsonObject, objectsOf, type OpenapiReader } from "./openapi-reader.ts";
import { typeOfSchema } from "./type-of-schema.ts";

/** Parameters of one operation: the members of its input type, and the styles that differ from the default of their place. */
export interface Parameters {
  readonly parts: readonly string[];
  readonly styles: readonly string[];
}

const places = { path: "params", query: "query", header: "headers", cookie: "cookies" } as const;
type Place = keyof typeof places;

const defaults: Record<Place, string> = { path: "simple", query: "form*", header: "simple", cookie: "form*" };
const knownStyles = new Set([
  "simple",
  "label",
  "matrix",
  "form",
  "spaceDelimited",
  "pipeDelimited",
  "deepObject",
]);
/** Header fields that a document cannot describe as parameters (OpenAPI 3.1 4.8.12). */
const ignoredHeaders = new Set(["accept", "authorization", "content-type"]);

/** Reads the parameters of an operation and its path item; a parameter of the operation replaces the same parameter of the path item. */
export const parametersOf = (
  item: JsonObject,
  operation: JsonObject,
  path: string,
  document: OpenapiReader,
): Parameters => {
  const all = new Map<string, JsonObject>();
  for (const name of path.match(/\{[^{}]+\}/g) ?? [])
    all.set(`path ${name.slice(1, -1)}`, {
      name: name.slice(1, -1),
      in: "path",
      schema: { type: ["string", "number"] },
    });
  for (const { parameters } of [item, operation])
    for (const one of Array.isArray(parameters) ? parameters : []) {
      const parameter = document.resolve(one);
      if (typeof parameter["name"] === "string")
        all.set(`${String(parameter["in"])} ${parameter["name"]}`, parameter);
    }
  const list = [...all.values()];
  const inPlace = (place: Place): JsonObject[] =>
    list.filter(
      (one) =>
        one["in"] === place && !(place === "header" && ignoredHeaders.has(String(one["name"]).toLowerCase())),
    );
  const names = Object.keys(places) as Place[];
  return {
    parts: names.flatMap((place) => partOf(place, inPlace(place), document)),
    styles: names.flatMap((place) => inPlace(place).flatMap((one) => styleOf(place, one))),
  };
};

const partOf = (place: Place, parameters: readonly JsonObject[], document: OpenapiReader): string[] => {
  if (parameters.length === 0) return [];
  const isNeeded = (one: JsonObject): boolean => place === "path" || one["required"] === true;
  const members = parameters.map(
    (one) =>
      `${memberName(String(one["name"]))}${isNeeded(one) ? "" : "?"}: ${typeOfSchema(schemaOf(one), document)}`,
  );
  return [`${places[place]}${parameters.some(isNeeded) ? "" : "?"}: { ${members.join("; ")} }`];
};

const schemaOf = (one: JsonObject): unknown => {
  const [content] = objectsOf(Object.values(child(one, "content")));
  return content === undefined ? one["schema"] : content["schema"];
};

const styleOf = (place: Place, one: JsonObject): string[] => {
  const style = serialisation(place, one);
  return style === defaults[place] ? [] : [`${inert(`${place} ${String(one["name"])}`)}: ${inert(style)}`];
};

/** Returns the style of a parameter, or of a field of a urlencoded body, which has the styles of a query. */
export const serialisation = (place: Place, one: JsonObject): string => {
  if (Object.keys(child(one, "content")).length > 0) return "json";
  const initial = defaults[place].replace("*", "");
  const { style, explode } = one;
  const name = typeof style === "string" && knownStyles.has(style) ? style : initial;
  const explodes =
    typeof explode === "boolean" ? explode : name === "form" && (place === "query" || place === "cookie");
  return explodes ? `${name}*` : name;
};
