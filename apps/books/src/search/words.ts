import { comparable } from "../fields.ts";

/** Maximum length of a word in the index. */
export const MAX_WORD = 100;

/** Returns the distinct words of a text, normalized for comparison. Words are letters and digits of any script. */
export const wordsOf = (text: string): readonly string[] => {
  const words = Array.from(text.matchAll(/[\p{L}\p{M}\p{N}]+/gu), ([word]) => comparable(word));
  return [...new Set(words)].filter((word) => word.length <= MAX_WORD);
};
