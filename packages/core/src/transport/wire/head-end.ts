/** The lines of an ordinary reply's head after its content-length: `date`, `connection`, the empty line. */
export const headEnd = (date: string, close: boolean): string =>
  flatten(`date: ${date}\r\n${close ? "connection: close" : "Connection: keep-alive"}\r\n\r\n`);

/** Returns the same string in flat memory. V8 keeps a concatenated string as a tree, which each write traverses. */
export const flatten = (text: string): string => Buffer.from(text, "latin1").toString("latin1");
