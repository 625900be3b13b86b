/** Whether a statement only reads, by its text. A false negative only makes it slower. */
export const onlyReads = (text: string): boolean => {
  const start = text.replace(LEADING, "");
  if (/^(select|values)\b/i.test(start)) return true;
  return /^with\b/i.test(start) && !/\b(insert|update|delete|replace)\b/i.test(start);
};

/** Whether a statement without result rows inserts, changes or deletes rows, by its text. */
export const changesRows = (text: string): boolean =>
  /^(insert|replace|update|delete|with)\b/i.test(text.replace(LEADING, ""));

const LEADING = /^(?:\s+|--[^\n]*\n|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)+/;
