import type { Host } from "@framework/core/feature";

/** Describes how callers authenticate to one middleware, for API documents. */
export type AuthDescription = ReturnType<Host["http"]["routes"]>[number]["auth"][number];

/** Alternative security schemes (OpenAPI 3.1) by name. */
export type SecuritySchemes = AuthDescription["schemes"];
