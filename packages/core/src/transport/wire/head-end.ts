/** The lines of an ordinary reply's head after its content-length: `date`, `connection`, the empty line. */
export const headEnd = (date: string, close: boolean): string =>
  flatten(`date: ${date}\r\n${close ? "connection: close" : "Connection: keep-alive"}\r\n\r\n`);

/** The same text as one flat string. V8 keeps a joined string as a tree, which is traversed by each write. */
export const flatten = (text: string): string => Buffer.from(text, "latin1").toString("latin1");
