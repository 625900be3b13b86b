/** One whole reply of a server. */
export interface Reply {
  readonly status: number;
  /** Status line and fields, as sent. */
  readonly head: string;
  readonly body: string;
  /** Whether the server said that it closes the connection after it. */
  readonly closes: boolean;
}

/** The bytes are not a well-framed reply. */
export class MalformedReply extends Error {}

/** Parses one reply from its chunks; supports `Content-Length`, `chunked`, 204 and 304. */
export class ReplyReader {
  private bytes = "";
  private headEnd = -1;

  /** Whether a part of a reply has arrived. */
  get hasBegun(): boolean {
    return this.bytes !== "";
  }

  /**
   * Reads a chunk, one character per byte; returns the reply once it is complete, then starts over.
   *
   * @throws MalformedReply for a reply without a length, and for bytes after its end, because there is never a second request in flight
   */
  push(piece: string): Reply | null {
    this.bytes += piece;
    if (this.headEnd < 0) this.headEnd = this.bytes.indexOf("\r\n\r\n");
    if (this.headEnd < 0) return null;
    const head = this.bytes.slice(0, this.headEnd);
    const found = bodyAt(head, this.bytes, this.headEnd + 4);
    if (found === null) return null;
    if (found.end !== this.bytes.length) throw new MalformedReply(`bytes after the reply to ${head}`);
    this.bytes = "";
    this.headEnd = -1;
    return {
      status: statusOf(head),
      head,
      body: Buffer.from(found.body, "latin1").toString(),
      closes: /\r\nconnection: *close/i.test(head),
    };
  }
}

interface Framed {
  readonly body: string;
  readonly end: number;
}

const statusOf = (head: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? NaN);

/** The body that begins at `start`; null until it has arrived whole. */
const bodyAt = (head: string, bytes: string, start: number): Framed | null => {
  const status = statusOf(head);
  if (Number.isNaN(status)) throw new MalformedReply(`no status line: ${head.slice(0, 80)}`);
  if (status === 204 || status === 304) return { body: "", end: start };
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    return bytes.length < end ? null : { body: bytes.slice(start, end), end };
  }
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return chunkedAt(bytes, start);
  throw new MalformedReply(`a reply without a length: ${head}`);
};

const chunkedAt = (bytes: string, start: number): Framed | null => {
  let body = "";
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.slice(at, lineEnd), 16);
    if (Number.isNaN(size)) throw new MalformedReply(`no chunk size: ${bytes.slice(at, lineEnd)}`);
    const end = lineEnd + 2 + size;
    if (bytes.length < end + 2) return null;
    if (size === 0) return { body, end: end + 2 };
    body += bytes.slice(lineEnd + 2, end);
    at = end + 2;
  }
};
