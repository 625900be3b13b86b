import { type Key, key } from "../invocation/key.ts";
import type { HttpRequest } from "./http-request.ts";

/** Issues the token against forgery of a request, and records that its reply contains one. */
export interface CsrfTokens {
  token(request: HttpRequest): string;
}

/** Source of `request.csrfToken`, set by a feature that protects against cross-site request forgery. */
export const CsrfTokens: Key<CsrfTokens | null> = key<CsrfTokens | null>("csrf_tokens", null);

/** Whether CORS allows the request's origin; set on requests that may become WebSockets. */
export const OriginAllowed: Key<boolean> = key("origin_allowed", false);
