import type { StandardSchema } from "@framework/core";
import type { FieldUse } from "@framework/core/feature";
import type { Components } from "./components.ts";
import { isSchemaObject, type JsonSchema } from "./json-schema.ts";
import type { ListedRoute } from "./listed-routes.ts";
import type { Parameter } from "./openapi-document.ts";
import { jsonSchemaOf } from "./standard-json-schema.ts";

/** Returns every parameter of the path, with its schema from `params`, otherwise as a string. */
export const pathParameters = (
  { route, template, names }: ListedRoute,
  components: Components,
  name: string,
): Parameter[] => {
  const { params } = route.options;
  const schema = params === undefined ? null : jsonSchemaOf(params, "input");
  const known = schema === null ? null : components.properties({ schema, side: "input", name });
  return template.params.map((param, index) => ({
    name: names[index] ?? param.name,
    in: "path",
    required: true,
    ...(param.isWildcard ? { description: "The rest of the path, including slashes." } : {}),
    ...withDescription(known?.schemas.get(param.name) ?? { type: "string" }),
  }));
};

/** Returns one parameter per property of the query; a schema that is not an object becomes one parameter for the whole query. */
export const queryParameters = (
  query: StandardSchema | undefined,
  components: Components,
  name: string,
): Parameter[] => {
  const schema = query === undefined ? null : jsonSchemaOf(query, "input");
  if (schema === null) return [];
  const source = { schema, side: "input", name } as const;
  const known = components.properties(source);
  if (known === null)
    return [{ name: "query", in: "query", style: "form", explode: true, schema: components.place(source) }];
  return Array.from(known.schemas, ([property, value]) => ({
    name: property,
    in: "query",
    ...(known.required.has(property) ? { required: true } : {}),
    ...withDescription(value),
  }));
};

/** Returns the header fields that features read from requests, each name once. */
export const fieldParameters = (fields: readonly FieldUse[]): Parameter[] =>
  [
    ...new Map(fields.filter((field) => field.in === "request").map((field) => [field.name, field])).values(),
  ].map(({ name, description, type, required = false }) => ({
    name,
    in: "header",
    ...(required ? { required } : {}),
    description,
    schema: { type },
  }));

/** Returns a parameter's schema, with the description moved to the parameter itself. */
const withDescription = (schema: JsonSchema): Pick<Parameter, "description" | "schema"> => {
  if (!isSchemaObject(schema) || typeof schema["description"] !== "string") return { schema };
  const { description, ...rest } = schema;
  return { description: String(description), schema: rest };
};
