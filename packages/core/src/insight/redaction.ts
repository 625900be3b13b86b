/** Hides the confidential parts of a text. */
export type Redaction = (text: string) => string;

/** Values that a request sent. */
export interface SentValues {
  /** Its header fields, with names in lower case. */
  readonly fields: Iterable<readonly [name: string, value: string]>;
  /** The values of its query. */
  readonly query: Iterable<string>;
  /** Its body as text; `null` without one, or if unknown. @default null */
  readonly body?: string | null;
}

/** Minimum length of a value to hide: shorter ones occur in any text. */
const MIN_LENGTH = 4;
/** Minimum length of a value to hide inside a word; shorter ones, such as `book`, are hidden only as whole words. */
const MIN_PART_LENGTH = 8;
const HIDDEN = "(hidden)";

/** Fields whose values are never hidden: they are formats, conditions and origins, which reasons mention. */
const OPEN_FIELDS =
  /^(?:accept(?:-\w+)?|access-control-request-\w+|cache-control|connection|content-(?:encoding|length|type)|host|if-(?:modified-since|none-match|range)|origin|range|sec-fetch-\w+)$/;

/** Names of authentication schemes, which are not secret. In other texts the credential follows them. */
const SCHEME = /^(?:basic|bearer|digest|dpop|hoba|mutual|negotiate|ntlm|token)$/i;

/** Patterns of credentials: the first group is the text before the credential, the second the credential. Each takes linear time. */
const secrets: readonly RegExp[] = [
  /\b((?:authorization|proxy-authorization|cookie|set-cookie)["']?\s{0,9}[:=]\s{0,9})([^\n]+)/gi,
  /(:\/\/)([^\s/]{1,500})(?=@)/g,
  /([?&][\w.~%[\]-]{1,100}=)([^&\s#"']+)/g,
  /\b((?:bearer|basic|digest)\s{1,9})([\w.~+/=-]{4,})/gi,
  /\b()(eyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?)/g,
  /\b()(A(?:KI|SI)A[0-9A-Z]{16})\b/g, // access keys of AWS
  /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)((?:[^-]|-(?!----)){1,20000})/g,
  /\b([\w-]{0,40}(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|credential|session[_-]?id)[\w-]{0,40}["']?\s{0,9}[:=]\s{0,9}["']?)((?<=")(?:[^"\\\n]|\\.){1,1000}(?=")|(?<=')(?:[^'\\\n]|\\.){1,1000}(?=')|[^\s,;"'}&]+)/gi,
];

/** Matches every text that one of the patterns matches, so most texts need only this test. */
const SUSPICIOUS = /[=:]|\beyJ|\bA(?:KI|SI)A|PRIVATE KEY|\b(?:bearer|basic|digest)\s/i;

/** Part of a text, by its first index and the index after it. */
type Range = readonly [start: number, end: number];

/** Hides text that looks like a credential: header fields, query values, tokens, passwords. */
export const redactSecrets: Redaction = (text) => hide(text, secretRanges(text));

const secretRanges = (text: string): Range[] =>
  SUSPICIOUS.test(text) ? secrets.flatMap((pattern) => Array.from(text.matchAll(pattern), rangeOf)) : [];

const rangeOf = ({ index, 1: before = "", 2: secret = "" }: RegExpExecArray): Range => {
  const start = index + before.length;
  return [start, start + secret.length];
};

/** Replaces ranges, which may overlap, in one pass: replacing one after the other would destroy the context that identifies the next one. */
const hide = (text: string, ranges: readonly Range[]): string => {
  let shown = "";
  let at = 0;
  let hidden = -1;
  for (const [start, end] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (start > at || hidden !== at) shown += text.slice(at, start) + HIDDEN;
    hidden = at = Math.max(at, end);
  }
  return shown + text.slice(at);
};

/** Whether a name, such as `apiKey`, denotes a secret. */
export const isSecretName = (name: string): boolean =>
  /password|passwd|passphrase|secret|token|api[_-]?key|credential|authorization|cookie|^session/i.test(name);

/**
 * Hides the values of a request's fields, cookies, query and body wherever a text repeats them, as they were sent or decoded, and text that looks like a
 * credential: error messages, and reasons of third-party features, may quote one.
 *
 * Values of fewer than four characters are kept, and so are values of fields that describe formats and conditions.
 */
export const redactionFor = ({ fields, query, body = null }: SentValues): Redaction => {
  const values = [
    ...[...fields].filter(([name]) => !OPEN_FIELDS.test(name)).flatMap(([, value]) => partsOf(value)),
    ...query,
    ...(body === null ? [] : valuesOf(body)),
  ];
  const wanted = [...new Set(values.flatMap(encodingsOf))].filter(
    (value) => value.length >= MIN_LENGTH && !SCHEME.test(value),
  );
  return (text) => hide(text, [...secretRanges(text), ...wanted.flatMap((value) => rangesIn(value, text))]);
};

/** Returns the ranges where a text repeats a value. The pattern is created only if the text contains the value: most texts contain none. */
const rangesIn = (value: string, text: string): Range[] => {
  if (!text.includes(value)) return [];
  const escaped = RegExp.escape(value);
  const pattern = value.length >= MIN_PART_LENGTH ? escaped : `(?<!\\w)${escaped}(?!\\w)`;
  return Array.from(text.matchAll(new RegExp(pattern, "g")), ({ index }) => [index, index + value.length]);
};

/** Returns a field's value and its parts, such as of `Bearer abc` and `a=1; b=2`, also decoded as a cookie or as Basic credentials. */
const partsOf = (value: string): readonly string[] => {
  const parts = value.split(/[\s;,]+/);
  const values = parts.map((part) => part.slice(part.indexOf("=") + 1).replace(/^"(.*)"$/, "$1"));
  const [, basic] = /^basic\s+(\S+)$/i.exec(value) ?? [];
  return [
    value,
    ...parts,
    ...values,
    ...values.flatMap(percentDecoded),
    ...(basic === undefined ? [] : credentialsOf(basic)),
  ];
};

const percentDecoded = (value: string): readonly string[] => {
  if (!value.includes("%")) return [];
  try {
    return [decodeURIComponent(value)];
  } catch {
    return []; // core does not decode such a cookie either
  }
};

/** Returns the credentials of Basic authentication as text, and the user and the password separately. */
const credentialsOf = (base64: string): readonly string[] => {
  try {
    const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
    const text = new TextDecoder().decode(bytes);
    const colon = text.indexOf(":");
    return colon < 0 ? [text] : [text, text.slice(0, colon), text.slice(colon + 1)];
  } catch {
    return []; // not Base64
  }
};

/** Returns a value unchanged, escaped for JSON, and encoded for a URL. */
const encodingsOf = (value: string): readonly string[] => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value.toWellFormed()),
];

/** Returns the strings and numbers of a JSON or form body, strings also with the escapes as sent; any other body is one value. */
const valuesOf = (body: string): readonly string[] => {
  try {
    const leaves = leavesOf(JSON.parse(body));
    const written = Array.from(body.matchAll(JSON_STRING), ([, text = ""]) => text);
    return [...leaves, ...written.filter((text) => text.includes("\\"))];
  } catch {
    return [body, ...new URLSearchParams(body).values()];
  }
};

const JSON_STRING = /"([^"\\]*(?:\\.[^"\\]*)*)"/g;

const leavesOf = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [];
};
