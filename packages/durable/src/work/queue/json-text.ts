import { FrameworkError } from "@framework/core";
import { jsonWriter, messageOf } from "@framework/core/feature";
import { badWork } from "./work-errors.ts";

/**
 * Serialises a value as JSON, `undefined` as `null`.
 *
 * @param options.subject names the value in messages, such as `payload`
 * @throws DURABLE_BAD_WORK if JSON cannot represent a part of it, with the path of that part, or if it is larger than `maxBytes`
 */
export const jsonText = (
  value: unknown,
  {
    queue,
    subject,
    maxBytes,
  }: { readonly queue: string; readonly subject: string; readonly maxBytes: number },
): string => {
  if (value === undefined) return "null";
  const text = serialise(value, queue, subject);
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  throw badWork(
    queue,
    `${subject} has more than ${maxBytes} bytes as JSON; store it elsewhere, and enqueue its address`,
  );
};

const report = { debug: true, exact: true, log: { warn: () => {} }, code: "DURABLE_BAD_WORK" }; // problems are thrown, not logged

const serialise = (value: unknown, queue: string, subject: string): string => {
  try {
    return jsonWriter(`durable: ${subject} of "${queue}"`, report)(value);
  } catch (error) {
    if (FrameworkError.is(error)) throw error;
    throw badWork(queue, `${subject} cannot be written as JSON: ${messageOf(error)}`);
  }
};
