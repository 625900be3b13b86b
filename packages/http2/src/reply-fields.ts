import {
  headerName,
  headerValue,
  isConnectionField,
  prepareReply,
  type Reply,
  type ReplyHead,
  hasConnectionClose,
} from "@framework/core/feature";

/** The head of a reply in the form that `respond` accepts, and the body to send. */
export interface Http2ReplyHead extends Pick<ReplyHead, "payload" | "length"> {
  /** `:status`, then name, value, name, value … in lower case. */
  readonly fields: string[];
  /** Whether the connection closes after the reply. */
  readonly close: boolean;
}

/** Creates the heads of replies. One object serves all connections of a transport; it caches the last frozen list of fields and the last head made from it. */
export class ReplyFields {
  private lastFields: readonly string[] | null = null;
  private lastLines: readonly string[] = [];
  /** The last head with the fields of `lastFields`. */
  private lastHead: string[] = [];
  private lastStatus = 0;
  private lastLength = -1;
  private lastDate = "";

  /**
   * Returns the head of a reply with a body in memory; `null` if a field needs `prepare`. Consecutive replies that are equal and
   * have the same frozen fields share a list, which must not be changed.
   *
   * @throws CORE_BAD_HEADER when a field cannot be sent
   */
  ordinary(status: number, fields: readonly string[], length: number, date: string): string[] | null {
    const isLast = fields === this.lastFields;
    if (isLast && length === this.lastLength && status === this.lastStatus && date === this.lastDate)
      return this.lastHead;
    const lines = this.lines(fields);
    if (lines === null) return null;
    const head = [":status", String(status), "content-length", String(length), "date", date];
    for (const text of lines) head.push(text);
    if (fields !== this.lastFields) return head;
    this.lastHead = head;
    this.lastStatus = status;
    this.lastLength = length;
    this.lastDate = date;
    return head;
  }

  /**
   * Returns the head of any reply: without the fields of HTTP/1.1 connections (RFC 9113 8.2.2), with its length if that is known.
   *
   * @throws CORE_BAD_REPLY and CORE_BAD_HEADER when the reply cannot be sent
   */
  prepare(reply: Reply, method: string, date: string): Http2ReplyHead {
    const head = prepareReply(reply, { method, minor: 1, close: false, date });
    const fields = [":status", String(head.status)];
    for (let at = 0; at + 1 < head.fields.length; at += 2) {
      const name = headerName(head.fields[at] ?? "");
      if (!hopFields.has(name)) fields.push(name, headerValue(name, head.fields[at + 1] ?? ""));
    }
    return {
      fields,
      payload: head.payload,
      length: head.length,
      close: head.close && hasConnectionClose(reply.fields()),
    };
  }

  /** Returns checked names and values; a frozen list is recognised by identity, as `Reply.fields` allows. */
  private lines(fields: readonly string[]): readonly string[] | null {
    if (fields === this.lastFields) return this.lastLines;
    const lines: string[] = [];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const name = headerName(fields[at] ?? "");
      if (isConnectionField(name) || name === UPGRADE_SETTINGS) return null;
      lines.push(name, headerValue(name, fields[at + 1] ?? ""));
    }
    if (Object.isFrozen(fields)) {
      this.lastFields = fields;
      this.lastLines = lines;
      this.lastLength = -1;
    }
    return lines;
  }
}

/** A field of the upgrade from HTTP/1.1, which `respond` rejects. */
const UPGRADE_SETTINGS = "http2-settings";

/** Fields that `prepareReply` adds for HTTP/1.1, and the settings of an upgrade. */
const hopFields: ReadonlySet<string> = new Set([
  "connection",
  "transfer-encoding",
  "upgrade",
  UPGRADE_SETTINGS,
]);
