import type { RouteInfo } from "@framework/core";
import type { JsonSchema } from "./json-schema.ts";

/** A security scheme, from the description of an authentication. */
export type SecurityScheme = RouteInfo["auth"][number]["schemes"][string];

/** An OpenAPI 3.1 document, with the members that this package writes. */
export interface OpenapiDocument {
  readonly openapi: string;
  readonly info: Info;
  readonly servers: readonly Server[];
  readonly security: readonly SecurityRequirement[];
  readonly tags?: readonly Tag[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: ComponentsObject;
}

/** Metadata of the API. */
export interface Info {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: License;
}

/** License of the API: with an SPDX `identifier`, the `url` of its text, or neither. */
export interface License {
  /** Name of the license. */
  readonly name: string;
  /** SPDX identifier. */
  readonly identifier?: string;
  /** URL of the text of the license. */
  readonly url?: string;
}

/** A server of the API. */
export interface Server {
  /** URL of the service: absolute, or relative to the URL of the document. */
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

/** Security schemes that are all required; the list of scopes of each is always empty. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** Operations of one path by method in lower case; QUERY is `x-query`, because OpenAPI 3.1 does not support it. */
export type PathItem = Readonly<Record<string, Operation>>;

/** One operation: a method of a path. */
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

/** A parameter of an operation, in the path, the query or a header field. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: JsonSchema;
}

/** The request body of an operation. */
export interface RequestBody {
  readonly required?: boolean;
  readonly content: Content;
}

/** A reply of an operation. */
export interface Reply {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Content;
}

/** A reference to a component of the document. */
export interface Reference {
  readonly $ref: string;
}

/** Schemas of a body by media type. */
export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

/** Shared parts of the document, by name. */
export interface ComponentsObject {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, Reply>>;
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
}
