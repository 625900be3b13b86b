import { isAuthority } from "./authority.ts";

/** A parsed request target: the target to route, and the authority of an absolute-form target. */
export interface RequestTarget {
  /** Path and query, or `*`. */
  readonly target: string;
  /** Host and port of an absolute-form target; `null` for any other. */
  readonly authority: string | null;
}

const INVALID = /[^\x21-\x7e]|#/;
const ABSOLUTE = /^https?:\/\/(?<authority>[^/?]*)(?<rest>.*)$/i;

/**
 * Parses a request target (RFC 9112 3.2): origin-form, absolute-form, or `*` with OPTIONS; `null` for any other.
 *
 * Does not use `URL`, which would read `//host/path` as a host.
 */
export const readTarget = (method: string, text: string): RequestTarget | null => {
  if (INVALID.test(text)) return null;
  if (text.startsWith("/")) return { target: text, authority: null };
  if (text === "*") return method === "OPTIONS" ? { target: text, authority: null } : null;
  const { authority, rest } = ABSOLUTE.exec(text)?.groups ?? {};
  if (authority === undefined || rest === undefined || !isAuthority(authority)) return null;
  if (rest === "") return { target: method === "OPTIONS" ? "*" : "/", authority };
  return { target: rest.startsWith("/") ? rest : `/${rest}`, authority };
};
