import { isSchemaObject, type JsonSchemaObject } from "../document/json-schema.ts";
import { CLIENT_RUNTIME } from "./client-runtime.ts";
import { memberName, typeOfSchema } from "./type-of-schema.ts";

/**
 * Generates a TypeScript client of an API: the types of its routes, one line each, and a small `createClient`. It only needs `fetch`, and is the same
 * text for the same document.
 *
 * @param document an OpenAPI 3.1 document, parsed
 * @throws Error for any other value
 */
export const generateClient = (document: unknown): string => {
  if (!isSchemaObject(document) || !/^3\.\d/.test(String(document["openapi"])))
    throw new Error("this is not an OpenAPI 3 document");
  const components = child(document, "components");
  const schemas = Object.entries(child(components, "schemas")).map(
    ([name, schema]) => `  ${memberName(name)}: ${typeOfSchema(schema)};`,
  );
  const paths = Object.entries(child(document, "paths")).flatMap(([path, item]) =>
    isSchemaObject(item) ? [[path, item] as const] : [],
  );
  const routes = paths.flatMap(([path, item]) => routesOf(path, item, components));
  return [
    `// Written by framework-client from ${plain(child(document, "info"))}. Do not edit: run it again.`,
    "",
    "/** Named types of the API. */",
    "export interface Schemas {",
    ...schemas,
    "}",
    "",
    "/** Input of each route, and its replies by status. */",
    "export interface Routes {",
    ...routes,
    "}",
    "",
    "/** Routes whose body is sent as a form. */",
    `const forms: readonly string[] = [${formRoutes(paths).join(", ")}];`,
    "",
    CLIENT_RUNTIME,
  ].join("\n");
};

/** Title and version in one line of printable ASCII: they are written into a comment. */
const plain = ({ title, version }: JsonSchemaObject): string =>
  `${String(title)} ${String(version)}`.replaceAll(/[^\x20-\x7e]+/g, " ").slice(0, 120);

const child = (parent: JsonSchemaObject, name: string): JsonSchemaObject => {
  const value = parent[name];
  return isSchemaObject(value) ? value : {};
};

const methods = ["get", "head", "post", "put", "patch", "delete", "options", "x-query"];

const keyOf = (method: string, path: string): string =>
  JSON.stringify(`${method.replace("x-", "").toUpperCase()} ${path}`);

/** Keys of the routes that take a multipart body and no JSON. */
const formRoutes = (paths: readonly (readonly [string, JsonSchemaObject])[]): string[] =>
  paths.flatMap(([path, item]) =>
    methods
      .filter((method) => {
        const content = child(child(child(item, method), "requestBody"), "content");
        return FORM in content && !Object.keys(content).some(isJson);
      })
      .map((method) => keyOf(method, path)),
  );

const routesOf = (path: string, item: JsonSchemaObject, components: JsonSchemaObject): string[] =>
  methods
    .filter((method) => isSchemaObject(item[method]))
    .map((method) => {
      const operation = child(item, method);
      const parts = [
        ...parameterPart("params", "path", operation),
        ...parameterPart("query", "query", operation),
        ...parameterPart("headers", "header", operation),
        ...bodyPart(operation),
        `replies: { ${repliesOf(child(operation, "responses"), components).join("; ")} }`,
      ];
      return `  ${keyOf(method, path)}: { ${parts.join("; ")} };`;
    });

const parameterPart = (name: string, place: string, { parameters }: JsonSchemaObject): string[] => {
  const all = (Array.isArray(parameters) ? parameters : [])
    .filter(isSchemaObject)
    .filter((one) => one["in"] === place);
  if (all.length === 0) return [];
  const members = all.map(
    (one) =>
      `${memberName(String(one["name"]))}${one["required"] === true ? "" : "?"}: ${typeOfSchema(one["schema"])}`,
  );
  const isNeeded = all.some((one) => one["required"] === true);
  return [`${name}${isNeeded ? "" : "?"}: { ${members.join("; ")} }`];
};

const bodyPart = (operation: JsonSchemaObject): string[] => {
  if (!("requestBody" in operation)) return [];
  const body = child(operation, "requestBody");
  return [`body${body["required"] === true ? "" : "?"}: ${contentType(body)}`];
};

const repliesOf = (responses: JsonSchemaObject, components: JsonSchemaObject): string[] =>
  Object.entries(responses).map(([status, reply]) => {
    const known = isSchemaObject(reply) ? referred(reply, components) : {};
    return `${/^\d+$/.test(status) ? status : JSON.stringify(status)}: ${/^[2-5]XX$|^default$/.test(status) && !("content" in known) ? "unknown" : contentType(known)}`;
  });

const referred = (reply: JsonSchemaObject, components: JsonSchemaObject): JsonSchemaObject => {
  const name = /^#\/components\/responses\/([\w.-]+)$/.exec(String(reply["$ref"]))?.[1];
  return name === undefined ? reply : child(child(components, "responses"), name);
};

/** The type of JSON content, else of text; `undefined` without content. */
const contentType = (holder: JsonSchemaObject): string => {
  const content = child(holder, "content");
  const [type] = Object.keys(content).toSorted((a, b) => Number(isJson(b)) - Number(isJson(a)));
  if (type === undefined) return "undefined";
  return isJson(type) || type === FORM ? typeOfSchema(child(content, type)["schema"]) : "string";
};

const FORM = "multipart/form-data";

const isJson = (type: string): boolean => type === "application/json";
