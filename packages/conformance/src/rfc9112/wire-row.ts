/** Bytes of one connection and the expected behaviour of a server. */
export interface WireRow {
  readonly name: string;
  /** One character per byte. A valid request for `/next` is sent after them. */
  readonly bytes: string;
  /** Statuses of the final replies, including that to `/next` when the connection continues; the last one closes it when `/next` is not answered. */
  readonly answers: readonly number[];
  /** Requests that the app sees, `/next` included. */
  readonly served: number;
}

/** Rows of one kind of mistake. */
export interface WireTable {
  readonly title: string;
  readonly rows: readonly WireRow[];
}

/** The request after every row. */
export const NEXT_REQUEST = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
/** A request that must never run: only a misled parser finds it. */
export const HIDDEN = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";

/** Refused before the app sees anything, and nothing after it runs. */
export const refused = (name: string, bytes: string, status = 400): WireRow => ({
  name,
  bytes,
  answers: [status],
  served: 0,
});

/** Served, and the request after it too. */
export const served = (name: string, bytes: string): WireRow => ({
  name,
  bytes,
  answers: [200, 200],
  served: 2,
});

/** Served, and nothing after it. */
export const servedLast = (name: string, bytes: string): WireRow => ({
  name,
  bytes,
  answers: [200],
  served: 1,
});

/** The app sees the head; its body fails, once, and nothing after it runs. */
export const broken = (name: string, bytes: string): WireRow => ({ name, bytes, answers: [400], served: 1 });

/** A request line with Host and further lines; each line ends with CRLF. */
export const get = (...lines: string[]): string => message("GET / HTTP/1.1", ["Host: a", ...lines], "");
export const post = (lines: readonly string[], body: string): string =>
  message("POST / HTTP/1.1", ["Host: a", ...lines], body);
export const message = (line: string, lines: readonly string[], body = ""): string =>
  `${[line, ...lines].map((text) => `${text}\r\n`).join("")}\r\n${body}`;
