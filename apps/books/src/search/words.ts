import { comparable } from "../fields.ts";

/** Longest word of the index. */
export const MAX_WORD = 100;

/** The different words of a text, as they are compared: letters and digits of any script. */
export const wordsOf = (text: string): readonly string[] => {
  const words = Array.from(text.matchAll(/[\p{L}\p{M}\p{N}]+/gu), ([word]) => comparable(word));
  return [...new Set(words)].filter((word) => word.length <= MAX_WORD);
};
