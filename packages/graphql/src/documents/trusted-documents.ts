import type { Awaitable } from "@framework/core";

/** Documents that clients execute by id: texts by id, or a function that returns the text of an id, and `null` for an unknown id. */
export type TrustedDocuments =
  | Readonly<Record<string, string>>
  | ((id: string) => Awaitable<string | null | undefined>);

/** Returns the text of an id; `null` for an unknown id. */
export const findDocument = (
  documents: TrustedDocuments | undefined,
  id: string,
): Awaitable<string | null> => {
  if (documents === undefined) return null;
  if (typeof documents === "function") return Promise.resolve(documents(id)).then((text) => text ?? null);
  return Object.hasOwn(documents, id) ? (documents[id] ?? null) : null;
};
