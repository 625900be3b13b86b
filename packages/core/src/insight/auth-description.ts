/** A security scheme of an API document (OpenAPI 3.1, Security Scheme Object), of the kinds that the framework's authentication has. */
export type SecurityScheme =
  | {
      readonly type: "http";
      readonly scheme: string;
      readonly bearerFormat?: string;
      readonly description?: string;
    }
  | {
      readonly type: "apiKey";
      readonly in: "header" | "query" | "cookie";
      readonly name: string;
      readonly description?: string;
    };

/** How callers prove to one middleware who they are. */
export interface AuthDescription {
  /** Schemes by the name that a document gives them; any one of them lets a caller in. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Whether a canonical path, or the pattern of a route, needs none of them. */
  skips(path: string): boolean;
}
