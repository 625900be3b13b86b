/** Quotes a client's text for an error message: at most 40 characters, control characters escaped. */
export const excerpt = (text: string): string =>
  JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
