const MAX_EXCERPT = 120;

/** Number of the line of an index, from 1. */
export const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** The line of an index with its number, cut to 120 characters. */
export const excerptOf = (text: string, at: number): string => {
  const number = lineAt(text, at);
  const line = text.split("\n")[number - 1] ?? "";
  return `  ${number} | ${line.length > MAX_EXCERPT ? `${line.slice(0, MAX_EXCERPT)}…` : line}`;
};
