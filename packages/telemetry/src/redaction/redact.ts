/** Replacement of a secret. */
export const REDACTED = "REDACTED";

/** Maximum length of an attribute, in characters. */
export const MAX_ATTRIBUTE = 1024;

/** Names of parameters and fields whose values are credentials: the name contains a word of this list. */
const SECRET_NAME =
  /pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|auth(?!or(?!iz))|credential|session|cookie|signature|^sig$|^code$|^key$|jwt|bearer|otp|^pin$/i;

/** Recognisable tokens: JSON Web Tokens, and keys with an issuer's prefix. */
const token = String.raw`ey[\w-]{8,}\.[\w-]{8,}\.[\w-]*|(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[a-z])[-_][\w-]{12,}|github_pat_\w{12,}|(?:AKIA|ASIA)[A-Z0-9]{16}`;

/** Values that look like credentials regardless of their name: tokens, and long random text other than a UUID. */
const secretValue = new RegExp(
  String.raw`^(?:${token}|(?![\da-f]{8}-[\da-f]{4}-)(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[\w+/=-]{32,})$`,
);

/**
 * Replaces values of a query that are credentials by name or format, or that contain a credential.
 *
 * @param query has no leading `?`
 * @param isTruncated whether the end of the query is missing
 */
export const redactQuery = (query: string, isTruncated: boolean = query.length > 2 * MAX_ATTRIBUTE): string =>
  query
    .slice(0, 2 * MAX_ATTRIBUTE)
    .split("&")
    .map((pair, index, pairs) => {
      const isTruncatedHere = isTruncated && index === pairs.length - 1;
      const at = pair.indexOf("=");
      const value = decode(pair.slice(at + 1));
      if (at === -1) return isSecret(value, isTruncatedHere) ? REDACTED : pair;
      const name = pair.slice(0, at);
      return SECRET_NAME.test(decode(name)) || isSecret(value, isTruncatedHere)
        ? `${name}=${REDACTED}`
        : pair;
    })
    .join("&")
    .slice(0, MAX_ATTRIBUTE);

/** Whether a decoded value is a credential or contains one. */
const isSecret = (value: string, isTruncated: boolean): boolean =>
  secretValue.test(value) || containsSecret(value, isTruncated);

/** Only a value with one of these characters can contain a credential: `scheme://`, `Bearer …`, `name=…`, a token with dots. */
const containsSecret = (value: string, isTruncated: boolean): boolean =>
  /[:=.\s+]/.test(value) &&
  [value, value.replaceAll("+", " ")].some(
    (text) => hideCredentials(text) !== text || (isTruncated && hideTruncatedEnd(text) !== text),
  );

/** Segments of paths that are tokens. Long random text is not redacted, because ids have the same format. */
const secretSegment = new RegExp(String.raw`(?<=^|\/)(?:${token})(?=$|\/)`, "g");

/** Minimum length of a token. A path of this length begins with a slash, so it has none. */
const MIN_TOKEN_LENGTH = 15;

/** Replaces the segments of a path that look like credentials. */
export const redactPath = (path: string): string =>
  path.length <= MIN_TOKEN_LENGTH ? path : redactTokens(path);

const redactTokens = (path: string): string =>
  path
    .slice(0, 2 * MAX_ATTRIBUTE)
    .replace(secretSegment, REDACTED)
    .slice(0, MAX_ATTRIBUTE);

/** Truncates a text. Possible credentials at the end are redacted, because a truncated credential cannot be recognised. */
const startOf = (text: string, length: number): string =>
  text.length <= length ? text : hideTruncatedEnd(text.slice(0, length));

const hideTruncatedEnd = (text: string): string =>
  text
    .replace(/:\/\/(?:[^\s/?#]*|[^\s/?#:@[]*:(?!\d{1,5}[/?#])[^\s@"'<>]*)$/, `://${REDACTED}`)
    .replace(/\b(bearer|basic|digest)\s+[\w+/=.~-]*$/i, `$1 ${REDACTED}`);

/** User and password at the start of a URL, as in `userInfo`. */
const FIRST_USER_INFO = /^([a-z][\w+.-]*:\/\/)(?:[^/?#]*|[^\s/?#:@[]*:(?!\d{1,5}[/?#])[^\s@"'<>]*)@/i;

/** Redacts the credentials and the query values of a URL, and removes its fragment. */
export const redactUrl = (url: string): string => {
  const withoutUser = startOf(url, 2 * MAX_ATTRIBUTE).replace(FIRST_USER_INFO, `$1${REDACTED}@`);
  const [withoutFragment = ""] = withoutUser.split("#", 1);
  const [path = "", ...rest] = withoutFragment.split("?");
  const query = rest.join("?");
  const safe = redactPath(path);
  return (query === "" ? safe : `${safe}?${redactQuery(query, url.length > 2 * MAX_ATTRIBUTE)}`).slice(
    0,
    MAX_ATTRIBUTE,
  );
};

/** Redacts credentials in any text, such as an error message: in URLs, in `name=value` and `name: value`, and after authorization schemes. */
export const redactText = (text: string): string =>
  hideCredentials(startOf(text, 4 * MAX_ATTRIBUTE)).slice(0, MAX_ATTRIBUTE);

/** User and password of a URL. An unescaped password may contain the characters that end an authority; digits after the colon are a port. */
const userInfo = new RegExp(
  String.raw`([a-z][\w+.-]{0,30}:\/\/)(?:[^\s/?#]*|[^\s/?#:@[]*:(?!\d{1,5}[/?#])[^\s@"'<>]*)@`,
  "gi",
);

/** Names before a value with their separator, also in JSON, and in JSON within a string. */
const namePattern = (names: string, separator: string): string =>
  String.raw`((?:${names})\\{0,3}["']?\s{0,9}${separator}\s{0,9})`;

/** A quoted value, whose closing quote may be missing. */
const quoted = String.raw`"(?:[^"\\\n]|\\.)*|'(?:[^'\\\n]|\\.)*|\\{1,3}["'][^"'\\\n]*`;

/** A header field that is a credential, to the end of its line: it may have several parts. */
const credentialField = new RegExp(
  String.raw`${namePattern("authorization|cookie", ":(?!:)")}(?!REDACTED)(?:(${quoted})|[^\n]+)`,
  "gi",
);

const credentialValue = new RegExp(
  String.raw`${namePattern("pass(?:word|wd|phrase)?|pwd|secret|token|api[-_]?key|access[-_]?key|authorization|cookie|signature|jwt|credentials?|session[-_]?id", "(?:=|:(?!:)|%3[ad])")}(?!REDACTED)(?:(${quoted})|[^\s&"',;]+)`,
  "gi",
);

/** Keys with an issuer's prefix. Stricter than in a query, because messages contain names such as `pk_orders_customer_id`. */
const ISSUED_KEY =
  /\b(?:(?:sk|pk|rk)_(?:live|test)_\w{8,}|sk-(?=[\w-]{0,100}\d)[\w-]{20,}|gh[opsu]_\w{16,}|github_pat_\w{12,}|glpat-[\w-]{12,}|xox[a-z]-[\w-]{12,}|A(?:KI|SI)A[A-Z0-9]{16}\b)/g;

const PRIVATE_KEY = /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:[^-]|-(?!----))+/g;

const hideCredentials = (text: string): string =>
  text
    .replace(userInfo, `$1${REDACTED}@`)
    .replace(credentialField, hideValue)
    .replace(/\b(bearer|basic|digest)\s+[\w+/=.~-]{6,}/gi, `$1 ${REDACTED}`)
    .replace(credentialValue, hideValue)
    .replace(/(?<![\w-])ey[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REDACTED)
    .replace(ISSUED_KEY, REDACTED)
    .replace(PRIVATE_KEY, `$1${REDACTED}`);

/** Keeps the name before a value, and its opening quote. */
const hideValue = (_: string, name: string, inQuotes: string | undefined): string =>
  `${name}${/^\\*["']/.exec(inQuotes ?? "")?.[0] ?? ""}${REDACTED}`;

/** Decodes percent-encoded ASCII characters, so that credentials are recognised. Malformed and truncated escapes are unchanged. */
const decode = (text: string): string =>
  text.includes("%")
    ? text.replace(/%([0-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
