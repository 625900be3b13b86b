import type { SecuritySchemes } from "../auth-description.ts";
import type { JwtConfig } from "../tokens/jwt-config.ts";

/** Returns the security schemes of a configuration, for API documents. */
export const jwtSchemes = ({ headerName, scheme, cookieName, queryParam }: JwtConfig): SecuritySchemes => ({
  bearerAuth:
    headerName.toLowerCase() === "authorization" && scheme !== ""
      ? { type: "http", scheme: scheme.toLowerCase(), bearerFormat: "JWT" }
      : { type: "apiKey", in: "header", name: headerName },
  ...(cookieName !== undefined && { cookieAuth: { type: "apiKey", in: "cookie", name: cookieName } }),
  ...(queryParam !== undefined && { queryAuth: { type: "apiKey", in: "query", name: queryParam } }),
});
