/** A message of the bus as it is published. */
export type Envelope =
  | readonly ["message", from: string, id: number, channel: string, text: string]
  | readonly ["done", from: string, id: number]
  | readonly ["hello" | "left", from: string];

/** Types of the elements after the kind. */
const elements: Readonly<Record<Envelope[0], readonly string[]>> = {
  message: ["string", "number", "string", "string"],
  done: ["string", "number"],
  hello: ["string"],
  left: ["string"],
};

/** Parses a message; `null` if another program published it. */
export const parseEnvelope = (text: string): Envelope | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isEnvelope(value) ? value : null;
  } catch {
    return null; // not JSON
  }
};

const isEnvelope = (value: unknown): value is Envelope => {
  if (!Array.isArray(value)) return false;
  const [kind, ...rest] = value as readonly unknown[];
  if (typeof kind !== "string" || !Object.hasOwn(elements, kind)) return false;
  return elements[kind as Envelope[0]].every((type, at) => typeof rest[at] === type);
};
