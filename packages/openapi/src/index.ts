export { OpenapiConfig } from "./openapi-config.ts";
export { openapi, type Openapi, type OpenapiRouteOptions } from "./openapi.ts";
export type { License, Server, Tag } from "./document/openapi-document.ts";
export type { SchemaConverter, SchemaConverters } from "./document/schema-libraries.ts";
export { openapiErrors } from "./error-codes.ts";
