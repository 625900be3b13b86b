import { badWork } from "./work-errors.ts";

/**
 * Serialises a value of work, `undefined` as `null`.
 *
 * @param what names the value in messages: `payload`
 * @throws DURABLE_BAD_WORK when it is not JSON, or larger than `maxBytes`
 */
export const jsonText = (
  value: unknown,
  { queue, what, maxBytes }: { readonly queue: string; readonly what: string; readonly maxBytes: number },
): string => {
  const text = serialised(value, queue, what);
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  throw badWork(
    queue,
    `${what} has more than ${maxBytes} bytes as JSON; store it elsewhere, and enqueue its address`,
  );
};

const serialised = (value: unknown, queue: string, what: string): string => {
  try {
    const text: unknown = JSON.stringify(value);
    return typeof text === "string" ? text : "null"; // undefined, functions and symbols have no JSON
  } catch (error) {
    const reason = Error.isError(error) ? error.message : String(error);
    throw badWork(queue, `${what} cannot be stored as JSON: ${reason}`);
  }
};
