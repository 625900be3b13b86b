import { FrameworkError } from "../errors/framework-error.ts";
import { isToken } from "../http/token.ts";
import { nearest } from "../errors/nearest.ts";

/** Attributes of a cookie (RFC 6265bis 4.1). */
export interface CookieOptions {
  /** Lifetime in seconds; 0 deletes the cookie. Without it and `expires` the cookie ends with the browser's session. */
  readonly maxAge?: number;
  /** Path that the cookie is sent to. @default "/" */
  readonly path?: string;
  /** Host whose subdomains also get the cookie; without it, only the host that set the cookie gets it. */
  readonly domain?: string;
  /** Whether the cookie is sent only over TLS. @default false */
  readonly secure?: boolean;
  /** Whether the cookie is hidden from scripts. @default false */
  readonly httpOnly?: boolean;
  /** Whether requests from other sites carry the cookie; `none` requires `secure`. Browsers default to `lax`. */
  readonly sameSite?: "strict" | "lax" | "none" | "Strict" | "Lax" | "None";
  /** Whether the cookie is separate for each site that embeds this one (CHIPS); requires `secure`. @default false */
  readonly partitioned?: boolean;
  /** Time at which the cookie expires. */
  readonly expires?: Date;
  /** Priority of the cookie when a browser has to evict some. */
  readonly priority?: "low" | "medium" | "high" | "Low" | "Medium" | "High";
}

const optionNames: Readonly<Record<keyof CookieOptions, true>> = {
  maxAge: true,
  path: true,
  domain: true,
  secure: true,
  httpOnly: true,
  sameSite: true,
  partitioned: true,
  expires: true,
  priority: true,
};

/** Maximum length of a line in bytes: browsers must store cookies of up to this size, attributes included (RFC 6265 6.1). */
const MAX_BYTES = 4096;

/**
 * The value of one `Set-Cookie` line. The cookie's value is percent-encoded, as `request.cookies` decodes it.
 *
 * @throws CORE_BAD_COOKIE for a name that is not a token, a value that is not well-formed text, an unknown option, an attribute that RFC 6265bis does not
 * allow, a violated `__Host-`, `__Secure-` or `__Http-` prefix, `SameSite=None` or `Partitioned` without `Secure`, more than 4096 bytes
 */
export const setCookieLine = (name: string, value: string, options: CookieOptions = {}): string => {
  if (typeof name !== "string" || !isToken(name))
    throw badCookie(name, "the name must be a token (RFC 9110 5.6.2)");
  for (const option in options) if (!Object.hasOwn(optionNames, option)) throw unknownOption(name, option);
  const { maxAge, path = "/", domain, secure, httpOnly, sameSite, expires, priority, partitioned } = options;
  checkAttributes(name, { ...options, path });
  let line = `${name}=${encodeValue(name, value)}`;
  if (maxAge !== undefined) line += `; Max-Age=${seconds(name, maxAge)}`;
  if (domain !== undefined) line += `; Domain=${host(name, domain)}`;
  line += `; Path=${cookiePath(name, path)}`;
  if (expires !== undefined) line += `; Expires=${httpDate(name, expires)}`;
  if (httpOnly === true) line += "; HttpOnly";
  if (secure === true) line += "; Secure";
  if (sameSite !== undefined)
    line += `; SameSite=${word(name, "sameSite", sameSite, ["Strict", "Lax", "None"])}`;
  if (priority !== undefined)
    line += `; Priority=${word(name, "priority", priority, ["Low", "Medium", "High"])}`;
  if (partitioned === true) line += "; Partitioned";
  if (line.length > MAX_BYTES)
    throw badCookie(name, `it has ${line.length} bytes; browsers store at most ${MAX_BYTES}`);
  return line;
};

/** The line that deletes a cookie; `path` and `domain` must be the same as when it was set. @throws CORE_BAD_COOKIE */
export const deleteCookieLine = (name: string, options: CookieOptions = {}): string =>
  setCookieLine(name, "", {
    ...options,
    ...(/^__(?:host|secure|http)-/i.test(name) ? { secure: true } : {}),
    ...(/^__(?:host-)?http-/i.test(name) ? { httpOnly: true } : {}),
    maxAge: 0,
    expires: new Date(0),
  });

const checkAttributes = (name: string, options: CookieOptions): void => {
  const { path, domain, secure, httpOnly, sameSite, partitioned } = options;
  checkFlag(name, "secure", secure);
  checkFlag(name, "httpOnly", httpOnly);
  checkFlag(name, "partitioned", partitioned);
  const prefix = /^__(?:host-http|host|secure|http)-/i.exec(name)?.[0].toLowerCase() ?? "";
  if (prefix !== "" && secure !== true) throw badCookie(name, "its prefix requires secure: true");
  if (prefix.endsWith("http-") && httpOnly !== true)
    throw badCookie(name, "its prefix requires httpOnly: true");
  if (prefix.startsWith("__host-") && (path !== "/" || domain !== undefined)) {
    throw badCookie(name, 'its prefix requires path "/" and no domain');
  }
  if (String(sameSite).toLowerCase() === "none" && secure !== true) {
    throw badCookie(name, "sameSite none requires secure: true");
  }
  if (partitioned === true && secure !== true) throw badCookie(name, "partitioned requires secure: true");
};

/** Creates the error for an unknown option: if ignored, a misspelt `httpOnly` would expose the cookie to scripts. */
const unknownOption = (name: string, option: string): FrameworkError => {
  const [near] = nearest(option, Object.keys(optionNames));
  return badCookie(
    name,
    `there is no option "${option}"${near === undefined ? "" : `; did you mean "${near}"?`}`,
  );
};

const checkFlag = (name: string, field: string, value: unknown): void => {
  if (value !== undefined && typeof value !== "boolean")
    throw badCookie(name, `${field} must be true or false`);
};

const encodeValue = (name: string, value: unknown): string => {
  if (typeof value !== "string") throw badCookie(name, `the value must be a string, but is ${typeof value}`);
  if (!value.isWellFormed()) throw badCookie(name, "the value contains a lone surrogate");
  return encodeURIComponent(value);
};

const seconds = (name: string, maxAge: number): string => {
  if (Number.isSafeInteger(maxAge) && maxAge >= 0) return String(maxAge);
  throw badCookie(name, "maxAge must be a whole number of seconds, 0 or more");
};

const HOST_PATTERN = /^(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i;

const host = (name: string, domain: string): string => {
  const hostName = String(domain).replace(/^\./, "");
  if (hostName.length <= 253 && HOST_PATTERN.test(hostName)) return hostName;
  throw badCookie(name, "domain must be a host name in ASCII, such as example.com");
};

const cookiePath = (name: string, path: string): string => {
  if (typeof path === "string" && /^\/[\x20-\x3a\x3c-\x7e]*$/.test(path) && !path.endsWith(" ")) return path;
  throw badCookie(name, "path must begin with / and contain only printable ASCII without ;");
};

const httpDate = (name: string, date: Date): string => {
  const year = date instanceof Date ? date.getUTCFullYear() : Number.NaN;
  if (year >= 1601 && year <= 9999) return date.toUTCString();
  throw badCookie(name, "expires must be a valid Date from 1601 to 9999");
};

const word = (name: string, field: string, value: string, words: readonly string[]): string => {
  const found = words.find((known) => known.toLowerCase() === String(value).toLowerCase());
  if (found !== undefined) return found;
  throw badCookie(name, `${field} must be one of ${words.join(", ").toLowerCase()}`);
};

const badCookie = (name: unknown, problem: string): FrameworkError =>
  new FrameworkError("CORE_BAD_COOKIE", `cookie ${JSON.stringify(String(name).slice(0, 40))}: ${problem}`);
