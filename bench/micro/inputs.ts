/** Texts in turn, each a string of its own made from bytes, as a parser makes them: nothing may live on a cached hash. */
export const freshTexts =
  (...texts: readonly string[]) =>
  (count: number): string[] =>
    Array.from({ length: count }, (_, index) =>
      Buffer.from(texts[index % texts.length] ?? "").toString("latin1"),
    );

/** The same bytes each time; the values parsed from them are new. */
export const sameBytes = (text: string): ((count: number) => Buffer[]) => {
  const bytes = Buffer.from(text);
  return (count) => Array.from({ length: count }, () => bytes);
};

/** Values that are equal, each an object of its own. */
export const freshValues =
  <T>(make: () => T) =>
  (count: number): T[] =>
    Array.from({ length: count }, make);
