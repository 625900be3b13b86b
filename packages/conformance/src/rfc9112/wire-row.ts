/** Bytes of one connection and the expected behaviour of a server. */
export interface WireRow {
  readonly name: string;
  /** One character per byte. A valid request for `/next` is sent after them. */
  readonly bytes: string;
  /** Statuses of the final replies. If the connection continues, the last is the reply to `/next`; otherwise the last reply closes it. */
  readonly statuses: readonly number[];
  /** Requests that the app sees, `/next` included. */
  readonly served: number;
}

/** Rows about one subject. */
export interface WireTable {
  readonly title: string;
  readonly rows: readonly WireRow[];
}

/** The request that is sent after every row. */
export const NEXT_REQUEST = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
/** A request that must never run: only a misled parser finds it. */
export const HIDDEN = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";

/** Creates a row that is refused before the app sees anything; nothing after it runs. */
export const refused = (name: string, bytes: string, status = 400): WireRow => ({
  name,
  bytes,
  statuses: [status],
  served: 0,
});

/** Creates a row that is served, like the request after it. */
export const served = (name: string, bytes: string): WireRow => ({
  name,
  bytes,
  statuses: [200, 200],
  served: 2,
});

/** Creates a row that is served; nothing after it runs. */
export const servedLast = (name: string, bytes: string): WireRow => ({
  name,
  bytes,
  statuses: [200],
  served: 1,
});

/** Creates a row whose head reaches the app and whose body fails, once; nothing after it runs. */
export const broken = (name: string, bytes: string): WireRow => ({ name, bytes, statuses: [400], served: 1 });

/** Creates a GET request with Host and further fields; each line ends with CRLF. */
export const get = (...lines: string[]): string => message("GET / HTTP/1.1", ["Host: a", ...lines], "");
export const post = (lines: readonly string[], body: string): string =>
  message("POST / HTTP/1.1", ["Host: a", ...lines], body);
export const message = (line: string, lines: readonly string[], body = ""): string =>
  `${[line, ...lines].map((text) => `${text}\r\n`).join("")}\r\n${body}`;
