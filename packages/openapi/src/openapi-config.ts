import {
  checked,
  type ConfigRecord,
  configRecord,
  type FieldRule,
  list,
  optional,
  text,
} from "@framework/core/feature";
import { type Guard, type HttpRequest, isGuard } from "@framework/core";
import { isConverters, type SchemaConverters } from "./document/schema-libraries.ts";
import type { License, Server, Tag } from "./document/openapi-document.ts";

/** Options of `enableOpenapi`. */
export interface OpenapiConfig {
  /** Name of the API. @default "Framework API" */
  readonly title: string;
  /** Version of the API, not of the framework. @default "1.0.1" */
  readonly version: string;
  /** Description of the API, in CommonMark. @default none */
  readonly description: string | undefined;
  /** License of the API, such as { name: "MIT", identifier: "MIT" }; linters require it. @default none */
  readonly license: License | undefined;
  /** Servers of the API; a URL may be relative to the document. The pages may call these hosts. @default [{ url: "/" }] */
  readonly servers: readonly Server[];
  /** Groups of operations with descriptions, in the order of the pages; tags that only routes name come last. @default [] */
  readonly tags: readonly Tag[];
  /** Path of the document. @default "/openapi.json" */
  readonly path: string;
  /** Path of the Swagger UI page, or `false` for none. @default "/docs" */
  readonly docsPath: string | false;
  /** Path of the Redoc page, or `false` for none. @default "/redoc" */
  readonly redocPath: string | false;
  /**
   * Converters to JSON Schema by the name of a schema library, for libraries without Standard JSON Schema. Valibot needs none if
   * `@valibot/to-json-schema` is installed. @default {}
   */
  readonly jsonSchema: SchemaConverters;
  /** Guards of the document, the pages and their files; they run after the app's guards. @default [] */
  readonly guards: readonly Guard<HttpRequest>[];
}

const PATH_RULE = "a path of letters, digits, dots, underscores and dashes, such as";

export const OpenapiConfig: ConfigRecord<OpenapiConfig> = configRecord("OpenapiConfig", {
  title: text("Framework API"),
  version: text("1.0.1"),
  description: optional({
    problem: (value) => (typeof value === "string" ? null : "must be a string"),
  }),
  license: optional({
    problem: (value) => (isLicense(value) ? null : "must be { name, identifier? or url? }"),
  }),
  servers: list<Server>(
    [{ url: "/" }],
    "servers, each { url, description? } with a URL without a trailing /",
    isServer,
  ),
  tags: list<Tag>([], "tags, each { name, description? }", (tag) => isRecord(tag) && isName(tag["name"])),
  path: path("/openapi.json"),
  docsPath: pathOrNone("/docs"),
  redocPath: pathOrNone("/redoc"),
  jsonSchema: checked<SchemaConverters>(
    {},
    "an object of converter functions by the name of their schema library",
    isConverters,
  ),
  guards: list<Guard<HttpRequest>>([], "guards", isGuard),
});

function path(initial: string): FieldRule<string> {
  return checked(initial, `${PATH_RULE} ${initial}`, isPath);
}

function pathOrNone(initial: string): FieldRule<string | false> {
  return checked<string | false>(
    initial,
    `${PATH_RULE} ${initial}, or false`,
    (value) => value === false || isPath(value),
  );
}

function isPath(value: unknown): boolean {
  return typeof value === "string" && /^(?:\/[\w-][\w.-]*)+$/.test(value);
}

function isLicense(value: unknown): boolean {
  if (!isRecord(value) || !isName(value["name"])) return false;
  const { identifier, url } = value;
  if (identifier !== undefined) return isName(identifier) && url === undefined;
  return url === undefined || (isName(url) && URL.canParse(url));
}

function isServer(value: unknown): boolean {
  if (!isRecord(value) || !isName(value["url"]) || !URL.canParse(value["url"], "http://localhost"))
    return false;
  return value["url"] === "/" || !value["url"].endsWith("/");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const { description } = value as { description?: unknown };
  return description === undefined || typeof description === "string";
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
