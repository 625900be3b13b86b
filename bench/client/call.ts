/** A request of a benchmark. */
export interface Call {
  readonly path: string;
  /** JSON in ASCII, which makes it a POST. @default none */
  readonly body?: string;
  /** Fields in addition to Host, Accept, Connection and the fields of the body. @default none */
  readonly fields?: Readonly<Record<string, string>>;
  /** Whether a GET has `Connection: keep-alive`, which is also the default of HTTP/1.1. @default true */
  readonly keepAlive?: boolean;
}

/** Returns the text of a request, for programs that write to sockets directly. */
export const toText = ({ path, body, fields = {}, keepAlive = true }: Call): string => {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body !== undefined) return post(path, body, lines.join(""));
  return keepAlive ? get(path, lines.join("")) : bareGet(path, lines.join(""));
};

/** Returns the text of a GET with the fields that a plain client sends. @param lines further field lines */
export const get = (path: string, lines = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept: */*\r\nConnection: keep-alive\r\n${lines}\r\n`;

const bareGet = (path: string, lines: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept: */*\r\n${lines}\r\n`;

/** Returns the text of a POST with a JSON body in ASCII. @param lines further field lines */
export const post = (path: string, body: string, lines = ""): string =>
  `POST ${path} HTTP/1.1\r\nHost: bench\r\nAccept: */*\r\nConnection: keep-alive\r\n${lines}` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
