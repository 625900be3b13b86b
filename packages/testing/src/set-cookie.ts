/** A cookie as a `Set-Cookie` line states it (RFC 6265, section 5.2); attributes that are absent are `undefined`. */
export interface SetCookie {
  /** Name of the cookie. */
  readonly name: string;
  /** Value as sent, not decoded. */
  readonly value: string;
  /** The attribute `Path`. */
  readonly path: string | undefined;
  /** The attribute `Domain`. */
  readonly domain: string | undefined;
  /** The attribute `Expires`. */
  readonly expires: Date | undefined;
  /** The attribute `Max-Age`, in seconds. */
  readonly maxAge: number | undefined;
  /** Whether the attribute `Secure` is set. */
  readonly secure: boolean;
  /** Whether the attribute `HttpOnly` is set. */
  readonly httpOnly: boolean;
  /** The attribute `SameSite` as spelt in the line, such as `Lax`. */
  readonly sameSite: string | undefined;
}

/** Returns the cookies of a reply, in order; lines without a name are omitted. */
export const readSetCookies = (headers: Headers): readonly SetCookie[] =>
  headers
    .getSetCookie()
    .map(parseSetCookie)
    .filter((cookie) => cookie !== null);

const parseSetCookie = (line: string): SetCookie | null => {
  const [pair = "", ...attributes] = line.split(";");
  const [name, value] = halves(pair);
  if (name === "" || value === null) return null;
  const stated = new Map(attributes.map(halves).map(([key, text]) => [key.toLowerCase(), text ?? ""]));
  const maxAge = stated.get("max-age") ?? "";
  return {
    name,
    value,
    path: stated.get("path"),
    domain: stated.get("domain"),
    expires: toDate(stated.get("expires")),
    maxAge: /^-?\d+$/.test(maxAge) ? Number(maxAge) : undefined,
    secure: stated.has("secure"),
    httpOnly: stated.has("httponly"),
    sameSite: stated.get("samesite"),
  };
};

/** Returns the parts before and after the first `=`, trimmed; the second is `null` without `=`. */
const halves = (text: string): [before: string, after: string | null] => {
  const equals = text.indexOf("=");
  return equals < 0 ? [text.trim(), null] : [text.slice(0, equals).trim(), text.slice(equals + 1).trim()];
};

const toDate = (text: string | undefined): Date | undefined => {
  const date = new Date(text ?? "");
  return Number.isNaN(date.getTime()) ? undefined : date;
};
