import type { ImpliedReply } from "./implied-reply.ts";

/** An OpenAPI 3.1 Security Scheme Object, limited to the schemes that the framework's authentication supports. */
export type SecurityScheme =
  | {
      /** The type in an OpenAPI document. */
      readonly type: "http";
      readonly scheme: string;
      readonly bearerFormat?: string;
      /** Text for the API document. */
      readonly description?: string;
    }
  | {
      readonly type: "apiKey";
      readonly in: "header" | "query" | "cookie";
      readonly name: string;
      readonly description?: string;
    };

/** The credentials that one authentication middleware accepts. */
export interface AuthDescription {
  /** Schemes by their names in the API document; any one suffices. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Whether a canonical path or route pattern needs no authentication. */
  skips(path: string): boolean;
  /** Replies that the authentication can give in addition to 401, for the API document. @default none */
  readonly replies?: readonly ImpliedReply[];
}
