import { ValidationError } from "@framework/core";

/** Refuses the files of a form, which cannot be stored with an idempotency key or in the queue. @throws ValidationError 422 */
export const refuseFiles = (body: unknown): void => {
  if (typeof body !== "object" || body === null) return;
  const names = Object.entries(body)
    .filter(([, value]) => (Array.isArray(value) ? value.some(isFile) : isFile(value)))
    .map(([name]) => name);
  if (names.length > 0) throw new ValidationError(names.map(issueOf));
};

const isFile = (value: unknown): boolean => value instanceof Blob;

const issueOf = (name: string) => ({
  loc: ["body", name],
  msg: "A file cannot be stored with the input; send its content as text",
  type: "file",
});
