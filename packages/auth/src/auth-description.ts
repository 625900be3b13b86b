import type { Host } from "@framework/core/feature";

/** How callers prove to one middleware who they are, as API documents state it. */
export type AuthDescription = ReturnType<Host["http"]["routes"]>[number]["auth"][number];

/** Security schemes (OpenAPI 3.1) by name, any one of which suffices. */
export type SecuritySchemes = AuthDescription["schemes"];
