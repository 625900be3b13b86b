/** Bytes of one connection and what a server has to make of them. */
export interface WireRow {
  readonly name: string;
  /** One character a byte. A good request for `/next` is sent behind them. */
  readonly bytes: string;
  /** Statuses of the final answers, that to `/next` included when the connection goes on; the last one closes it when `/next` is not answered. */
  readonly answers: readonly number[];
  /** Requests that the app sees, `/next` included. */
  readonly served: number;
}

/** Rows of one kind of trouble. */
export interface WireTable {
  readonly title: string;
  readonly rows: readonly WireRow[];
}

/** The request behind every row. */
export const NEXT_REQUEST = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
/** A request that must never run: it stands where only a parser that was led astray finds one. */
export const HIDDEN = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";

/** Refused before the app sees anything, and nothing behind it runs. */
export const refused = (name: string, bytes: string, status = 400): WireRow => ({
  name,
  bytes,
  answers: [status],
  served: 0,
});

/** Served, and the request behind it too. */
export const served = (name: string, bytes: string): WireRow => ({
  name,
  bytes,
  answers: [200, 200],
  served: 2,
});

/** Served, and nothing behind it is. */
export const servedLast = (name: string, bytes: string): WireRow => ({
  name,
  bytes,
  answers: [200],
  served: 1,
});

/** The app sees the head; its body fails, once, and nothing behind it runs. */
export const broken = (name: string, bytes: string): WireRow => ({ name, bytes, answers: [400], served: 1 });

/** A request line with Host and further lines; each line ends with CRLF. */
export const get = (...lines: string[]): string => message("GET / HTTP/1.1", ["Host: a", ...lines], "");
export const post = (lines: readonly string[], body: string): string =>
  message("POST / HTTP/1.1", ["Host: a", ...lines], body);
export const message = (line: string, lines: readonly string[], body = ""): string =>
  `${[line, ...lines].map((text) => `${text}\r\n`).join("")}\r\n${body}`;
