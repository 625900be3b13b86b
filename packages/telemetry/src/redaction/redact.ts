/** Text in the place of a secret. */
export const REDACTED = "REDACTED";

/** Most characters of an attribute. */
export const MAX_ATTRIBUTE = 1024;

/** Names of parameters and fields whose values are credentials: a word of this list anywhere in the name. */
const SECRET_NAME =
  /pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|auth(?!or(?!iz))|credential|session|cookie|signature|^sig$|^code$|^key$|jwt|bearer|otp|^pin$/i;

/** Tokens by their look: JSON Web Tokens, and keys with the prefix of their issuer. */
const token = String.raw`ey[\w-]{8,}\.[\w-]{8,}\.[\w-]*|(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[a-z])[-_][\w-]{12,}|github_pat_\w{12,}|(?:AKIA|ASIA)[A-Z0-9]{16}`;

/** Values that look like credentials whatever their name: tokens, and long random text other than a UUID. */
const secretValue = new RegExp(
  String.raw`^(?:${token}|(?![\da-f]{8}-[\da-f]{4}-)(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[\w+/=-]{32,})$`,
);

/** Replaces the values of a query that are credentials, by name or by look, or that contain some. Takes and returns a query without its `?`. @param isCut whether its end is missing */
export const redactQuery = (query: string, isCut: boolean = query.length > 2 * MAX_ATTRIBUTE): string =>
  query
    .slice(0, 2 * MAX_ATTRIBUTE)
    .split("&")
    .map((pair, index, pairs) => {
      const isCutHere = isCut && index === pairs.length - 1;
      const at = pair.indexOf("=");
      const value = decoded(pair.slice(at + 1));
      if (at === -1) return isSecret(value, isCutHere) ? REDACTED : pair;
      const name = pair.slice(0, at);
      return SECRET_NAME.test(decoded(name)) || isSecret(value, isCutHere) ? `${name}=${REDACTED}` : pair;
    })
    .join("&")
    .slice(0, MAX_ATTRIBUTE);

/** Whether a decoded value is a credential or contains one. */
const isSecret = (value: string, isCut: boolean): boolean =>
  secretValue.test(value) || containsSecret(value, isCut);

/** Only a value with one of these characters can contain a credential: `scheme://`, `Bearer …`, `name=…`, a token with dots. */
const containsSecret = (value: string, isCut: boolean): boolean =>
  /[:=.\s+]/.test(value) &&
  [value, value.replaceAll("+", " ")].some(
    (text) => hideCredentials(text) !== text || (isCut && hideCutEnd(text) !== text),
  );

/** Segments of paths that are tokens; long random text is left there, since ids look like it. */
const secretSegment = new RegExp(String.raw`(?<=^|\/)(?:${token})(?=$|\/)`, "g");

/** Length of the shortest token, and of a path with it. */
const SHORTEST_TOKEN = 15;

/** Replaces the segments of a path that look like credentials. */
export const redactPath = (path: string): string =>
  path.length <= SHORTEST_TOKEN ? path : redactTokens(path);

const redactTokens = (path: string): string =>
  path
    .slice(0, 2 * MAX_ATTRIBUTE)
    .replace(secretSegment, REDACTED)
    .slice(0, MAX_ATTRIBUTE);

/** The start of a text. Where it was cut, what may be the start of credentials is taken for them: their end is missing, by which they are recognised. */
const startOf = (text: string, length: number): string =>
  text.length <= length ? text : hideCutEnd(text.slice(0, length));

const hideCutEnd = (text: string): string =>
  text
    .replace(/:\/\/[^\s/?#]*$/, `://${REDACTED}`)
    .replace(/\b(bearer|basic|digest)\s+[\w+/=.~-]*$/i, `$1 ${REDACTED}`);

/** Redacts the credentials and the query of a URL; any other text is redacted as text. */
export const redactUrl = (url: string): string => {
  const withoutUser = startOf(url, 2 * MAX_ATTRIBUTE).replace(
    /^([a-z][\w+.-]*:\/\/)[^/?#]*@/i,
    `$1${REDACTED}@`,
  );
  const [path = "", ...rest] = withoutUser.split("?");
  const query = rest.join("?").split("#")[0] ?? "";
  const safe = redactPath(path);
  return (query === "" ? safe : `${safe}?${redactQuery(query, url.length > 2 * MAX_ATTRIBUTE)}`).slice(
    0,
    MAX_ATTRIBUTE,
  );
};

/** Redacts credentials inside any text, such as a message of an error: of URLs, of `name=value` and `name: value`, and of authorization schemes. */
export const redactText = (text: string): string =>
  hideCredentials(startOf(text, 4 * MAX_ATTRIBUTE)).slice(0, MAX_ATTRIBUTE);

const hideCredentials = (text: string): string =>
  text
    .replace(/([a-z][\w+.-]{0,30}:\/\/)[^\s/?#]*@/gi, `$1${REDACTED}@`)
    .replace(/\b(bearer|basic|digest)\s+[\w+/=.~-]{6,}/gi, `$1 ${REDACTED}`)
    .replace(
      /((?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|authorization|cookie|signature|jwt)["']?\s{0,2}[:=]\s{0,2}["']?)(?!REDACTED)[^\s&"',;]+/gi,
      `$1${REDACTED}`,
    )
    .replace(/\bey[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REDACTED);

/** Replaces the literals of a statement, which may be data of users. */
export const redactStatement = (text: string): string =>
  text
    .slice(0, 2 * MAX_ATTRIBUTE)
    .replace(/'(?:[^']|'')*(?:'|$)/g, "?")
    .slice(0, MAX_ATTRIBUTE);

/** Decodes the ASCII characters of a query, of which credentials are recognised. A malformed or cut escape stays, and hides none of the others. */
const decoded = (text: string): string =>
  text.includes("%")
    ? text.replace(/%([0-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
