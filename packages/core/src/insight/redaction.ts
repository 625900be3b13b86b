/** Replaces in a text what must not be shown. */
export type Redaction = (text: string) => string;

/** What a request sent. */
export interface SentValues {
  /** Its header fields. */
  readonly fields: Iterable<readonly [name: string, value: string]>;
  /** The values of its query. */
  readonly query: Iterable<string>;
  /** Its body as text; `null` without one, and where it is not known. @default null */
  readonly body?: string | null;
}

/** Shorter values are words of every text. */
const LEAST_LENGTH = 4;
/** Shorter values are hidden where they are a word: `book` is a part of many paths. */
const PART_LENGTH = 8;
const HIDDEN = "(hidden)";

/** Fields whose values name formats, conditions and places, as reasons do. */
const OPEN_FIELDS =
  /^(?:accept(?:-\w+)?|access-control-request-\w+|cache-control|connection|content-(?:encoding|length|type)|host|if-(?:modified-since|none-match|range)|origin|range|sec-fetch-\w+)$/;

/** What looks like a credential. Each pattern takes a time that is linear in the text. */
const secrets: readonly (readonly [pattern: RegExp, by: string])[] = [
  [
    /\b(authorization|proxy-authorization|cookie|set-cookie)(["']?\s{0,9}[:=]\s{0,9})[^\n]+/gi,
    `$1$2${HIDDEN}`,
  ],
  [/(:\/\/)[^\s/@]{1,500}@/g, `$1${HIDDEN}@`],
  [/([?&][\w.~%[\]-]{1,100}=)[^&\s#"']+/g, `$1${HIDDEN}`],
  [/\b(bearer|basic|digest)\s{1,9}[\w.~+/=-]{4,}/gi, `$1 ${HIDDEN}`],
  [/\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g, HIDDEN],
  [
    /\b([\w-]{0,40}(?:password|passwd|secret|token|api[_-]?key|credential|session[_-]?id)[\w-]{0,40}["']?\s{0,9}[:=]\s{0,9}["']?)[^\s,;"'}&]+/gi,
    `$1${HIDDEN}`,
  ],
];

/** What is in every text that a pattern fits: most reasons have none of it, and need one look. */
const SUSPICIOUS = /[=:]|\beyJ|\b(?:bearer|basic|digest)\s/i;

/** Returns a text without what looks like a credential: header fields, values of queries, tokens, passwords. */
export const hideSecrets: Redaction = (text) =>
  SUSPICIOUS.test(text) ? secrets.reduce((shown, [pattern, by]) => shown.replace(pattern, by), text) : text;

/** Whether a name says that its value is a secret. */
export const isSecretName = (name: string): boolean =>
  /password|passwd|secret|token|api[_-]?key|credential|authorization|cookie|^session/i.test(name);

/**
 * Hides the values of a request's fields, cookies, query and body wherever a text repeats them, and what looks like a credential: messages of errors and reasons of other
 * people's features may quote one.
 *
 * Values of fewer than four characters stay, as do those of fields that describe formats and conditions.
 */
export const redactionFor = ({ fields, query, body = null }: SentValues): Redaction => {
  const values = [
    ...[...fields].filter(([name]) => !OPEN_FIELDS.test(name)).flatMap(([, value]) => partsOf(value)),
    ...query,
    ...(body === null ? [] : valuesOf(body)),
  ];
  const wanted = [...new Set(values.flatMap(spellings))]
    .filter(({ length }) => length >= LEAST_LENGTH)
    .sort((one, other) => other.length - one.length); // a value may contain another
  return (text) => hideSecrets(wanted.reduce(without, text));
};

/** A pattern is made for a value that is there only: most texts repeat none. */
const without = (text: string, value: string): string => {
  if (!text.includes(value)) return text;
  if (value.length >= PART_LENGTH) return text.replaceAll(value, HIDDEN);
  return text.replaceAll(new RegExp(`(?<!\\w)${RegExp.escape(value)}(?!\\w)`, "g"), HIDDEN);
};

/** A field's value, and its parts: `Bearer abc`, `a=1; b=2`. */
const partsOf = (value: string): readonly string[] => {
  const parts = value.split(/[\s;,]+/);
  return [value, ...parts, ...parts.map((part) => part.slice(part.indexOf("=") + 1))];
};

/** A value in its own letters, escaped in JSON, and encoded in a URL. */
const spellings = (value: string): readonly string[] => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value.toWellFormed()),
];

/** The texts and numbers of a JSON or form body; any other body is one value. */
const valuesOf = (body: string): readonly string[] => {
  try {
    return leavesOf(JSON.parse(body));
  } catch {
    return [body, ...new URLSearchParams(body).values()];
  }
};

const leavesOf = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [];
};
