import { FrameworkError } from "@framework/core";
import { commentText, inert, memberName } from "./inert-text.ts";
import { child, isObject, OpenapiReader } from "./openapi-reader.ts";
import { operationLines } from "./operation-lines.ts";
import { securityLines } from "./security-schemes.ts";
import { withRecursiveSchemas } from "./recursive-schemas.ts";
import { typeOfNamedSchema } from "./type-of-schema.ts";

/** Options of `generateClient`. */
export interface GenerateOptions {
  /** Module that the generated module imports. @default "@framework/client" */
  readonly runtime?: string;
}

/**
 * Generates a TypeScript client of an API: one module with `createClient` and one line of types for each operation and named schema.
 *
 * The output is deterministic. Strings of the document are written only as escaped literals and comments.
 *
 * @param document an OpenAPI 3.0 or 3.1 document, parsed
 * @throws FrameworkError CLIENT_BAD_DOCUMENT for other values
 */
export const generateClient = (
  document: unknown,
  { runtime = "@framework/client" }: GenerateOptions = {},
): string => {
  if (!isObject(document) || !/^3\.[01]\b/.test(String(document["openapi"])))
    throw new FrameworkError(
      "CLIENT_BAD_DOCUMENT",
      "this is not an OpenAPI 3.0 or 3.1 document; convert it first",
    );
  const reader = withRecursiveSchemas(new OpenapiReader(document));
  const { title, version } = child(document, "info");
  const operations = operationLines(reader);
  const { aliases, members } = schemaLines(reader);
  const body = [
    "",
    ...aliases,
    "/** Named types of the API. */",
    "export interface Schemas {",
    ...members,
    "}",
    "",
    "/** Operations of the API: the input of each, and its replies by status. */",
    "export interface Api {",
    ...operations.flatMap(({ comment, type }) => [`  ${comment}`, `  ${type}`]),
    "}",
    "",
    "const api: ApiSpec = {",
    "  operations: {",
    ...operations.map(({ spec }) => `    ${spec}`),
    "  },",
    "  security: {",
    ...securityLines(reader).map((line) => `    ${line}`),
    "  },",
    "};",
    "",
    "/** Creates a client of the service at `baseUrl`. */",
    "export const createClient = (baseUrl: string, options?: ClientOptions): Api & ClientLifecycle => createApiClient<Api>(api, baseUrl, options);",
    "",
  ].join("\n");
  return [
    `// Written by framework-client from ${commentText(title, 80)} ${commentText(version, 30)}. Do not edit: run it again.`,
    `import { ${importsOf(body).join(", ")} } from ${inert(runtime)};`,
    body,
  ].join("\n");
};

/** Returns the lines of the named schemas, in the order of their names: members of `Schemas`, and aliases of recursive schemas. */
const schemaLines = (document: OpenapiReader): { aliases: string[]; members: string[] } => {
  const aliases: string[] = [];
  const members: string[] = [];
  const schemas = Object.entries(child(child(document.root, "components"), "schemas"));
  for (const [name, schema] of schemas.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const { text } = typeOfNamedSchema(name, schema, document);
    const alias = document.recursive.get(name)?.alias;
    if (alias !== undefined) aliases.push(`type ${alias} = ${text};`);
    members.push(`  ${memberName(name)}: ${alias ?? text};`);
  }
  return { aliases: aliases.length === 0 ? [] : [...aliases, ""], members };
};

/** Returns the imports that the module uses: compilers may reject unused imports. */
const importsOf = (body: string): string[] => [
  "type ApiSpec",
  ...["BytesBody", "BytesReply"]
    .filter((name) => new RegExp(`\\b${name}\\b`).test(body))
    .map((name) => `type ${name}`),
  "type ClientLifecycle",
  "type ClientOptions",
  "createApiClient",
  ...["Operation", "ServerSentEvent"]
    .filter((name) => new RegExp(`\\b${name}<|<${name}>`).test(body))
    .map((name) => `type ${name}`),
];
