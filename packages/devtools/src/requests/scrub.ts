/** Most characters of one text. */
const MAX_TEXT = 500;

const HIDDEN = "…";

/** Each pattern takes a time that is linear in the text. */
const secrets: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/\b(authorization|proxy-authorization|cookie|set-cookie)(["']?\s*[:=]\s*)[^\n]+/gi, `$1$2${HIDDEN}`],
  [/(:\/\/)[^\s/@]{1,500}@/g, `$1${HIDDEN}@`],
  [/([?&][\w.~%[\]-]{1,100}=)[^&\s#"']+/g, `$1${HIDDEN}`],
  [/\b(bearer|basic|digest)\s+[\w.~+/=-]{4,}/gi, `$1 ${HIDDEN}`],
  [/\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g, HIDDEN],
  [
    /\b([\w-]{0,40}(?:password|passwd|secret|token|api[_-]?key|credential|session[_-]?id)[\w-]{0,40}["']?\s*[:=]\s*["']?)[^\s,;"'}&]+/gi,
    `$1${HIDDEN}`,
  ],
];

/** Returns a text of bounded length without what looks like a credential: header fields, values of queries, tokens, passwords. */
export const scrub = (text: string): string => {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}${HIDDEN}` : text;
  return secrets.reduce((scrubbed, [pattern, by]) => scrubbed.replace(pattern, by), cut);
};

/** Whether a name says that its value is a secret. */
export const isSecretName = (name: string): boolean =>
  /password|passwd|secret|token|api[_-]?key|credential|authorization|cookie|^session/i.test(name);
