const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Maximum nesting depth of a header or of claims. */
const MAX_DEPTH = 32;

/**
 * Parses one JSON object from UTF-8, strictly: no byte order mark, no duplicate names, at most 32 levels; `null` for anything else.
 *
 * The result has no prototype.
 */
export const parseJsonObject = (bytes: Uint8Array): Readonly<Record<string, unknown>> | null => {
  let text: string;
  let value: unknown;
  try {
    text = strict.decode(bytes);
    value = JSON.parse(text);
  } catch {
    return null; // clients must not learn why it is malformed
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  if (!isPlain(text)) return null;
  return Object.assign(Object.create(null), value) as Record<string, unknown>;
};

/** Whether valid JSON text has no duplicate member names and is not nested too deeply. */
const isPlain = (text: string): boolean => {
  const open: (Set<string> | null)[] = []; // the member names of each open object; `null` for an array
  let namesMember = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      const names = open.at(-1);
      if (namesMember && names !== null && names !== undefined) {
        const name = JSON.parse(text.slice(at, end)) as string;
        if (names.has(name)) return false;
        names.add(name);
      }
      at = end - 1;
    } else if (character === "{" || character === "[") {
      if (open.push(character === "{" ? new Set() : null) > MAX_DEPTH) return false;
      namesMember = character === "{";
    } else if (character === "}" || character === "]") open.pop();
    else if (character === ",") namesMember = open.at(-1) !== null;
    else if (character === ":") namesMember = false;
  }
  return true;
};

/** Returns the index after the closing quote of the string that begins at `start`. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
};

/** Deeply freezes a JSON value. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
};
