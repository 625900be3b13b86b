/** Cycles through texts. Decodes each from bytes into a new string, as a parser does, so that V8 has no cached hash for it. */
export const freshTexts =
  (...texts: readonly string[]) =>
  (count: number): string[] =>
    Array.from({ length: count }, (_, index) =>
      Buffer.from(texts[index % texts.length] ?? "").toString("latin1"),
    );

/** Repeats one buffer. */
export const sameBytes = (text: string): ((count: number) => Buffer[]) => {
  const bytes = Buffer.from(text);
  return (count) => Array.from({ length: count }, () => bytes);
};

/** Creates equal but distinct objects. */
export const freshValues =
  <T>(make: () => T) =>
  (count: number): T[] =>
    Array.from({ length: count }, make);
