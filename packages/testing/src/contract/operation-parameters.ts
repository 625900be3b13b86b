import { isJson, type Json } from "./json-object.ts";

/** Header fields that parameters cannot describe (OpenAPI 3.1 4.8.12). */
const ignored = new Set(["accept", "authorization", "content-type"]);

/** Returns the parameters of an operation: its own, the parameters inherited from the path item, and a string for each other name in the path. */
export const parametersOf = (
  path: string,
  item: Json,
  operation: Json,
  dereferenced: (value: unknown) => Json,
): readonly Json[] => {
  const byPlace = new Map<string, Json>();
  for (const [, name] of path.matchAll(/\{([^{}]+)\}/g))
    byPlace.set(`path ${name}`, { name, in: "path", schema: { type: "string" } });
  for (const { parameters } of [item, operation])
    for (const each of Array.isArray(parameters) ? parameters : []) {
      const parameter = dereferenced(each);
      byPlace.set(`${String(parameter["in"])} ${String(parameter["name"])}`, parameter);
    }
  return [...byPlace.values()].filter((one) => !isIgnored(one)).map(withSchema);
};

const isIgnored = ({ in: place, name }: Json): boolean =>
  place === "header" && ignored.has(String(name).toLowerCase());

/** Returns the parameter with its schema, which may be in `content`. */
const withSchema = (parameter: Json): Json => {
  const [media] = Object.values(isJson(parameter["content"]) ? parameter["content"] : {});
  return isJson(media) ? { ...parameter, schema: media["schema"] } : parameter;
};
