import { describeValue } from "../config/wrong-value.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import { ValueError } from "../errors/http-errors.ts";

/** Restrictions on a redirect's target. */
export interface RedirectTargetOptions {
  /** Rejects every target that could lead to another site: absolute URLs, `//host`, backslashes. @default false */
  readonly sameOrigin?: boolean;
}

/** Schemes whose targets a browser executes or displays itself. */
const DANGEROUS = /^(?:javascript|data|vbscript):/i;
const ANY_SCHEME = /^[a-z][a-z0-9+.-]*:/i;
// oxlint-disable-next-line no-control-regex -- browsers drop these, so they can hide a scheme or a host
const CONTROL = /[\u0000-\u001F\u007F-\u009F]/;

/**
 * Returns the value of a `Location` field: the trimmed target, with characters outside visible ASCII percent-encoded.
 *
 * @throws ValueError (400, code CORE_BAD_REDIRECT) for control characters, `javascript:` and similar schemes, and another origin with `sameOrigin`;
 * CORE_BAD_ARGUMENT for a value that is neither a string nor a URL
 */
export const redirectTarget = (
  url: string | URL,
  { sameOrigin = false }: RedirectTargetOptions = {},
): string => {
  const given = typeof url === "string" ? url : (url as URL | null | undefined)?.href; // untyped programs may pass a missing parameter
  if (typeof given !== "string")
    throw new FrameworkError(
      "CORE_BAD_ARGUMENT",
      `a redirect target must be a string or a URL, not ${describeValue(url)}`,
    );
  if (CONTROL.test(given)) throw redirectError("holds a control character");
  const target = given.trim();
  if (DANGEROUS.test(target)) throw redirectError("has a scheme that is not allowed");
  if (sameOrigin && !isSameOrigin(target)) throw redirectError("leads away from this site");
  return target.toWellFormed().replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);
};

const SAME_ORIGIN = "http://same-origin.invalid";

const isSameOrigin = (target: string): boolean =>
  !target.includes("\\") &&
  !target.startsWith("//") &&
  !ANY_SCHEME.test(target) &&
  URL.parse(target, SAME_ORIGIN)?.origin === SAME_ORIGIN;

const redirectError = (problem: string): ValueError =>
  new ValueError(`The redirect target ${problem}`, { code: "CORE_BAD_REDIRECT" });
