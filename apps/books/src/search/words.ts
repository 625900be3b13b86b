/** Longest word of the index. */
export const MAX_WORD = 100;

/** The different words of a text in lower case: letters and digits of any script. */
export const wordsOf = (text: string): readonly string[] => {
  const words = Array.from(text.matchAll(/[\p{L}\p{M}\p{N}]+/gu), ([word]) => word.toLowerCase());
  return [...new Set(words)].filter((word) => word.length <= MAX_WORD);
};
