import type { RouteInfo } from "@framework/core";
import type { JsonSchema } from "./json-schema.ts";

/** A security scheme, from the description of an authentication. */
export type SecurityScheme = RouteInfo["auth"][number]["schemes"][string];

/** The part of OpenAPI 3.1 that this package writes. */
export interface OpenapiDocument {
  readonly openapi: string;
  readonly info: Info;
  readonly servers: readonly Server[];
  readonly security: readonly SecurityRequirement[];
  readonly tags?: readonly Tag[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: ComponentsObject;
}

export interface Info {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: License;
}

/** License of the API: an SPDX `identifier` or the `url` of a text, not both. */
export interface License {
  /** Name of the licence. */
  readonly name: string;
  /** SPDX identifier. */
  readonly identifier?: string;
  /** URL of its text. */
  readonly url?: string;
}

/** Address of the service: an absolute URL, or one relative to the document's. */
export interface Server {
  /** Address of the service. */
  readonly url: string;
  /** Description, in CommonMark. */
  readonly description?: string;
}

/** A group of operations. */
export interface Tag {
  /** Name of the tag. */
  readonly name: string;
  /** Description, in CommonMark. */
  readonly description?: string;
}

/** Schemes that are all required; each has a list of scopes, always empty here. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** Operations of one path by method in lower case; QUERY is `x-query`, because OpenAPI 3.1 does not support it. */
export type PathItem = Readonly<Record<string, Operation>>;

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  readonly tags?: readonly string[];
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Reply | Reference>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: JsonSchema;
}

export interface RequestBody {
  readonly required?: boolean;
  readonly content: Content;
}

export interface Reply {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Content;
}

export interface Reference {
  readonly $ref: string;
}

export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface ComponentsObject {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, Reply>>;
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
}
