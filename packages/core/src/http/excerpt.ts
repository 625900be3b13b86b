/** Quotes what a client sent for an error's text, cut to 40 characters; control characters come out escaped. */
export const excerpt = (text: string): string =>
  JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
