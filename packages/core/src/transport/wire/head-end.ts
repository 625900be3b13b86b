/** The lines behind the length of an ordinary reply, in one piece. */
export const headEnd = (date: string, close: boolean): string =>
  flat(`date: ${date}\r\n${close ? "connection: close" : "Connection: keep-alive"}\r\n\r\n`);

/** Text in one piece: what is joined is a tree, and is walked through each time it is written. */
export const flat = (text: string): string => Buffer.from(text, "latin1").toString("latin1");
