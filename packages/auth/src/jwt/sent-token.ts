import { type HttpRequest, type Invocation, isHttpRequest } from "@framework/core";
import type { JwtConfig } from "../tokens/jwt-config.ts";

/** The received token; `null` for none, or for another scheme; `""`, which is never valid, for a scheme without a token, and for a repeated field or parameter. */
export type SentToken = string | null;

/**
 * Finds the token of an invocation (RFC 6750 2): in its headers or metadata, or, if configured, in the cookie or the query of a request, in this
 * order.
 */
export const sentToken = (invocation: Invocation, config: JwtConfig): SentToken => {
  const token = inField(invocation, config);
  if (token !== null || !isHttpRequest(invocation)) return token;
  return inCookie(invocation, config) ?? inQuery(invocation, config);
};

const inField = ({ headers }: Invocation, { headerName, scheme }: JwtConfig): SentToken => {
  const value = headers.get(headerName);
  if (value === null) return null;
  const token = scheme === "" ? value : afterScheme(value, scheme);
  if (token === null) return null;
  return headers.getAll(headerName).length === 1 ? token : "";
};

const inCookie = (request: HttpRequest, { cookieName }: JwtConfig): SentToken =>
  cookieName === undefined ? null : request.cookies.get(cookieName);

const inQuery = (request: HttpRequest, { queryParam }: JwtConfig): SentToken => {
  if (queryParam === undefined) return null;
  const [token = null, ...more] = request.query.getAll(queryParam);
  return more.length === 0 ? token : "";
};

/** Returns the text after the scheme, which is case-insensitive, and one or more spaces (RFC 9110 11.4); `""` for the scheme alone, `null` for another one. */
export const afterScheme = (value: string, scheme: string): string | null => {
  if (value.slice(0, scheme.length).toLowerCase() !== scheme.toLowerCase()) return null;
  if (value.length === scheme.length) return "";
  let at = scheme.length;
  while (value[at] === " ") at++;
  return at === scheme.length ? null : value.slice(at);
};
