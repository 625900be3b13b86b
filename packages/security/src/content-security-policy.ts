import { nearest } from "@framework/core/feature";

/**
 * Directives of a Content-Security-Policy (CSP Level 3), each with its sources as in the header field: keywords in single quotes. An empty list
 * means a directive without value. `'nonce'` is replaced by the nonce of `cspNonce(request)`. A reply without a nonce
 * omits it, and also `'unsafe-inline'` of the same directive.
 *
 * @example { "default-src": ["'self'"], "script-src": ["'self'", "'nonce'"], "upgrade-insecure-requests": [] }
 */
export type CspDirectives = Readonly<Record<string, readonly string[]>>;

const directiveNames = [
  "base-uri",
  "child-src",
  "connect-src",
  "default-src",
  "fenced-frame-src",
  "font-src",
  "form-action",
  "frame-ancestors",
  "frame-src",
  "img-src",
  "manifest-src",
  "media-src",
  "object-src",
  "report-to",
  "report-uri",
  "require-trusted-types-for",
  "sandbox",
  "script-src",
  "script-src-attr",
  "script-src-elem",
  "style-src",
  "style-src-attr",
  "style-src-elem",
  "trusted-types",
  "upgrade-insecure-requests",
  "worker-src",
];

const PLACEHOLDER = "'nonce'";
const BARE_KEYWORD =
  /^(?:self|none|nonce|unsafe-inline|unsafe-eval|unsafe-hashes|strict-dynamic|report-sample|wasm-unsafe-eval|allow-duplicates|(?:nonce|sha256|sha384|sha512)-.*)$/;
const HALF_QUOTED = /^'[^']*$|^[^']*'$/;
/** Directives whose values are names or addresses without keywords. */
const WITHOUT_KEYWORDS = /^(?:report-to|report-uri|sandbox)$/;
const UNSAFE_INLINE = /^'unsafe-inline'$/i;
const TAKES_NONCE = /^(?:default-src|script-src(?:-elem)?|style-src(?:-elem)?)$/;

/** Returns the problems of a policy; each message begins with the directive. */
export const policyProblems = (directives: CspDirectives): string[] =>
  Object.entries(directives).flatMap(([name, sources]) => {
    if (!directiveNames.includes(name)) {
      const [near] = nearest(name, directiveNames);
      return [`${name} is not a directive${near === undefined ? "" : `; did you mean ${near}?`}`];
    }
    return sources.flatMap((source) => sourceProblems(name, source, sources.length));
  });

const sourceProblems = (name: string, source: string, count: number): string[] => {
  if (!/^[\x21-\x2b\x2d-\x3a\x3c-\x7e]+$/.test(source))
    return [`${name} has a source that is empty or contains a space, a comma or a semicolon`];
  if (source === PLACEHOLDER && !TAKES_NONCE.test(name)) return [`${name} does not support a nonce`];
  return WITHOUT_KEYWORDS.test(name) ? [] : keywordProblems(name, source, count);
};

const keywordProblems = (name: string, source: string, count: number): string[] => {
  if (HALF_QUOTED.test(source)) return [`${name}: ${source} has only one of its single quotes`];
  const keyword = source.toLowerCase(); // browsers ignore the case of keywords
  if (BARE_KEYWORD.test(keyword) || (name === "require-trusted-types-for" && keyword === "script"))
    return [`${name}: keywords need single quotes; write '${source}'`];
  if (keyword === "'none'" && count > 1) return [`${name}: 'none' must be the only source`];
  if (keyword.startsWith("'nonce-")) return [`${name}: a fixed nonce gives no protection; write 'nonce'`];
  if (keyword === PLACEHOLDER && source !== PLACEHOLDER) return [`${name}: write 'nonce' in lower case`];
  return [];
};

/** Value of the header field: fixed, or with the nonce of the reply. */
export interface Policy {
  /** Value for replies without a nonce. */
  readonly plain: string;
  /** Returns the value with a nonce; `null` if the policy does not contain `'nonce'`. */
  readonly withNonce: ((nonce: string) => string) | null;
}

export const compilePolicy = (directives: CspDirectives): Policy => {
  const text = (nonce: string | null): string =>
    Object.entries(directives)
      .map(([name, sources]) => directive(name, sources, nonce))
      .join("; ");
  const hasNonce = Object.values(directives).some((sources) => sources.includes(PLACEHOLDER));
  if (!hasNonce) return { plain: text(null), withNonce: null };
  const parts = text("\n").split("\n");
  return { plain: text(null), withNonce: (nonce) => parts.join(nonce) };
};

/**
 * Serialises one directive. Browsers ignore `'unsafe-inline'` if there is a nonce (CSP Level 3, 6.7.3.2), so it is omitted together with the nonce:
 * otherwise every inline script would run.
 */
const directive = (name: string, sources: readonly string[], nonce: string | null): string => {
  if (sources.length === 0) return name;
  const values =
    nonce === null && sources.includes(PLACEHOLDER)
      ? sources.filter((source) => source !== PLACEHOLDER && !UNSAFE_INLINE.test(source))
      : sources.map((source) => (source === PLACEHOLDER ? `'nonce-${nonce}'` : source));
  return [name, ...(values.length === 0 ? ["'none'"] : values)].join(" ");
};
