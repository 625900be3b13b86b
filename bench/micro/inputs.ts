/** Cycles through texts and creates a new string from bytes for each, like a parser does, so that no cached hash helps. */
export const freshTexts =
  (...texts: readonly string[]) =>
  (count: number): string[] =>
    Array.from({ length: count }, (_, index) =>
      Buffer.from(texts[index % texts.length] ?? "").toString("latin1"),
    );

/** Returns the same bytes each time. */
export const sameBytes = (text: string): ((count: number) => Buffer[]) => {
  const bytes = Buffer.from(text);
  return (count) => Array.from({ length: count }, () => bytes);
};

/** Creates equal but distinct objects. */
export const freshValues =
  <T>(make: () => T) =>
  (count: number): T[] =>
    Array.from({ length: count }, make);
