const MAX_EXCERPT = 120;

/** Returns the line number of an index, from 1. */
export const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** Returns the line of an index with its number, truncated to 120 characters. */
export const excerptOf = (text: string, at: number): string => {
  const number = lineAt(text, at);
  const line = text.split("\n")[number - 1] ?? "";
  return `  ${number} | ${line.length > MAX_EXCERPT ? `${line.slice(0, MAX_EXCERPT)}…` : line}`;
};
